import { setTimeout as pause } from 'node:timers/promises';
import {
  createEdgeLimiter,
  createMemoryRateLimiter,
  createMemorySingleFlight,
  networkOf,
} from '@svc/adapter-memory';
import {
  connect,
  EncryptionKeyError,
  migrate,
  type PostgresStores,
  type SchemaState,
  schemaState,
} from '@svc/adapter-postgres';
import { createPrometheusMetrics, type PrometheusMetrics } from '@svc/adapter-prometheus';
import { connectRedis } from '@svc/adapter-redis';
import { type Clock, type Job, type Operator, Unavailable } from '@svc/application';
import { DAY } from '@svc/domain';
import { v7 as uuidV7 } from 'uuid';
import { type Config, ConfigError } from '../config.ts';
import type { Observe } from '../http/app.ts';
import type { DocsAddresses } from '../http/docs/files.ts';
import { createCursors } from '../http/serialization/cursor.ts';
import { createStatusMonitor } from '../http/status/status.ts';
import type { Log } from '../logging.ts';
import { createContainer } from './container.ts';
import { createNotifications } from './notifications.ts';
import { createSecrets } from './secrets.ts';
import { type Services, TOKENS } from './tokens.ts';

/** How long a ping of the database is reused. */
const PING_CACHE_MS = 250;
const PING_TIMEOUT_MS = 900;
/** How often the status is observed while nobody asks for it: the precision of its times. */
const STATUS_INTERVAL_MS = 1000;
const REDIS_CONNECT_WAIT_MS = 1000;
/** Shorter than a request's deadline; a wait for a lock leaves time for the work. */
const STATEMENT_TIMEOUT_MS = 4000;
const LOCK_TIMEOUT_MS = 3000;

interface Application {
  readonly services: Services;
  /** Runs jobs from the queue until stopped; stopping waits for running jobs. */
  startJobs(run: (job: Job) => Promise<void>): { stop(): Promise<void> };
  close(): Promise<void>;
}

interface Environment {
  readonly config: Config;
  readonly databaseUrl: string;
  readonly log: Log;
  readonly addresses: DocsAddresses;
  readonly isDraining: () => boolean;
  readonly observe: Observe;
  /** Whom the operator's commands are recorded for. */
  readonly operator?: Operator | undefined;
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
  readonly metrics?: CollectedMetrics | undefined;
}

export type CollectedMetrics = PrometheusMetrics;
export const createMetrics = createPrometheusMetrics;

const systemClock: Clock = { now: Date.now };

/** Rate limits and single flight within this process. */
const inProcess = (clock: Clock) => ({
  rateLimiter: createMemoryRateLimiter({ clock }),
  singleFlight: createMemorySingleFlight(),
});

/** Connects to the databases and creates all services. The schema must exist. */
export async function compose(environment: Environment): Promise<Application> {
  const {
    config,
    databaseUrl,
    log,
    addresses,
    isDraining,
    observe,
    clock = systemClock,
    metrics,
  } = environment;
  const stores = await connect({
    url: databaseUrl,
    poolMax: config.dbPoolMax,
    log,
    clock,
    encryption: config.encryption,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    lockTimeoutMs: LOCK_TIMEOUT_MS,
    idleInTransactionTimeoutMs: STATEMENT_TIMEOUT_MS,
    metrics,
  });
  await stores.checkEncryptionKeys().catch(async (error: unknown) => {
    await stores.close();
    throw error instanceof EncryptionKeyError ? new ConfigError(error.message) : error;
  });
  const redis =
    config.redisUrls.length === 0
      ? null
      : connectRedis({ url: config.redisUrls.join(','), log, fallback: inProcess(clock) });
  // Until Redis is connected, requests are counted per process, so wait briefly.
  for (let waited = 0; redis?.state().status === 'down' && waited < REDIS_CONNECT_WAIT_MS; waited += 10)
    await pause(10);
  const { rateLimiter, singleFlight } = redis ?? inProcess(clock);
  const pingDatabase = createDatabasePing(stores);
  const status = createStatusMonitor({
    checks: {
      api: async () => !isDraining(),
      database: () => pingDatabase().then(() => true),
      ...(redis !== null && { redis: async () => redis.state().status === 'up' }),
    },
    now: clock.now,
  });
  metrics?.watch({
    ...stores.metricSources,
    dependencies: async () => (await status.check()).parts.filter(({ name }) => name !== 'api'),
    redis: () => redis?.state() ?? null,
  });
  const edgeLimiter = createEdgeLimiter({ perMinute: config.edgeLimitPerMinute, clock });
  const statusTimer = setInterval(() => void status.check(), STATUS_INTERVAL_MS).unref();
  const services = createContainer({
    log,
    clock,
    addresses,
    trustProxy: config.trustProxy,
    status,
    async checkHealth() {
      if (isDraining()) throw new Unavailable('the service is shutting down', 'draining');
      await pingDatabase();
    },
    isDraining,
    observe,
    ...stores,
    rateLimiter,
    singleFlight,
    edgeLimiter: {
      allow(address: string) {
        const allowed = edgeLimiter.allow(address);
        if (!allowed) metrics?.addressLimited();
        return allowed;
      },
    },
    ...createNotifications({ config, stores, log, addresses }),
    sessionMaxAgeMs: config.sessionMaxDays * DAY,
    operator: environment.operator ?? { name: 'service' },
    ids: { next: () => uuidV7() },
    cursors: createCursors(await stores.serviceSecret('cursor_signing')),
    secrets: createSecrets(await stores.serviceSecret('sign_in_code_hashing')),
    networkOf,
  });
  return {
    services,
    startJobs: (run) => stores.startJobs(run),
    async close() {
      clearInterval(statusTimer);
      await services.get(TOKENS.auditBatch).flush();
      await redis?.close();
      await stores.close();
    },
  };
}

/** Pings the database at most four times a second, for `/v1/health` and `/status` together: clients poll both. */
function createDatabasePing(stores: PostgresStores): () => Promise<void> {
  let ping: Promise<void> = Promise.resolve();
  let pingedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (now - pingedAt > PING_CACHE_MS) {
      pingedAt = now;
      ping = stores.ping(PING_TIMEOUT_MS);
      ping.catch(() => {}); // each caller awaits it
    }
    return ping;
  };
}

/**
 * Brings the schema up to date; safe when several processes do so at once. The start connects here first, so the error
 * names the database.
 */
export const migrateDatabase = (url: string, log: Log): Promise<void> =>
  migrate({ url, log }).catch((error: Error) => {
    const { username, host, pathname } = new URL(url);
    const where = `${username && `${username}@`}${host}${pathname}`;
    throw new Error(`${error.message} DATABASE_URL points to ${where}.`, { cause: error });
  });

export type { SchemaState };
export const readSchemaState = (url: string) => schemaState({ url });

/** Whether the database responds. */
export async function probeDatabase(url: string, log: Log): Promise<void> {
  const stores = await connect({ url, poolMax: 1, log });
  try {
    await stores.ping(2000);
  } finally {
    await stores.close();
  }
}

/** Whether Redis responds; null when none is configured. */
export async function probeRedis(config: Config, log: Log): Promise<boolean | null> {
  if (config.redisUrls.length === 0) return null;
  const redis = connectRedis({ url: config.redisUrls.join(','), log, fallback: inProcess(systemClock) });
  try {
    for (let waited = 0; waited < 2000 && redis.state().status !== 'up'; waited += 50) await pause(50);
    return redis.state().status === 'up';
  } finally {
    await redis.close();
  }
}
