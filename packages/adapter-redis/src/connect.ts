import { type Clock, type RateLimiter, tlsProblem, type UsedKeys } from '@svc/application';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import type { RedisLog, RedisState } from './breaker.ts';
import { createRedisRateLimiter } from './rate-limiter.ts';
import { createStore } from './store.ts';
import { createRedisUsedKeys } from './used-keys.ts';

export interface RedisSettings {
  /** `redis://…` or `rediss://…`; several, separated by commas, for Redis Cluster. */
  readonly url: string;
  /** Reads it again before a reconnect: the password may have changed. */
  readonly readUrl?: (() => string) | undefined;
  /** How long a command may take before Redis counts as unavailable for all requests. */
  readonly commandTimeoutMs?: number;
  /** For a Redis that is shared with other applications. */
  readonly keyPrefix?: string;
  readonly log: RedisLog;
  /** Used while Redis is unavailable. */
  readonly fallback: { readonly rateLimiter: RateLimiter };
  /** For tests: replaces Redis' clock. */
  readonly clock?: Clock;
}

export interface RedisConnection {
  readonly rateLimiter: RateLimiter;
  readonly usedKeys: UsedKeys;
  state(): RedisState;
  /** Waits for pending writes, then disconnects. Afterwards the fallback is used. */
  close(): Promise<void>;
}

/** Connects in the background. The fallback is used until Redis replies and whenever it is unavailable. */
export function connectRedis(settings: RedisSettings): RedisConnection {
  const { commandTimeoutMs = 50, keyPrefix = 'svc:', log, fallback, clock } = settings;
  const client = createClient(settings.url, settings.readUrl);
  let reported: string | null = null;
  client.on('error', (error) => {
    const problem = tlsProblem(error);
    // ioredis connects again and again; the breaker reports outages, and this is none.
    if (problem !== null && problem !== reported) log.warn(`Could not connect to Redis: ${problem}`);
    reported = problem;
  });
  const store = createStore({ client, keyPrefix, commandTimeoutMs, log, clock });
  return {
    rateLimiter: createRedisRateLimiter({ store, fallback: fallback.rateLimiter }),
    usedKeys: createRedisUsedKeys(store),
    state: store.state,
    close: store.close,
  };
}

export function createClient(url: string, readUrl: (() => string) | undefined): Redis | Cluster {
  const urls = url.split(',').map((each) => each.trim());
  const common = {
    connectTimeout: 2000,
    keepAlive: 10_000,
    disableClientInfo: true,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
  } satisfies RedisOptions;
  /** ioredis reads the credentials from its options whenever it connects. */
  let credentials: Credentials = {};
  const retryDelayMs = (times: number) => {
    if (readUrl !== undefined) Object.assign(credentials, credentialsIn(readUrl()));
    return Math.min(50 * times, 500);
  };

  if (urls.length > 1) {
    const first = new URL(urls[0] ?? '');
    const secure = first.protocol === 'rediss:';
    const cluster = new Cluster(
      urls.map((each) => withoutCredentials(each.includes('://') ? each : `${first.protocol}//${each}`)),
      {
        enableOfflineQueue: false,
        clusterRetryStrategy: retryDelayMs,
        // The command timeout leaves no time for retries.
        maxRedirections: 4,
        retryDelayOnFailover: 0,
        retryDelayOnClusterDown: 0,
        // A certificate names hosts, not addresses.
        ...(secure && { dnsLookup: (name, done) => done(null, name) }),
        redisOptions: {
          ...common,
          ...credentialsIn(url),
          ...(secure && { tls: {} }),
        },
      },
    );
    credentials = cluster.options.redisOptions ?? {};
    return cluster;
  }
  const redis = new Redis(urls[0] ?? '', {
    ...common,
    enableOfflineQueue: false,
    retryStrategy: retryDelayMs,
  });
  credentials = redis.options;
  return redis;
}

type Credentials = Pick<RedisOptions, 'username' | 'password'>;

/** ioredis would prefer the credentials of a URL to those of the options, which are kept current. */
function withoutCredentials(url: string): string {
  const node = new URL(url);
  node.username = '';
  node.password = '';
  return node.href;
}

/** Of the first node; those of a cluster have the same. */
function credentialsIn(urls: string): { username?: string; password?: string } {
  const { username, password } = new URL(urls.split(',')[0]?.trim() ?? '');
  return {
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
  };
}
