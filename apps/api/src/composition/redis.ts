import { setTimeout as pause } from 'node:timers/promises';
import { createMemoryRateLimiter } from '@svc/adapter-memory';
import { connectRedis, reportNodes } from '@svc/adapter-redis';
import type { Clock } from '@svc/application';
import type { Config } from '../config.ts';
import type { Log } from '../logging.ts';

const CONNECT_WAIT_MS = 1000;

/** What is wrong with each node of Redis. */
export { reportNodes };

/** Null without REDIS_URL. Until it is connected, requests are counted per process, so this waits briefly. */
export async function openRedis(
  { redisUrls, rereadRedisUrls }: Config,
  log: Log,
  clock: Clock,
  waitMs = CONNECT_WAIT_MS,
) {
  if (redisUrls.length === 0) return null;
  const redis = connectRedis({
    url: redisUrls.join(','),
    readUrl: rereadRedisUrls === null ? undefined : () => rereadRedisUrls().join(','),
    log,
    fallback: { rateLimiter: createMemoryRateLimiter({ clock }) },
  });
  for (let waited = 0; redis.state().status === 'down' && waited < waitMs; waited += 10) await pause(10);
  return redis;
}

/** Whether the service would use Redis. */
export async function probeRedis(config: Config, log: Log): Promise<boolean> {
  const redis = await openRedis(config, log, { now: Date.now }, 2000);
  try {
    return redis?.state().status === 'up';
  } finally {
    await redis?.close();
  }
}
