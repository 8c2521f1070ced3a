import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type Clock, createRequestLog, type RequestLog } from '@svc/application';
import type { FirmId, KeyId } from '@svc/domain';
import { compose, migrateDatabase } from './composition/compose.ts';
import { createMetrics } from './composition/metrics.ts';
import { type Services, TOKENS } from './composition/tokens.ts';
import { type Config, ConfigError } from './config.ts';
import type { Observe } from './http/app.ts';
import { createHttpServer } from './http/http-server.ts';
import type { Log } from './logging.ts';

/** How often it is written down when keys and sessions were last used. */
const NOTE_USE_EVERY_MS = 30_000;
/** How often the requests since the last time are written to the log that support reads. */
const WRITE_REQUESTS_EVERY_MS = 1000;

export interface Service {
  /** Where it really listens. */
  readonly url: string;
  readonly port: number;
  /** Where the figures are; null when nobody asked for them. */
  readonly metricsUrl: string | null;
  readonly wiring: Services;
  /**
   * Health turns 503 at once; the service goes on answering for `lingerMs`, so that balancers notice, then lets the
   * requests in flight finish and closes everything. The configured grace bounds the whole wait.
   */
  stop(lingerMs?: number): Promise<void>;
}

/** Migrates, wires and listens. */
export async function startService(
  config: Config,
  databaseUrl: string,
  log: Log,
  clock?: Clock,
): Promise<Service> {
  await migrateDatabase(databaseUrl, log);

  let draining = false;
  const addresses = { baseUrl: '', docsUrl: '' };
  const metrics = config.metricsPort === null ? null : createMetrics();
  let requestLog: RequestLog | undefined;
  const observe: Observe = (answered) => {
    metrics?.observe(answered);
    const { requestId, firmId, keyId, code, places } = answered.trace;
    if (firmId === undefined || keyId === undefined) return;
    const durationMs = Math.round(answered.seconds * 10_000) / 10;
    requestLog?.note({
      requestId,
      at: (clock ?? Date).now() - Math.round(durationMs),
      firmId: firmId as FirmId,
      keyId: keyId as KeyId,
      route: answered.route,
      status: answered.status === 'aborted' ? null : answered.status,
      code: code ?? null,
      places: places ?? [],
      durationMs,
    });
  };
  const wired = await compose({
    config,
    databaseUrl,
    log,
    addresses,
    isDraining: () => draining,
    observe,
    clock,
  });
  const { wiring } = wired;
  requestLog = createRequestLog({
    store: wiring.get(TOKENS.requestLog),
    onDropped: (count) => log.warn('the request log could not keep up', { dropped: count }),
  });
  const { headersTimeoutMs, requestTimeoutMs, responseTimeoutMs } = config;
  const server = createHttpServer(wiring.get(TOKENS.app), {
    headersTimeoutMs,
    requestTimeoutMs,
    responseTimeoutMs,
    addresses,
    log,
  });
  const figures = await metrics
    ?.listen(config.metricsPort ?? 0, config.host)
    .catch(async (error: unknown) => {
      await wired.close();
      throw cannotListen(error, 'METRICS_PORT', config);
    });
  try {
    await listen(server, config.port, config.host);
  } catch (error) {
    await figures?.close();
    await wired.close();
    throw cannotListen(error, 'PORT', config);
  }
  const { port } = server.address() as AddressInfo;
  const urlOf = (at: number): string =>
    `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${at}`;
  const url = urlOf(port);
  addresses.baseUrl = config.baseUrl ?? url;
  addresses.docsUrl = config.docsUrl ?? `${addresses.baseUrl}/docs`;

  const jobs = wired.startJobs(wiring.get(TOKENS.runJob));
  const noteUse = async (): Promise<void> => {
    const keys = wiring.get(TOKENS.apiKeyAuthenticator).takeUses();
    const sessions = wiring.get(TOKENS.sessionAuthenticator).takeUses();
    if (keys.size === 0 && sessions.size === 0) return;
    await wiring.get(TOKENS.credentials).noteUse({ keys, sessions });
  };
  // Losing a batch costs a minute of "last used"; a failing database says so elsewhere.
  const noting = setInterval(() => void noteUse().catch(() => {}), NOTE_USE_EVERY_MS).unref();
  const logging = setInterval(() => void requestLog?.write(), WRITE_REQUESTS_EVERY_MS).unref();

  return {
    url,
    port,
    metricsUrl: figures === undefined ? null : `${urlOf(figures.port)}/metrics`,
    wiring,
    async stop(lingerMs = 0) {
      draining = true;
      clearInterval(noting);
      clearInterval(logging);
      await drain(server, lingerMs, config.shutdownGraceMs);
      await jobs.stop();
      await noteUse().catch(() => {});
      await requestLog?.write();
      await figures?.close();
      await wired.close();
    },
  };
}

const listen = (server: Server, port: number, host: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });

/** Says which variable is to be changed. */
function cannotListen(error: unknown, variable: 'PORT' | 'METRICS_PORT', config: Config): unknown {
  const port = variable === 'PORT' ? config.port : config.metricsPort;
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return new ConfigError(
        `${variable} holds "${port}", which is in use; allowed: a port that is free, or 0 for any that is`,
      );
    case 'EACCES':
      return new ConfigError(`${variable} holds "${port}"; allowed: a port that this user may listen on`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return new ConfigError(`HOST holds "${config.host}"; allowed: an address of this machine`);
    default:
      return error;
  }
}

/** Goes on listening for a while and for as long as requests are in flight, then closes the server. */
async function drain(server: Server, lingerMs: number, graceMs: number): Promise<void> {
  const late = setTimeout(() => server.closeAllConnections(), graceMs);
  const begun = performance.now();
  const elapsed = (): number => performance.now() - begun;
  while (elapsed() < Math.min(lingerMs, graceMs / 2)) await pause(25);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection that becomes idle now would be kept alive for a next request, which must go elsewhere.
  const sweep = setInterval(() => server.closeIdleConnections(), 25);
  server.closeIdleConnections();
  await closed;
  clearInterval(sweep);
  clearTimeout(late);
}
