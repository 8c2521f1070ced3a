import type { Clock, RateLimitDecision, RateLimiter } from '@svc/application';
import type { Instant } from '@svc/domain';
import { type Consumed, decide, fullAgainAt } from './rate-limiter-gcra.ts';

interface Subject {
  readonly spent: Consumed;
  readonly fullAgainAt: Instant;
}

const ALLOWED: RateLimitDecision = { allowed: true };
/** How many other subjects each spend looks at: two leave the map no larger than the subjects that are in use. */
const SWEPT_PER_SPEND = 2;

export interface MemoryRateLimiter extends RateLimiter {
  /** Subjects held in memory. */
  readonly size: number;
}

/** The limits of one process: the embedded default's, and what is left when a shared store is away. */
export function createMemoryRateLimiter({ clock }: { readonly clock: Clock }): MemoryRateLimiter {
  const subjects = new Map<string, Subject>();
  let sweep = subjects.entries();

  // Full buckets are dropped a few at a time by those who spend: no timer, and no pause over a large map.
  function dropFull(now: Instant): void {
    for (let looked = 0; looked < SWEPT_PER_SPEND; looked++) {
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
    get size() {
      return subjects.size;
    },

    async consume(name, limits, request) {
      const now = clock.now();
      dropFull(now);
      const { spent, retryAfterMs } = decide(subjects.get(name)?.spent ?? null, limits, request, now);
      subjects.set(name, { spent, fullAgainAt: fullAgainAt(spent, limits) });
      return retryAfterMs === 0 ? ALLOWED : { allowed: false, retryAfterMs };
    },
  };
}
