import { describe, expect, test } from '@jest/globals';
import { type Consumed, decide, fullAgainAt, REQUEST_COST } from '../src/rate-limiter-gcra.ts';

const limits = { requestsPerMinute: 7, writesPerMinute: 7, burst: 3 };
const READ = { write: false };

describe('the decision over the buckets', () => {
  test('does not drift at a rate that divides no minute: 20,000 spends at 7 a minute take exactly as long', () => {
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

  test('leaves the given state as it was', () => {
    const before: Consumed = Object.freeze({ at: 5, requests: REQUEST_COST, writes: 0 });
    decide(before, limits, { write: true }, 6);
    expect(before).toEqual({ at: 5, requests: REQUEST_COST, writes: 0 });
  });

  test('looking at a refused subject again and again changes nothing about its wait', () => {
    let { consumed } = decide(null, limits, READ, 0);
    for (let n = 0; n < 2; n++) consumed = decide(consumed, limits, READ, 0).consumed;
    const waits: number[] = [];
    for (let now = 0; now < 8571; now += 1) {
      const decision = decide(consumed, limits, READ, now);
      waits.push(decision.retryAfterMs);
      consumed = decision.consumed;
    }
    expect(waits).toEqual(waits.map((_, now) => 8572 - now));
  });

  test('says when the buckets are full again, to the millisecond', () => {
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
