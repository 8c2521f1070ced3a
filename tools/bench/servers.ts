import { fileURLToPath } from 'node:url';
import { migrate } from '@svc/adapter-postgres';
import { launchApiProcess, waitUntilHealthy } from '../cluster/api-process.ts';
import { say } from '../services/command.ts';
import { startPostgres, withClient } from '../services/postgres.ts';
import { childrenOf } from '../services/process-usage.ts';
import { startRedis } from '../services/redis.ts';

const BASELINE = fileURLToPath(new URL('./baseline.ts', import.meta.url));

export interface Server {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
}

export interface Servers {
  /** The URL of a new, migrated database. */
  database(name: string): Promise<string>;
  readonly redisPid: number;
  /** The processes of PostgreSQL; none where it is not ours. */
  postgresPids(): readonly number[];
  /** The built service without rate limits. */
  startService(databaseUrl: string): Promise<Server>;
  startBaseline(databaseUrl: string): Promise<Server>;
}

/** Stops everything that was started once the work is done. */
export async function withServers(work: (servers: Servers) => Promise<void>): Promise<void> {
  const postgres = await startPostgres(say, {
    // A quarter of a server with 4 GB, as PostgreSQL's documentation recommends. The default is less than the claims.
    shared_buffers: '1GB',
    // Of Debian's server, as it is installed.
    ...(process.env.TEST_POSTGRES === 'system' && { autovacuum_naptime: '1min' }),
  });
  const redis = await startRedis({ log: say });
  const stops: (() => unknown)[] = [() => redis.stop(), () => postgres.stop()];
  const { pid } = postgres;
  const start = async (name: string, databaseUrl: string, args?: readonly string[]): Promise<Server> => {
    const env = {
      ...{ NODE_ENV: 'production', DATABASE_URL: databaseUrl, REDIS_URL: redis.url },
      ...{ EDGE_LIMIT_PER_MINUTE: '0', SESSION_LIMIT_PER_MINUTE: '0', LOG_LEVEL: 'warn' },
    };
    const started = await launchApiProcess({ env, ...(args && { args }) });
    stops.unshift(() => started.kill());
    await waitUntilHealthy(started);
    return { name, url: started.url, pid: started.pid };
  };
  const servers: Servers = {
    redisPid: redis.pid,
    postgresPids: () => (pid === undefined ? [] : childrenOf(pid)),
    async database(name) {
      const url = Object.assign(new URL(postgres.url), { pathname: `/bench_${name}` }).href;
      await withClient(postgres.url, (client) => client.query(`CREATE DATABASE bench_${name}`));
      await migrate({ url });
      return url;
    },
    startService: (databaseUrl) => start('service', databaseUrl),
    startBaseline: (databaseUrl) =>
      start('baseline', databaseUrl, ['--conditions=source', '--import', 'tsx', BASELINE]),
  };
  try {
    await work(servers);
  } finally {
    for (const stop of stops) await stop();
  }
}
