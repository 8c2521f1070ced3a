import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type Clock,
  createWriteBuffer,
  type LoggedRequest,
  Unavailable,
  type WriteBuffer,
} from '@svc/application';
import { type CollectedMetrics, compose, createMetrics } from './composition/compose.ts';
import type { Services } from './composition/container.ts';
import { type DatabaseUrl, migrateDatabase } from './composition/database.ts';
import { startWebhooks } from './composition/start-webhooks.ts';
import { startTracing, tracedLog } from './composition/tracing.ts';
import { type Config, ConfigError, supportEmailOf } from './config.ts';
import type { DocsAddresses } from './http/docs/files.ts';
import { createHttpServer } from './http/http-server.ts';
import { loggedRequest, type Observe } from './http/request-log.ts';
import { listen } from './listen.ts';
import type { Log } from './logging.ts';
import { startOperationsServer } from './operations-server.ts';

/** How often the last use of keys and sessions is saved. */
const SAVE_LAST_USE_INTERVAL_MS = 30_000;
/** Several seconds of requests at full load; they take 250 bytes each. */
const REQUEST_LOG_CAPACITY = 50_000;
/** How often new requests are written to the request log, and events that belong to no transaction to the audit trail. */
const WRITE_BATCHES_INTERVAL_MS = 1000;

export interface Service {
  /** The address on which it listens; `BASE_URL` may differ. */
  readonly url: string;
  readonly port: number;
  /** Null without METRICS_PORT. The probes `/live` and `/ready` are on the same port. */
  readonly metricsUrl: string | null;
  readonly services: Services;
  /**
   * Health turns 503 at once. New requests are served for another `lingerMs`, so that load balancers notice; then
   * requests in flight finish and everything is closed. SHUTDOWN_GRACE_MS bounds the whole wait.
   */
  stop(lingerMs?: number): Promise<void>;
}

/** Serves metrics and probes, then migrates the schema, composes the service and listens. */
export async function startService(
  config: Config,
  databaseUrl: DatabaseUrl,
  log: Log,
  clock?: Clock,
  parts: Parts = { migrateDatabase, compose },
): Promise<Service> {
  const { metricsPort, host } = config;
  if (metricsPort === null) return startApi({ config, databaseUrl, log, clock, parts });
  const metrics = createMetrics();
  let checkReady = (): Promise<void> => Promise.reject(new Unavailable('The service is starting.'));
  // First, so that a long migration is not taken for a process that hangs.
  const operations = await startOperationsServer(
    { checkReady: () => checkReady(), metrics },
    metricsPort,
    host,
  ).catch((error: unknown) => {
    throw listenError(error, 'METRICS_PORT', config);
  });
  try {
    const api = await startApi({ config, databaseUrl, log, clock, metrics, parts });
    checkReady = api.services.checkHealth;
    return {
      ...api,
      metricsUrl: `${urlOf(host, operations.port)}/metrics`,
      async stop(lingerMs) {
        await api.stop(lingerMs);
        await operations.close();
      },
    };
  } catch (error) {
    await operations.close();
    throw error;
  }
}

/** What a service is made of. */
interface Parts {
  readonly migrateDatabase: typeof migrateDatabase;
  readonly compose: typeof compose;
}

interface ApiOptions {
  readonly config: Config;
  readonly databaseUrl: DatabaseUrl;
  readonly log: Log;
  /** As for `compose`. */
  readonly clock?: Clock | undefined;
  readonly metrics?: CollectedMetrics;
  readonly parts: Parts;
}

