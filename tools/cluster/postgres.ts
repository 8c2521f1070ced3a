import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { distribute, migrate } from '@svc/adapter-postgres';
import {
  type Binaries,
  createTemporaryFolder,
  type EmbeddedPostgres,
  identify,
  startEmbeddedPostgres,
  startWatchdog,
  unprivilegedAccount,
  type Watchdog,
} from '@svc/embedded-postgres';
import pg from 'pg';
import { CITUS_SETTINGS, citusBinaries, createClusterRole, joinNodes } from '../services/citus.ts';
import { postgresBinaries } from '../services/system-postgres.ts';

/** A PostgreSQL server for fault injection; committed data survives. */
export interface ClusterPostgres {
  readonly url: string;
  /** Of a Citus cluster, whose coordinator this is; otherwise empty. */
  readonly workers: readonly ClusterPostgres[];
  /** SIGSTOP to all of its processes: connections stay open without responses. */
  pause(): void;
  resume(): void;
  /** `fast` and `crash` are PostgreSQL's fast and immediate shutdown; `kill` is SIGKILL to the postmaster. */
  stopServer(how: 'fast' | 'crash' | 'kill'): Promise<void>;
  /** Starts it on the same port; resolves once it accepts connections. */
  startServer(): Promise<void>;
  /** A direct connection, bypassing any pooler. */
  connect(): Promise<pg.Client>;
  /** Terminates all other connections and returns their number. */
  endConnections(): Promise<number>;
  stop(): Promise<void>;
}

const SIGNALS = { fast: 'SIGINT', crash: 'SIGQUIT', kill: 'SIGKILL' } as const;
/** Without fsync, because the operating system keeps what a killed process has written. */
const SETTINGS = { fsync: 'off', max_connections: '200' };
const TIMEOUT_MS = 60_000;

/** One server, or with TEST_POSTGRES=citus a coordinator and two workers with the tables laid out. */
export async function startClusterPostgres(log: (line: string) => void = () => {}): Promise<ClusterPostgres> {
  if (process.env.TEST_POSTGRES !== 'citus') return startServerOf(await postgresBinaries(log), SETTINGS, log);
  const binaries = await citusBinaries(log);
  const settings = { ...SETTINGS, ...CITUS_SETTINGS };
  const servers: ClusterPostgres[] = [];
  const stop = async (): Promise<void> => {
    for (const server of servers) await server.stop();
  };
  try {
    for (let n = 0; n < 3; n += 1) servers.push(await startServerOf(binaries, settings, log));
    const urls = await createClusterRole(servers.map(({ url }) => url));
    await joinNodes(urls);
    await migrate({ url: urls[0] });
    await distribute({ url: urls[0] });
    const [coordinator, ...workers] = servers as [ClusterPostgres, ...ClusterPostgres[]];
    // As the role that the nodes connect with, since some statements run on all of them.
    return { ...coordinator, url: urls[0], workers, stop, connect: () => connectTo(urls[0]) };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startServerOf(
  binaries: Binaries | undefined,
  settings: Readonly<Record<string, string>>,
  log: (line: string) => void,
): Promise<ClusterPostgres> {
  const folder = await createTemporaryFolder(unprivilegedAccount(log));
  const handles: EmbeddedPostgres[] = [];
  let watchdog: Watchdog | undefined;
  let pid = 0;
  let frozen: readonly number[] = [];

  async function startServer(): Promise<void> {
    const deadline = Date.now() + TIMEOUT_MS;
    for (;;) {
      try {
        const handle = await startEmbeddedPostgres({
          dataDir: join(folder, 'data'),
          settings,
          binaries,
        });
        handles.push(handle);
        pid = Number(readFileSync(join(handle.dataDir, 'postmaster.pid'), 'utf8').split('\n')[0]);
        watchdog?.cancel();
        watchdog = startWatchdog({ pid, signal: 'QUIT', folder });
        return;
      } catch (error) {
        // The children of a killed postmaster release its shared memory a moment later.
        if (Date.now() > deadline) throw error;
        await sleep(50);
      }
    }
  }

  const resume = (): void => {
    for (const one of frozen) signal(one, 'SIGCONT');
    frozen = [];
  };

  await startServer();
  const url = handles[0]?.url ?? '';
  return {
    url,
    workers: [],
    startServer,
    resume,
    pause() {
      // The postmaster first, so that it starts no more children.
      signal(pid, 'SIGSTOP');
      const children = childrenOf(pid);
      for (const child of children) signal(child, 'SIGSTOP');
      frozen = [...children, pid];
    },
    async stopServer(how) {
      resume();
      signal(pid, SIGNALS[how]);
      const deadline = Date.now() + TIMEOUT_MS;
      while (identify(pid) !== undefined) {
        if (Date.now() > deadline) throw new Error('PostgreSQL did not end in time.');
        await sleep(10);
      }
    },
    connect: () => connectTo(url),
    async endConnections() {
      const client = await connectTo(url);
      try {
        const ended = await client.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
        );
        return ended.rowCount ?? 0;
      } finally {
        await client.end();
      }
    },
    async stop() {
      resume();
      for (const handle of handles) await handle.stop();
      rmSync(folder, { recursive: true, force: true });
      watchdog?.cancel();
    },
  };
}

async function connectTo(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  return client;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}

function childrenOf(pid: number): number[] {
  const listed = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  if (listed.status === 0) {
    const pairs = listed.stdout
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number));
    return pairs.flatMap(([child, parent]) => (parent === pid && child !== undefined ? [child] : []));
  }
  // Slim containers have no ps.
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean)
    .map(Number);
}
