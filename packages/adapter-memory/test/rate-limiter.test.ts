import { describe, expect, test } from '@jest/globals';
import { DEFAULT_LIMITS } from '@svc/domain';
import { rateLimiterSuite } from '@svc/testkit';
import { createMemoryRateLimiter } from '../src/rate-limiter.ts';

rateLimiterSuite('the memory adapter', async (clock) => ({ limiter: createMemoryRateLimiter({ clock }) }), {
  runs: 300,
});

describe('the memory use of the rate limiter', () => {
  test('keeps subjects in use and drops those whose buckets are full again', async () => {
    let now = 0;
    const limiter = createMemoryRateLimiter({ clock: { now: () => now } });
    let most = 0;
    // Each subject sends once and is full again after 200 ms, that is after 200 others.
    for (let n = 0; n < 10_000; n++) {
      now += 1;
      await limiter.consume(`subject ${n}`, DEFAULT_LIMITS.live, { write: false });
      most = Math.max(most, limiter.size);
    }
    expect(most).toBeLessThanOrEqual(3 * 200);
  });

  test('keeps a subject that must wait, whatever the number of other subjects', async () => {
    let now = 0;
    const limiter = createMemoryRateLimiter({ clock: { now: () => now } });
    const slow = { requestsPerMinute: 1, writesPerMinute: 1, burst: 1 };
    await limiter.consume('slow', slow, { write: false });
    for (let n = 0; n < 10_000; n++) {
      now += 1;
      await limiter.consume(`subject ${n}`, DEFAULT_LIMITS.live, { write: false });
    }
    expect(await limiter.consume('slow', slow, { write: false })).toEqual({
      allowed: false,
      retryAfterMs: 50_000,
    });
  });
});
