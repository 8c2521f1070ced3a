import { setTimeout as pause } from 'node:timers/promises';
import {
  createPasskeyVerifier,
  createReceiptKey,
  createReceiptSigner,
  createSecrets,
  createSignInMonitor,
  sha256,
} from '@svc/adapter-credentials';
import { createEdgeLimiter, createMemoryRateLimiter, networkOf } from '@svc/adapter-memory';
import {
  backUp,
  type CopiedRows,
  connect,
  type DatabaseUrl,
  distribute,
  EncryptionKeyError,
  migrate,
  type NamedMigration,
  type PostgresStores,
  type RoleRights,
  reportServers,
  restoreBackup,
  roleRights,
  SchemaError,
  type SchemaState,
  schemaState,
  type TablePlacement,
} from '@svc/adapter-postgres';
import { createPrometheusMetrics, type PrometheusMetrics } from '@svc/adapter-prometheus';
import { connectRedis, reportNodes } from '@svc/adapter-redis';
import {
  type AuditCaller,
  BY_SERVICE,
  type Clock,
  type Firm,
  NO_METRICS,
  NO_USED_KEYS,
  type Operator,
  type ReplicationState,
  recordAction,
  SERVICE_CHAIN,
  Unavailable,
} from '@svc/application';
import { type AuditAction, DAY, MINUTE } from '@svc/domain';
import { v7 as uuidV7 } from 'uuid';
import { type Config, ConfigError, decodeKey } from '../config.ts';
import type { DocsAddresses } from '../http/docs/files.ts';
import { createConcurrencyLimit } from '../http/limits/concurrency-limit.ts';
import { createStreamLimit } from '../http/limits/stream-limit.ts';
import type { SessionLimiter } from '../http/pipeline/request-pipeline.ts';
import type { Observe } from '../http/request-log.ts';
import { createCursors } from '../http/serialization/cursor.ts';
import { createStatusMonitor } from '../http/status/status.ts';
import type { Log } from '../logging.ts';
import { createContainer, type Services } from './container.ts';
import { keptFile } from './kept-file.ts';
import { createNotifications } from './notifications.ts';
import type { ExternalServices } from './services.ts';
import { type Tracing, tracedPorts } from './tracing.ts';

/** How long a ping of the database is reused. */
const PING_CACHE_MS = 250;
const PING_TIMEOUT_MS = 900;
/** How often the status is observed while nobody asks for it: the precision of its times. */
const STATUS_INTERVAL_MS = 1000;
/** Beyond it, a process is not ready. It stamps with the time of the database, but its machine is set up wrongly. */
const MAX_CLOCK_DIFFERENCE_MS = MINUTE;
const REDIS_CONNECT_WAIT_MS = 1000;
/** Shorter than a request's deadline; a wait for a lock leaves time for the work. */
const STATEMENT_TIMEOUT_MS = 4000;
const LOCK_TIMEOUT_MS = 3000;
/** More than keep a core busy, also with a millisecond of network to each database. */
const READ_PERMITS = 40;
/** One runs on each connection; the others are ready when it becomes free. */
const WRITE_PERMITS_PER_CONNECTION = 4;

interface Application {
  readonly services: Services;
  /** Runs jobs from the queue until stopped; stopping waits for running jobs. */
  startJobs(): { stop(): Promise<void> };
  close(): Promise<void>;
}

interface ComposeOptions {
  readonly config: Config;
  readonly databaseUrl: DatabaseUrl;
  readonly log: Log;
  readonly addresses: DocsAddresses;
  /** Default: it never drains. */
  readonly isDraining?: () => boolean;
  readonly observe?: Observe;
  /** Default: unlimited. */
  readonly maxConnections?: number | undefined;
  /** Whom the operator's commands are recorded for. */
  readonly operator?: Operator | undefined;
  /** The time; default: that of the database. */
  readonly clock?: Clock | undefined;
  /** Compared with it; default: the system clock. */
  readonly processClock?: Clock | undefined;
  readonly metrics?: CollectedMetrics | undefined;
  readonly tracing?: Tracing | null;
  /** Ports that tests put in the place of others. */
  readonly replacePorts?: (ports: ExternalServices) => Partial<ExternalServices>;
}

