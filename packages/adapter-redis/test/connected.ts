import { randomUUID } from 'node:crypto';
import { createMemoryRateLimiter } from '@svc/adapter-memory';
import type { RateLimiter } from '@svc/application';
import type { KeyLimits } from '@svc/domain';
import { eventually } from '@svc/testkit/eventually';
import { atEnd } from '../../../tools/services/at-end.ts';
import { connectRedis, type RedisSettings } from '../src/index.ts';

export type Connected = Awaited<ReturnType<typeof connected>>;

/** An established connection with a unique key prefix, until the end of the test or file. */
export async function connected(url: string, settings: Partial<RedisSettings> = {}) {
  const logged: string[] = [];
  let fallbackCount = 0;
  const memory = createMemoryRateLimiter({ clock: Date });
  const rateLimiter: RateLimiter = {
    consume(...args) {
      fallbackCount += 1;
      return memory.consume(...args);
    },
    peek: memory.peek,
  };
  const keyPrefix = settings.keyPrefix ?? `test:${randomUUID()}:`;
  const connection = connectRedis({
    url,
    keyPrefix,
    log: { warn: (message) => logged.push(message), info: (message) => logged.push(message) },
    fallback: { rateLimiter },
    ...settings,
  });
  atEnd(() => connection.close());
  await eventually(() => connection.state().status === 'up');
  return {
    ...{ ...connection, logged, keyPrefix },
    /** Decisions made by the fallback. */
    fallbackCount: () => fallbackCount,
  };
}

/** For tests that are not about outages: a busy machine must not cause timeouts. */
export const LONG_TIMEOUT = { commandTimeoutMs: 30_000 } as const;

export function testUrl(name: 'TEST_REDIS_URL' | 'TEST_REDIS_CLUSTER_URL'): string {
  const url = process.env[name];
  if (!url) throw new Error(`${name} is not set.`);
  return url;
}

/** Refills too slowly to matter during a test. */
export const SLOW: KeyLimits = { requestsPerMinute: 1, writesPerMinute: 1, burst: 20 };

export async function allowedOf(limiter: RateLimiter, subject: string, limits: KeyLimits, times: number) {
  const decisions = await Promise.all(
    Array.from({ length: times }, () => limiter.consume(subject, limits, { write: true })),
  );
  return decisions.filter(({ allowed }) => allowed).length;
}
