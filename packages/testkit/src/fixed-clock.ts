import type { Clock } from '@svc/application';
import type { Instant } from '@svc/domain';

/** A clock that changes only with `advance`. */
export interface FixedClock extends Clock {
  advance(milliseconds: number): Instant;
}

export function createFixedClock(start: Instant = Date.parse('2026-09-01T12:00:00.000Z')): FixedClock {
  let now = start;
  return {
    now: () => now,
    advance(milliseconds) {
      now += milliseconds;
      return now;
    },
  };
}
