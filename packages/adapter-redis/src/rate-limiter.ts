import type { RateLimitDecision, RateLimiter } from '@svc/application';
import type { Store } from './store.ts';

const ALLOWED: RateLimitDecision = { allowed: true };

/** One hash per subject, in one cluster slot. It expires once the buckets are full again. */
export function createRedisRateLimiter({
  store,
  fallback,
}: {
  readonly store: Store;
  readonly fallback: RateLimiter;
}): RateLimiter {
  return {
    async consume(subject, limits, request) {
      const { requestsPerMinute, writesPerMinute, burst } = limits;
      const waitMs = await store.run({
        name: 'consume',
        key: `limit:{${subject}}`,
        args: [requestsPerMinute, writesPerMinute, burst, request.write ? 1 : 0],
      });
      if (typeof waitMs !== 'number') return fallback.consume(subject, limits, request);
      return waitMs === 0 ? ALLOWED : { allowed: false, retryAfterMs: waitMs };
    },
  };
}