export { sha256 } from '@svc/adapter-credentials';

export type CollectedMetrics = PrometheusMetrics;
export const createMetrics = createPrometheusMetrics;

const reportOverload =
  (log: Log, requests: string) =>
  ({ isOver, rejected }: { readonly isOver: boolean; readonly rejected: number }): void => {
    if (isOver) log.warn('overload ended', { requests, rejected });
    else log.warn('more requests arrive than can be processed: some are rejected', { requests });
  };

/** Connects to the databases and creates all services. The schema must exist. */
export async function compose(options: ComposeOptions): Promise<Application> {
  const {
    config,
    databaseUrl,
    log,
    addresses,
    isDraining = () => false,
    observe = () => {},
    metrics,
    tracing = null,
    replacePorts = () => ({}),
  } = options;
  const stores = await connect({
    url: databaseUrl,
    poolMax: config.dbPoolMax,
    log,
    clock: options.clock,
    processClock: options.processClock,
    encryption: config.encryption,
    closedClaimRetentionMs:
      config.closedClaimRetentionDays === null ? null : config.closedClaimRetentionDays * DAY,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    lockTimeoutMs: LOCK_TIMEOUT_MS,
    idleInTransactionTimeoutMs: STATEMENT_TIMEOUT_MS,
    metrics,
  });
  await stores.checkEncryptionKeys().catch(async (error: unknown) => {
    await stores.close();
    throw error instanceof EncryptionKeyError ? new ConfigError(error.message) : error;
  });
  const { clock } = stores;
  const inProcess = { rateLimiter: createMemoryRateLimiter({ clock }) };
  const redis =
    config.redisUrls.length === 0
      ? null
      : connectRedis({ ...redisAddress(config), log, fallback: inProcess });
  // Until Redis is connected, requests are counted per process, so wait briefly.
  for (let waited = 0; redis?.state().status === 'down' && waited < REDIS_CONNECT_WAIT_MS; waited += 10)
    await pause(10);
  const { rateLimiter, usedKeys } = redis ?? { ...inProcess, usedKeys: NO_USED_KEYS };
  const pingDatabase = createDatabasePing(stores);
  const status = createStatusMonitor({
    checks: {
      api: async () => !isDraining(),
      database: () => pingDatabase().then(() => true),
      ...(redis !== null && { redis: async () => redis.state().status === 'up' }),
    },
    async latestRestore() {
      const restamp = await stores.operatorReads.latestRestamp();
      return restamp === null ? null : { to: restamp.since, at: restamp.startedAt };
    },
    now: clock.now,
  });
  metrics?.watch({
    ...stores.metricSources,
    dependencies: async () => (await status.observe()).parts.filter(({ name }) => name !== 'api'),
    redis: () => redis?.state() ?? null,
    clockAheadSeconds: () => stores.clockAheadMs() / 1000,
  });
  const edgeLimiter = createEdgeLimiter({ perMinute: config.edgeLimitPerMinute, clock });
  const clockProblem = createClockProblem(stores, log);
  const statusTimer = setInterval(() => {
    void status.observe();
    clockProblem();
  }, STATUS_INTERVAL_MS).unref();
  const external: ExternalServices = {
    log,
    addresses,
    trustProxy: config.trustProxy,
    status,
    async checkHealth() {
      if (isDraining()) throw new Unavailable('the service is shutting down', 'draining');
      await pingDatabase();
      const problem = clockProblem();
      if (problem !== null) throw new Unavailable(problem, 'clock');
    },
    isDraining,
    readLimit: createConcurrencyLimit({ permits: READ_PERMITS, changed: reportOverload(log, 'reads') }),
    writeLimit: createConcurrencyLimit({
      permits: WRITE_PERMITS_PER_CONNECTION * config.dbPoolMax,
      changed: reportOverload(log, 'writes'),
    }),
    streamLimit: createStreamLimit({
      maxConnections: options.maxConnections,
      onFull: (max) => log.warn('no further live updates are opened: pages poll', { max_streams: max }),
    }),
    observe,
    ...stores,
    rateLimiter,
    usedKeys,
    edgeLimiter: {
      allow(address: string) {
        const allowed = edgeLimiter.allow(address);
        if (!allowed) metrics?.addressLimited();
        return allowed;
      },
    },
    metrics: metrics ?? NO_METRICS,
    ...createNotifications({ config, stores, log, addresses, metrics: metrics ?? NO_METRICS }),
    receiptSigner: createReceiptSigner({ privateKey: receiptKeyOf(config, log), keys: stores.receiptKeys }),
    passkeyVerifier: createPasskeyVerifier(addresses),
    passkeysRequired: config.passkeysRequired,
    sessionLimiter: createSessionLimiter(config.sessionLimitPerMinute, clock),
    sessionMaxAgeMs: config.sessionMaxDays * DAY,
    operator: options.operator ?? { name: 'service' },
    ids: { next: () => uuidV7() },
    cursors: createCursors(await stores.serviceSecret('cursor_signing')),
    signInMonitor: createSignInMonitor({ log, clock, metrics: metrics ?? NO_METRICS }),
    sha256,
    secrets: createSecrets(await stores.serviceSecret('sign_in_code_hashing')),
    networkOf,
    tracing,
    pause,
  };
  const services = createContainer({
    ...external,
    ...(tracing !== null && tracedPorts(tracing, external, redis !== null)),
    ...replacePorts(external),
  });
  return {
    services,
    startJobs() {
      const run = services.runJob;
      return stores.startJobs(tracing === null ? run : tracing.jobs(run));
    },
    async close() {
      clearInterval(statusTimer);
      await services.auditBuffer.flush();
      await services.offerBuffer.flush();
      await redis?.close();
      await stores.close();
    },
  };
}

