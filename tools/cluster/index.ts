import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryFolder, SELF } from '@svc/embedded-postgres';
import { atEnd } from '../services/at-end.ts';
import { build } from '../services/build.ts';
import { openOperator } from '../services/operator.ts';
import { startPgBouncer } from '../services/pgbouncer.ts';
import { startRedis } from '../services/redis.ts';
import { launchApiProcess, waitUntilHealthy } from './api-process.ts';
import { startClusterPostgres, startReplicatedPostgres } from './postgres.ts';
import { startProxy } from './proxy.ts';

interface ClusterOptions {
  readonly processes?: number;
  /** For every process; overrides what the cluster sets. */
  readonly env?: Readonly<Record<string, string>>;
  /** PgBouncer in transaction mode between the processes and PostgreSQL; a number is its pool size. */
  readonly pgbouncer?: boolean | number;
  /** Starts a proxy between the processes and PostgreSQL, and returns its URL. */
  readonly databaseProxy?: (databaseUrl: string) => Promise<string>;
  /** A primary with a synchronous standby instead of one PostgreSQL; needs the system's PostgreSQL. */
  readonly standby?: boolean;
  /** Of the proxy; by default a free one. */
  readonly port?: number;
  readonly log?: (line: string) => void;
  /** How far the clock of a process is ahead, asked at each of its starts. */
  readonly clockAheadMs?: () => number;
  /** Called with every line that a process prints. */
  readonly onLine?: (line: string, process: number) => void;
}

/** Several processes of the service behind a proxy, as in production, on free local ports; in a test until its end. */
export type Cluster = Awaited<ReturnType<typeof startCluster>>;

export async function startCluster(options: ClusterOptions = {}) {
  const {
    processes: count = 3,
    env = {},
    pgbouncer = false,
    standby = false,
    log = () => {},
    onLine,
    clockAheadMs,
  } = options;
  const stops: (() => unknown)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of stops.splice(0).reverse()) await end();
  };
  const kept = <T>(started: T, end: (started: T) => unknown): T => {
    stops.push(() => end(started));
    return started;
  };
  try {
    // One after the other, so that everything started is stopped when a later start fails.
    const building = build();
    building.catch(() => {});
    const postgres = kept(await (standby ? startReplicatedPostgres(log) : startClusterPostgres(log)), (one) =>
      one.stop(),
    );
    const redis = kept(await startRedis({ log }), (one) => one.stop());
    const pooler = pgbouncer
      ? kept(
          await startPgBouncer({
            databaseUrl: postgres.url,
            log,
            ...(typeof pgbouncer === 'number' && { poolSize: pgbouncer }),
          }),
          (one) => one.stop(),
        )
      : null;
    const databaseUrl = pooler?.url ?? (await options.databaseProxy?.(postgres.url)) ?? postgres.url;
    const folder = kept(await createTemporaryFolder(SELF), (one) => rmSync(one, { recursive: true }));
    const dataDir = join(folder, 'data');
    mkdirSync(dataDir);
    await building;

    const environment = {
      DATABASE_URL: databaseUrl,
      REDIS_URL: redis.url,
      DATA_DIR: dataDir,
      TRUST_PROXY: 'loopback',
      EDGE_LIMIT_PER_MINUTE: '0',
      SESSION_LIMIT_PER_MINUTE: '0',
      LOG_LEVEL: 'warn',
      ...env,
    };
    const processes = await Promise.all(
      Array.from({ length: count }, async (_, n) =>
        kept(
          await launchApiProcess({
            env: environment,
            onLine: (line) => onLine?.(line, n),
            ...(clockAheadMs && { clockAheadMs }),
          }),
          (one) => one.kill(),
        ),
      ),
    );
    await Promise.all(processes.map(waitUntilHealthy));
    const urls = processes.map(({ url }) => url);
    const proxy = kept(
      await startProxy({
        targets: urls,
        ...(options.port !== undefined && { port: options.port }),
      }),
      (one) => one.close(),
    );
    const operator = kept(await openOperator(postgres.url), (one) => one.close());
    atEnd(stop);
    return {
      /** The proxy in front of all processes. */
      url: proxy.url,
      proxy,
      processes,
      /** Of the processes, bypassing the proxy. */
      urls,
      postgres,
      /** Of the processes; the pooler's or the proxy's if there is one. */
      databaseUrl,
      redis,
      operator,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
