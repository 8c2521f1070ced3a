import { expect, test } from '@jest/globals';
import { decide, fullAgainAt, REQUEST_COST } from '../src/rate-limiter-gcra.ts';

const limits = { requestsPerMinute: 14, writesPerMinute: 7, burst: 3 };
const READ = { write: false };

test('a limiter computes to the millisecond when the buckets of a subject are full again', () => {
  const { consumed } = decide(null, limits, { write: true }, 1000);
  const full = fullAgainAt(consumed, limits);
  expect(full).toBe(1000 + 8572);
  expect(fullAgainAt(decide(null, limits, READ, 1000).consumed, limits)).toBe(1000 + 4286);
  const { consumed: next } = decide(consumed, limits, READ, full);
  expect(next).toEqual({ at: full, requests: REQUEST_COST, writes: 0 });
  expect(decide(consumed, limits, READ, full - 1).consumed.writes).toBeGreaterThan(0);
});

test('a clock that was set back regains nothing and loses nothing, also where a request has to wait', () => {
  const { consumed } = decide(null, { ...limits, burst: 1 }, { write: true }, 1000);
  const { consumed: next, retryAfterMs } = decide(consumed, { ...limits, burst: 1 }, READ, 900);
  expect([next, retryAfterMs]).toEqual([{ ...consumed, at: 900 }, 4286]);
});
