import { expect, test } from '@jest/globals';
import { decide, fullAgainAt, REQUEST_COST } from '../src/rate-limiter-gcra.ts';

const limits = { requestsPerMinute: 7, writesPerMinute: 7, burst: 3 };
const READ = { write: false };

test('a limiter computes to the millisecond when the buckets of a subject are full again', () => {
  const { consumed } = decide(null, limits, { write: true }, 1000);
  const full = fullAgainAt(consumed, limits);
  expect(full).toBe(1000 + 8572);
  const { consumed: next } = decide(consumed, limits, READ, full);
  expect(next).toEqual({ at: full, requests: REQUEST_COST, writes: 0 });
  expect(decide(consumed, limits, READ, full - 1).consumed.requests).toBeGreaterThan(REQUEST_COST);
});
