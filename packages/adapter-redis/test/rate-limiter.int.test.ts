import { beforeAll, describe, expect, test } from '@jest/globals';
import { DEFAULT_LIMITS } from '@svc/domain';
import { rateLimiterSuite } from '@svc/testkit';
import { Redis } from 'ioredis';
import { atEnd } from '../../../tools/services/at-end.ts';
import { allowedOf, type Connected, connected, LONG_TIMEOUT, SLOW, testUrl } from './connected.ts';

rateLimiterSuite('Redis', async (clock) => {
  const connection = await connected(testUrl('TEST_REDIS_URL'), { ...LONG_TIMEOUT, clock });
  return {
    limiter: connection.rateLimiter,
    async close() {
      expect(connection.fallbackCount()).toBe(0);
    },
  };
});

describe('rate limits by the clock of Redis', () => {
  let client: Redis;
  let connection: Connected;

  beforeAll(async () => {
    client = new Redis(testUrl('TEST_REDIS_URL'));
    atEnd(() => client.disconnect());
    connection = await connected(testUrl('TEST_REDIS_URL'), LONG_TIMEOUT);
  });

  test('each subject of a turn has its own burst and its own limits', async () => {
    const wide = { ...SLOW, burst: 30 };
    const counts = await Promise.all([
      allowedOf(connection.rateLimiter, 'one of many', SLOW, 25),
      allowedOf(connection.rateLimiter, 'another of many', SLOW, 19),
      allowedOf(connection.rateLimiter, 'a wide one', wide, 35),
    ]);
    expect(counts).toEqual([20, 19, 30]);
  });

  test('several processes share one bucket', async () => {
    const other = await connected(testUrl('TEST_REDIS_URL'), {
      ...LONG_TIMEOUT,
      keyPrefix: connection.keyPrefix,
    });
    const counts = await Promise.all(
      [connection, other].map(({ rateLimiter }) => allowedOf(rateLimiter, 'shared', SLOW, 15)),
    );
    expect(counts.reduce((sum, count) => sum + count)).toBe(20);
  });

  test('a subject expires as soon as its buckets are full again', async () => {
    const key = `${connection.keyPrefix}limit:{forgotten}`;
    await allowedOf(connection.rateLimiter, 'forgotten', SLOW, 3);
    const left = await client.pttl(key);
    expect(left).toBeGreaterThan(120_000);
    expect(left).toBeLessThanOrEqual(180_000);
    await allowedOf(connection.rateLimiter, 'slow writes', { ...SLOW, requestsPerMinute: 60 }, 3);
    expect(await client.pttl(`${connection.keyPrefix}limit:{slow writes}`)).toBeGreaterThan(120_000);
    // One write of a live key is refilled within 500 ms; the key may have expired by then.
    await allowedOf(connection.rateLimiter, 'brief', DEFAULT_LIMITS.live, 1);
    expect(await client.pttl(`${connection.keyPrefix}limit:{brief}`)).toBeLessThanOrEqual(500);
  });

  test('scripts are loaded again after SCRIPT FLUSH', async () => {
    await allowedOf(connection.rateLimiter, 'scripts', SLOW, 5);
    await client.script('FLUSH');
    expect(await allowedOf(connection.rateLimiter, 'scripts', SLOW, 25)).toBe(15);
    expect(connection.fallbackCount()).toBe(0);
  });
});
