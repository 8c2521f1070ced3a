import type { Clock, RateLimiter, Spending } from '@svc/application';
import { SPEND } from './scripts.ts';
import type { Store } from './store.ts';

const ALLOWED: Spending = { allowed: true };

/** One hash per subject, in one slot of a cluster. Redis forgets it once the buckets are full again. */
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
    async spend(subject, limits, request) {
      const wait = await store.run(
        SPEND,
        `limit:{${subject}}`,
        [limits.requestsPerMinute, limits.writesPerMinute, limits.burst, request.write ? 1 : 0],
        clock?.now(),
      );
      if (typeof wait !== 'number') return fallback.spend(subject, limits, request);
      return wait === 0 ? ALLOWED : { allowed: false, retryAfterMs: wait };
    },
  };
}