/** Why the clock of the process is wrong, or null; the log says when that changes. */
function createClockProblem({ clockAheadMs }: PostgresStores, log: Log): () => string | null {
  let wasWrong = false;
  return () => {
    const aheadMs = clockAheadMs();
    const isWrong = Math.abs(aheadMs) > MAX_CLOCK_DIFFERENCE_MS;
    const seconds = Math.round(Math.abs(aheadMs) / 1000);
    const difference = `The clock of this machine is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} that of the database.`;
    if (isWrong && !wasWrong)
      log.error('not ready: the clock of this machine is wrong', { clock_ahead_ms: Math.round(aheadMs) });
    if (!isWrong && wasWrong) log.info('the clock of this machine is right again');
    wasWrong = isWrong;
    return isWrong ? difference : null;
  };
}

/** Other processes may have other keys: all public ones are in the database. */
const receiptKeyOf =
  ({ receiptKey, dataDir }: Config, log: Log): (() => Uint8Array) =>
  () => {
    if (receiptKey !== null) return receiptKey;
    try {
      return decodeKey('receipt-key in DATA_DIR', keptFile(dataDir, 'receipt-key', createReceiptKey));
    } catch (error) {
      log.error('receipts need RECEIPT_KEY or a writable DATA_DIR', { error: (error as Error).message });
      throw new Unavailable('No key for receipts is available.');
    }
  };

