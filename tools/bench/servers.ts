import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { migrate } from '@svc/adapter-postgres';
import { startPostgres, withClient } from '../services/postgres.ts';
import { childrenOf } from '../services/process-usage.ts';
import { startRedis } from '../services/redis.ts';
import { say } from './report.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const START_MS = 60_000;

export interface Server {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  stop(): void;
}

export interface Servers {
  /** The URL of a new, migrated database. */
  database(name: string): Promise<string>;
  readonly redisUrl: string;
  readonly redisPid: number;
  /** The processes of PostgreSQL; none where it is not ours. */
  postgresPids(): readonly number[];
  /** Starts a program and waits until it listens. */
  start(name: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<Server>;
  /** The built service without rate limits. */
  startService(databaseUrl: string, env?: Readonly<Record<string, string>>): Promise<Server>;
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
  const servers: Servers = {
    redisUrl: redis.url,
    redisPid: redis.pid,
    postgresPids: () => (pid === undefined ? [] : childrenOf(pid)),
    async database(name) {
      const url = Object.assign(new URL(postgres.url), { pathname: `/bench_${name}` }).href;
      await withClient(postgres.url, (client) => client.query(`CREATE DATABASE bench_${name}`));
      await migrate({ url });
      return url;
    },
    async start(...program) {
      const server = await start(...program);
      stops.unshift(() => server.stop());
      return server;
    },
    startService: (databaseUrl, env = {}) =>
      servers.start('service', ['apps/api/dist/server.js'], {
        DATABASE_URL: databaseUrl,
        REDIS_URL: redis.url,
        PORT: '0',
        EDGE_LIMIT_PER_MINUTE: '0',
        SESSION_LIMIT_PER_MINUTE: '0',
        LOG_LEVEL: 'warn',
        ...env,
      }),
  };
  try {
    await work(servers);
  } finally {
    for (const stop of stops) await stop();
  }
}

function start(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Server> {
  const child: ChildProcess = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stop = () => child.kill('SIGKILL');
  process.once('exit', stop);
  return new Promise((resolve, reject) => {
    const late = setTimeout(stop, START_MS);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk) => {
        output += String(chunk);
        const url = /Listening on (http:\S+)/.exec(output)?.[1];
        if (url === undefined) return;
        clearTimeout(late);
        resolve({ name, url, pid: child.pid ?? 0, stop });
      });
    }
    child.once('exit', () => {
      clearTimeout(late);
      process.removeListener('exit', stop);
      reject(new Error(`${name} did not start:\n${output}`));
    });
  });
}