async function startApi({
  config,
  databaseUrl,
  log: plainLog,
  clock,
  metrics,
  parts: { migrateDatabase, compose },
}: ApiOptions): Promise<Service> {
  const tracing = config.tracing === null ? null : await startTracing(config.tracing, plainLog);
  const log = tracing === null ? plainLog : tracedLog(plainLog, tracing);
  await migrateDatabase(databaseUrl, log, { migrationUrl: config.migrationDatabaseUrl ?? databaseUrl });

  let draining = false;
  const addresses: Mutable<DocsAddresses> = { baseUrl: '', docsUrl: '', supportEmail: '' };
  /** Created after its store. */
  let requestBuffer: WriteBuffer<LoggedRequest> | undefined;
  const observe: Observe = (request) => {
    const { route, status, seconds, isStream, trace } = request;
    const { code: problem, unavailable } = trace;
    metrics?.requestCompleted({
      ...{ route, status, unavailable, code: problem },
      seconds: isStream ? null : seconds,
    });
    tracing?.requestEnded({ route, status, code: trace.code });
    const logged = loggedRequest(request, now());
    if (logged !== null) requestBuffer?.add(logged);
  };
  const maxConnections = maxConnectionsOf(config.dbPoolMax);
  const composed = await compose({
    config,
    databaseUrl,
    log,
    addresses,
    maxConnections,
    isDraining: () => draining,
    observe,
    clock,
    metrics,
    tracing,
  });
  const { services } = composed;
  const { now } = services.clock;
  requestBuffer = createWriteBuffer({
    keyOf: ({ firmId }) => firmId,
    capacity: REQUEST_LOG_CAPACITY,
    store: services.requestLog,
    onDropped: (count) => log.warn('requests were dropped from the request log', { dropped: count }),
  });
  const { headersTimeoutMs, requestTimeoutMs, responseTimeoutMs } = config;
  const server = createHttpServer(services.httpApplication, {
    headersTimeoutMs,
    requestTimeoutMs,
    responseTimeoutMs,
    maxConnections,
    addresses,
    log,
  });
  try {
    await listen(server, config.port, config.host);
  } catch (error) {
    await composed.close();
    throw listenError(error, 'PORT', config);
  }
  const { port } = server.address() as AddressInfo;
  const url = urlOf(config.host, port);
  addresses.baseUrl = config.baseUrl ?? url;
  addresses.docsUrl = config.docsUrl ?? `${addresses.baseUrl}/docs`;
  addresses.supportEmail = supportEmailOf(config, addresses.baseUrl);

  const jobs = composed.startJobs();
  const webhooks = startWebhooks(services.webhookDeliveries, log);
  const saveLastUse = async (): Promise<void> => {
    const keys = services.apiKeyAuthenticator.takeUses();
    const sessions = services.sessionAuthenticator.takeUses();
    if (keys.size === 0 && sessions.size === 0) return;
    await services.credentials.recordUse({ keys, sessions });
  };
  // A lost batch makes "last used" half a minute older; a failing database is reported elsewhere.
  const lastUseTimer = setInterval(
    () => void saveLastUse().catch(() => {}),
    SAVE_LAST_USE_INTERVAL_MS,
  ).unref();
  const auditBuffer = services.auditBuffer;
  const offerBuffer = services.offerBuffer;
  // Alternately: writing either delays requests, and the delays must not add up.
  let writesAudit = false;
  const batchTimer = setInterval(() => {
    writesAudit = !writesAudit;
    void (writesAudit ? auditBuffer : requestBuffer)?.flush();
    if (!writesAudit) void offerBuffer.flush();
  }, WRITE_BATCHES_INTERVAL_MS / 2).unref();

  return {
    url,
    port,
    metricsUrl: null,
    services,
    async stop(lingerMs = 0) {
      draining = true;
      clearInterval(lastUseTimer);
      clearInterval(batchTimer);
      await drain(server, lingerMs, config.shutdownGraceMs);
      await Promise.all([jobs.stop(), webhooks.stop()]);
      await saveLastUse().catch(() => {});
      await requestBuffer?.flush();
      await composed.close();
      await tracing?.stop();
    },
  };
}

/** For log, libraries, Redis, push services, mail and the webhooks of firms. */
const OTHER_FILES = 350;

/** As many as the limit of open files allows. At the limit itself, connections would end without a line in the log. */
function maxConnectionsOf(dbPoolMax: number): number | undefined {
  let limits = '';
  try {
    limits = readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return undefined; // not on Linux
  }
  const files = /^Max open files +(\d+)/m.exec(limits)?.[1];
  return files === undefined ? undefined : Math.max(1, Number(files) - 2 * dbPoolMax - OTHER_FILES);
}

const urlOf = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** A ConfigError that names the variable to change, where the cause is one. */
function listenError(error: unknown, variable: 'PORT' | 'METRICS_PORT', config: Config): unknown {
  const port = variable === 'PORT' ? config.port : config.metricsPort;
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return new ConfigError(
        `${variable} holds "${port}", which is in use; allowed: a free port, or 0 for any free port`,
      );
    case 'EACCES':
      return new ConfigError(`${variable} holds "${port}"; allowed: a port on which this user may listen`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return new ConfigError(`HOST holds "${config.host}"; allowed: an address of this machine`);
    default:
      return error;
  }
}

/** Keeps listening for `lingerMs`, then waits for requests in flight and closes the server. */
async function drain(server: Server, lingerMs: number, graceMs: number): Promise<void> {
  const graceTimer = setTimeout(() => server.closeAllConnections(), graceMs);
  const startedAt = performance.now();
  const elapsedMs = (): number => performance.now() - startedAt;
  while (elapsedMs() < Math.min(lingerMs, graceMs / 2)) await pause(25);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Keep-alive would hold a connection that becomes idle now; its next request must go to another process.
  const sweep = setInterval(() => server.closeIdleConnections(), 25);
  server.closeIdleConnections();
  await closed;
  clearInterval(sweep);
  clearTimeout(graceTimer);
}
