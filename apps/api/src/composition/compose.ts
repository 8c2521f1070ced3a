import { setTimeout as pause } from 'node:timers/promises';
import {
  createPasskeyVerifier,
  createReceiptSigner,
  createSecrets,
  createSignInMonitor,
  sha256,
} from '@svc/adapter-credentials';
import { createEdgeLimiter, createMemoryRateLimiter, networkOf } from '@svc/adapter-memory';
import { connect, type DatabaseUrl, EncryptionKeyError } from '@svc/adapter-postgres';
import { createPrometheusMetrics, type PrometheusMetrics } from '@svc/adapter-prometheus';
import { type AuditCaller, byOperator, type Clock, NO_METRICS, NO_USED_KEYS } from '@svc/application';
import { DAY } from '@svc/domain';
import { v7 as uuidV7 } from 'uuid';
import { type Config, ConfigError } from '../config.ts';
import type { DocsAddresses } from '../http/docs/files.ts';
import { createConcurrencyLimit } from '../http/limits/concurrency-limit.ts';
import { createStreamLimit } from '../http/limits/stream-limit.ts';
import type { Observe } from '../http/request-log.ts';
import { createCursors } from '../http/serialization/cursor.ts';
import type { Log } from '../logging.ts';
import { createSessionLimiter } from './accounts.ts';
import { receiptKeyOf } from './claims.ts';
import { createContainer, type Services } from './container.ts';
import { createHealth } from './health.ts';
import { createNotifications } from './notifications.ts';
import { openRedis } from './redis.ts';
import type { ExternalServices } from './services.ts';
import { type Tracing, tracedPorts } from './tracing.ts';

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
  readonly operator?: AuditCaller | undefined;
  /** The time; default: that of the database. */
  readonly clock?: Clock | undefined;
  readonly metrics?: CollectedMetrics | undefined;
  readonly tracing?: Tracing | null;
  /** Opens the stores; default: on PostgreSQL. */
  readonly connectTo?: typeof connect;
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
    connectTo = connect,
    replacePorts = () => ({}),
  } = options;
  const stores = await connectTo({
    url: databaseUrl,
    poolMax: config.dbPoolMax,
    log,
    clock: options.clock,
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
  const redis = await openRedis(config, log, clock);
  const { rateLimiter, usedKeys } = redis ?? {
    rateLimiter: createMemoryRateLimiter({ clock }),
    usedKeys: NO_USED_KEYS,
  };
  const health = createHealth({ stores, redis, isDraining, log });
  const { status } = health;
  metrics?.watch({
    ...stores.metricSources,
    dependencies: async () => (await status.observe()).parts.filter(({ name }) => name !== 'api'),
    redis: () => redis?.state() ?? null,
    clockAheadSeconds: () => stores.clockAheadMs() / 1000,
  });
  const edgeLimiter = createEdgeLimiter({ perMinute: config.edgeLimitPerMinute, clock });
  const external: ExternalServices = {
    log,
    addresses,
    trustProxy: config.trustProxy,
    status,
    checkHealth: health.check,
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
    operator: options.operator ?? byOperator('service'),
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
      health.stop();
      await services.auditBuffer.flush();
      await services.offerBuffer.flush();
      await redis?.close();
      await stores.close();
    },
  };
}
