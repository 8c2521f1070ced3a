import { describe, expect, test } from '@jest/globals';
import { type Consumed, decide, fullAgainAt, REQUEST_COST } from '../src/rate-limiter-gcra.ts';

const limits = { requestsPerMinute: 7, writesPerMinute: 7, burst: 3 };
const READ = { write: false };

describe('the rate limit decision', () => {
  test('does not drift: 20,000 requests at 7 per minute take exactly the expected time', () => {
    let consumed: Consumed | null = null;
    let now = 0;
    for (let n = 0; n < 20_000; n++) {
      let decision = decide(consumed, limits, READ, now);
      if (decision.retryAfterMs > 0) {
        now += decision.retryAfterMs;
        decision = decide(decision.consumed, limits, READ, now);
      }
      consumed = decision.consumed;
    }
    expect(now).toBe(Math.ceil(((20_000 - limits.burst) * 60_000) / 7));
  });

  test('does not change the given state', () => {
    const before: Consumed = Object.freeze({ at: 5, requests: REQUEST_COST, writes: 0 });
    decide(before, limits, { write: true }, 6);
    expect(before).toEqual({ at: 5, requests: REQUEST_COST, writes: 0 });
  });

  test('computes to the millisecond when the buckets are full again', () => {
    const { consumed } = decide(null, limits, { write: true }, 1000);
    const full = fullAgainAt(consumed, limits);
    expect(full).toBe(1000 + 8572);
    expect(decide(consumed, limits, READ, full).consumed).toEqual({
      at: full,
      requests: REQUEST_COST,
      writes: 0,
    });
    expect(decide(consumed, limits, READ, full - 1).consumed.requests).toBeGreaterThan(REQUEST_COST);
  });
});
