import type { Clock, RateLimitDecision, RateLimiter } from '@svc/application';
import type { Instant } from '@svc/domain';
import { type Consumed, decide, fullAgainAt, useOf } from './rate-limiter-gcra.ts';

interface Subject {
  readonly consumed: Consumed;
  readonly fullAgainAt: Instant;
}

const ALLOWED: RateLimitDecision = { allowed: true };
/** How many other subjects each call checks: with two, the map stays no larger than the subjects in use. */
const SWEPT_PER_CALL = 2;

/** Rate limits of one process: used without Redis, and while Redis is unavailable. */
export function createMemoryRateLimiter({
  clock,
}: {
  readonly clock: Clock;
}): RateLimiter & { readonly size: number } {
  const subjects = new Map<string, Subject>();
  let sweep = subjects.entries();

  // Each call drops a few full buckets: no timer, and no pause over a large map.
  function dropFull(now: Instant): void {
    for (let checked = 0; checked < SWEPT_PER_CALL; checked++) {
      const next = sweep.next();
      if (next.done) {
        sweep = subjects.entries();
        return;
      }
      const [name, subject] = next.value;
      if (subject.fullAgainAt <= now) subjects.delete(name);
    }
  }

  return {
    /** Subjects held in memory. */
    get size() {
      return subjects.size;
    },

    async consume(name, limits, request) {
      const now = clock.now();
      dropFull(now);
      const { consumed, retryAfterMs } = decide(subjects.get(name)?.consumed ?? null, limits, request, now);
      subjects.set(name, { consumed, fullAgainAt: fullAgainAt(consumed, limits) });
      return retryAfterMs === 0 ? ALLOWED : { allowed: false, retryAfterMs };
    },

    peek: async (name, limits) => useOf(subjects.get(name)?.consumed ?? null, limits, clock.now()),
  };
}
