import type { Clock, RateLimitDecision, RateLimiter } from '@svc/application';
import { CONSUME } from './scripts.ts';
import type { Store } from './store.ts';

const ALLOWED: RateLimitDecision = { allowed: true };

/** One hash per subject, in one cluster slot. It expires once the buckets are full again. */
export function createRedisRateLimiter({
  store,
  fallback,
  clock,
}: {
  readonly store: Store;
  readonly fallback: RateLimiter;
  readonly clock: Clock | undefined;
}): RateLimiter {
  return {
    async consume(subject, limits, request) {
      const waitMs = await store.run(
        CONSUME,
        `limit:{${subject}}`,
        [limits.requestsPerMinute, limits.writesPerMinute, limits.burst, request.write ? 1 : 0],
        clock?.now(),
      );
      if (typeof waitMs !== 'number') return fallback.consume(subject, limits, request);
      return waitMs === 0 ? ALLOWED : { allowed: false, retryAfterMs: waitMs };
    },
  };
}
