import type { CountedRequest, RateLimitDecision, RateLimiter } from '@svc/application';
import type { Store } from './store.ts';

const ALLOWED: RateLimitDecision = { allowed: true };

/** 0: a request, 1: also a write, 2: a write alone. */
const countOf = ({ write, isCounted = false }: CountedRequest): number => (write ? (isCounted ? 2 : 1) : 0);

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
        args: [requestsPerMinute, writesPerMinute, burst, countOf(request)],
      });
      if (typeof waitMs !== 'number') return fallback.consume(subject, limits, request);
      return waitMs === 0 ? ALLOWED : { allowed: false, retryAfterMs: waitMs };
    },

    async peek(subject, limits) {
      const { requestsPerMinute, writesPerMinute, burst } = limits;
      const used = await store.run({
        name: 'peek',
        key: `limit:{${subject}}`,
        args: [requestsPerMinute, writesPerMinute, burst],
      });
      if (!Array.isArray(used)) return fallback.peek(subject, limits);
      const [requests, writes] = used;
      return { requests, writes };
    },
  };
}