/** In this process only: a session has few devices behind it, and each request would cost a round trip. */
function createSessionLimiter(perMinute: number, clock: Clock): SessionLimiter {
  const limiter = createMemoryRateLimiter({ clock });
  const limits = {
    requestsPerMinute: perMinute,
    writesPerMinute: perMinute,
    burst: Math.max(1, Math.ceil(perMinute / 3)),
  };
  return async (sessionId) =>
    perMinute === 0 ? { allowed: true } : limiter.consume(sessionId, limits, { write: false });
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
export async function migrateDatabase(
  url: DatabaseUrl,
  log: Log,
  {
    migrationUrl = url,
    variable = migrationUrl === url ? 'DATABASE_URL' : 'MIGRATION_DATABASE_URL',
    caller = BY_SERVICE,
  }: {
    readonly migrationUrl?: DatabaseUrl | undefined;
    readonly variable?: string;
    /** Whom the audit trail names. */
    readonly caller?: AuditCaller;
  } = {},
): Promise<readonly NamedMigration[]> {
  const applied = await migrate({
    url: migrationUrl,
    log,
    ...(migrationUrl !== url && { serviceUrl: url }),
  }).catch((error: Error) => {
    if (error instanceof SchemaError) throw error;
    const text = typeof migrationUrl === 'string' ? migrationUrl : migrationUrl();
    // Without the password, which may contain `@`, and the parameters; several hosts are no URL for the parser.
    const where = text
      .replace(/^[a-z]+:\/\//i, '')
      .replace(/\?.*$/, '')
      .replace(/:[^/]*@/, '@');
    throw new Error(`${error.message} ${variable} points to ${where}.`, { cause: error });
  });
  for (const { id } of applied)
    await recordDatabaseAction(url, log, caller, 'database.migrate', `migration:${id}`);
  return applied;
}

/** Records an action on the whole database, which belongs to no firm. Needs no encryption key. */
export const recordDatabaseAction = (
  url: DatabaseUrl,
  log: Log,
  caller: AuditCaller,
  action: AuditAction,
  object: string | null = null,
): Promise<void> =>
  withStores({ url, log }, ({ unitOfWork, clock }) =>
    unitOfWork.run((tx) => recordAction(tx, SERVICE_CHAIN, caller, { at: clock.now(), action, object })),
  );

export type { DatabaseUrl, NamedMigration, RoleRights, SchemaState, TablePlacement };
export const readSchemaState = (url: DatabaseUrl) => schemaState({ url });
export const distributeDatabase = (url: DatabaseUrl) => distribute({ url });
export {
  backUp as backUpDatabase,
  type CopiedRows,
  restoreBackup as restoreDatabase,
  roleRights as readRoleRights,
};

/** Connects for one question, without composing the service. */
async function withStores<T>(
  options: Pick<Parameters<typeof connect>[0], 'url' | 'log' | 'encryption'>,
  ask: (stores: PostgresStores) => Promise<T>,
): Promise<T> {
  const stores = await connect({ ...options, poolMax: 1 });
  try {
    return await ask(stores);
  } finally {
    await stores.close();
  }
}

/** Whether the database responds. */
export const probeDatabase = (url: DatabaseUrl, log: Log): Promise<void> =>
  withStores({ url, log }, (stores) => stores.ping(2000));

const redisAddress = ({ redisUrls, rereadRedisUrls }: Config) => ({
  url: redisUrls.join(','),
  readUrl: rereadRedisUrls === null ? undefined : () => rereadRedisUrls().join(','),
});

/** What is wrong with each server of PostgreSQL and each node of Redis. */
export { reportNodes, reportServers };

/** @throws EncryptionKeyError when data in the database is encrypted with a key that is not configured. */
export const probeEncryption = ({ encryption }: Config, url: DatabaseUrl, log: Log): Promise<void> =>
  withStores({ url, log, encryption }, (stores) => stores.checkEncryptionKeys());

/** Null where the role may not see it. */
export const readReplication = (url: DatabaseUrl, log: Log): Promise<ReplicationState | null> =>
  withStores({ url, log }, (stores) => stores.metricSources.replication());

/** How far the clock of this machine is ahead of that of the database. */
export const readClockAheadMs = (url: DatabaseUrl, log: Log): Promise<number> =>
  withStores({ url, log }, async (stores) => stores.clockAheadMs());

export const readFirms = (url: DatabaseUrl, log: Log): Promise<readonly Firm[]> =>
  withStores({ url, log }, (stores) => stores.operatorReads.firms());

/** Whether the service would use Redis. */
export async function probeRedis(config: Config, log: Log): Promise<boolean> {
  const fallback = { rateLimiter: createMemoryRateLimiter({ clock: { now: Date.now } }) };
  const redis = connectRedis({ url: config.redisUrls.join(','), log, fallback });
  try {
    for (let waited = 0; waited < 2000 && redis.state().status !== 'up'; waited += 50) await pause(50);
    return redis.state().status === 'up';
  } finally {
    await redis.close();
  }
}
