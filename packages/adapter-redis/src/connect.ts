import type { Clock, RateLimiter, SingleFlight } from '@svc/application';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import type { RedisLog, RedisState } from './breaker.ts';
import { createRedisRateLimiter } from './rate-limiter.ts';
import { createRedisSingleFlight } from './single-flight.ts';
import { createStore } from './store.ts';

export interface RedisSettings {
  /** `redis://…` or `rediss://…`; several, separated by commas, for Redis Cluster. */
  readonly url: string;
  /** How long a request waits for Redis, once, before it and all others go on without. */
  readonly commandTimeoutMs?: number;
  /** Stands before every key, for a Redis that others use as well. */
  readonly keyPrefix?: string;
  readonly log: RedisLog;
  /** What serves while Redis is away. Its twins also join those that meet in this process. */
  readonly fallback: { readonly rateLimiter: RateLimiter; readonly twins: SingleFlight };
  /** For tests: replaces Redis' own clock in the limits. */
  readonly clock?: Clock;
}

export interface RedisConnection {
  readonly rateLimiter: RateLimiter;
  readonly twins: SingleFlight;
  state(): RedisState;
  /** Lets what is being written finish. Afterwards the fallback serves. */
  close(): Promise<void>;
}

/** Connects in the background: until Redis has answered, and whenever it does not, the fallback serves. */
export function connectRedis(settings: RedisSettings): RedisConnection {
  const { commandTimeoutMs = 50, keyPrefix = 'svc:', log, fallback, clock } = settings;
  const client = createClient(settings.url, commandTimeoutMs);
  const store = createStore({ client, keyPrefix, commandTimeoutMs, log });
  return {
    rateLimiter: createRedisRateLimiter({ store, fallback: fallback.rateLimiter, clock }),
    twins: createRedisSingleFlight({ store, inProcess: fallback.twins }),
    state: store.state,
    close: store.close,
  };
}

function createClient(url: string, commandTimeoutMs: number): Redis | Cluster {
  const urls = url.split(',').map((each) => each.trim());
  const common = {
    // Only frees what a dead connection holds: the breaker has let the caller go by then.
    commandTimeout: 2 * commandTimeoutMs,
    connectTimeout: 2000,
    keepAlive: 10_000,
    disableClientInfo: true,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
  } satisfies RedisOptions;
  const retry = (times: number) => Math.min(50 * times, 500);

  if (urls.length > 1) {
    const first = new URL(urls[0] ?? '');
    const secure = first.protocol === 'rediss:';
    return new Cluster(
      urls.map((each) => (each.includes('://') ? each : `${first.protocol}//${each}`)),
      {
        enableOfflineQueue: false,
        clusterRetryStrategy: retry,
        // A request has no time to wait for another try.
        maxRedirections: 4,
        retryDelayOnFailover: 0,
        retryDelayOnClusterDown: 0,
        // A certificate names hosts, not addresses.
        ...(secure && { dnsLookup: (name, done) => done(null, name) }),
        redisOptions: {
          ...common,
          ...(first.username && { username: decodeURIComponent(first.username) }),
          ...(first.password && { password: decodeURIComponent(first.password) }),
          ...(secure && { tls: {} }),
        },
      },
    );
  }
  return new Redis(urls[0] ?? '', {
    ...common,
    enableOfflineQueue: false,
    // One write for what several requests ask in the same turn. Not in a cluster: there a MOVED amid other answers is
    // handed to its caller instead of being followed, and the map of slots is not renewed.
    enableAutoPipelining: true,
    retryStrategy: retry,
    // After a failover the same name may lead to the new master.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  });
}
