import { setTimeout as sleep } from 'node:timers/promises';
import { distribute, migrate } from '@svc/adapter-postgres';
import { binariesFor, unprivilegedAccount } from '@svc/embedded-postgres';
import pg from 'pg';
import { CITUS_SETTINGS, citusBinaries, createClusterRole, joinNodes } from '../services/citus.ts';
import { childrenOf } from '../services/process-usage.ts';
import { postgresBinaries } from '../services/system-postgres.ts';
import {
  addSynchronousStandby,
  openPostgresServers,
  type PostgresServer,
  type PostgresServers,
  untilStandbyIsSynchronous,
} from './postgres-server.ts';

/** A PostgreSQL server for fault injection; committed data survives. */
export interface ClusterPostgres {
  readonly url: string;
  /** Of a Citus cluster, whose coordinator this is; otherwise empty. */
  readonly workers: readonly ClusterPostgres[];
  /** Of a primary with a synchronous standby, whose primary this is. */
  readonly replication?: Replication;
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

interface Replication {
  /**
   * SIGKILL to the primary once the standby has all confirmed commits; resolves once the standby, promoted after
   * `whileDown`, is the primary.
   */
  failOver(whileDown: () => Promise<void>): Promise<void>;
  /** Replaces the killed primary by a standby; resolves once commits wait for it. */
  addStandby(): Promise<void>;
}

const SIGNALS = { fast: 'SIGINT', crash: 'SIGQUIT', kill: 'SIGKILL' } as const;
/** Without fsync, because the operating system keeps what a killed process has written. */
const SETTINGS = { fsync: 'off', autovacuum_naptime: '5s' };
/** The standby connects again at once, and finds the WAL it needs, after the primary was restarted. */
const REPLICATED_SETTINGS = { ...SETTINGS, wal_retrieve_retry_interval: '500ms', wal_keep_size: '256MB' };
const TIMEOUT_MS = 60_000;

/** One server, or with TEST_POSTGRES=citus a coordinator and two workers with the tables laid out. */
export async function startClusterPostgres(log: (line: string) => void = () => {}): Promise<ClusterPostgres> {
  const isCitus = process.env.TEST_POSTGRES === 'citus';
  const binaries = isCitus ? await citusBinaries(log) : await postgresBinaries(log);
  const servers = await openPostgresServers(log, binaries ?? binariesFor(unprivilegedAccount(log)));
  try {
    const settings = { ...SETTINGS, ...(isCitus && CITUS_SETTINGS) };
    const started: PostgresServer[] = [];
    for (const name of isCitus ? ['coordinator', 'worker1', 'worker2'] : ['only']) {
      const server = await servers.server(name, settings);
      await server.start();
      started.push(server);
    }
    const nodes = started.map((server) => faultInjection(servers, urlOf(server), () => server));
    const [coordinator, ...workers] = nodes as [ClusterPostgres, ...ClusterPostgres[]];
    if (!isCitus) return coordinator;
    const urls = await createClusterRole(nodes.map(({ url }) => url));
    await joinNodes(urls);
    await migrate({ url: urls[0] });
    await distribute({ url: urls[0] });
    // As the role that the nodes connect with, since some statements run on all of them.
    return { ...coordinator, url: urls[0], workers, connect: () => connectTo(urls[0]) };
  } catch (error) {
    await servers.remove();
    throw error;
  }
}

/** A primary and a synchronous standby on PostgreSQL's own programs; the URL names both. */
export async function startReplicatedPostgres(
  log: (line: string) => void = () => {},
): Promise<ClusterPostgres> {
  const servers = await openPostgresServers(log);
  try {
    let primary = await servers.server('first', REPLICATED_SETTINGS);
    await primary.start();
    let standby = await addSynchronousStandby(servers, primary, 'second', { settings: REPLICATED_SETTINGS });
    const names = new Map([
      [primary.port, 'first'],
      [standby.port, 'second'],
    ]);
    const url = `postgres://postgres@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/postgres?target_session_attrs=read-write`;
    return {
      ...faultInjection(servers, url, () => primary),
      replication: {
        async failOver(whileDown) {
          await untilStandbyIsSynchronous(primary);
          await primary.kill();
          await whileDown();
          const [promoted] = await standby.query('SELECT pg_promote()');
          if (promoted?.pg_promote !== true) throw new Error('The standby was not promoted in time.');
          [primary, standby] = [standby, primary];
        },
        async addStandby() {
          const { port } = standby;
          const name = names.get(port);
          if (name === undefined) throw new Error(`No server of this cluster had the port ${port}.`);
          standby = await addSynchronousStandby(servers, primary, name, {
            port,
            settings: REPLICATED_SETTINGS,
          });
        },
      },
    };
  } catch (error) {
    await servers.remove();
    throw error;
  }
}

const urlOf = ({ port }: PostgresServer): string => `postgres://postgres@127.0.0.1:${port}/postgres`;

/** @param server the one of the moment, as after a failover. */
function faultInjection(
  servers: PostgresServers,
  url: string,
  server: () => PostgresServer,
): ClusterPostgres {
  const connect = () => connectTo(urlOf(server()));
  let frozen: readonly number[] = [];
  const resume = (): void => {
    for (const pid of frozen) signal(pid, 'SIGCONT');
    frozen = [];
  };
  return {
    url,
    workers: [],
    connect,
    resume,
    pause() {
      const { pid } = server();
      // The postmaster first, so that it starts no more children.
      signal(pid, 'SIGSTOP');
      const children = childrenOf(pid);
      for (const child of children) signal(child, 'SIGSTOP');
      frozen = [...children, pid];
    },
    async endConnections() {
      const client = await connect();
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
    async stopServer(how) {
      resume();
      await server().end(SIGNALS[how]);
    },
    startServer: () => untilStarted(() => server().start()),
    async stop() {
      resume();
      await servers.remove();
    },
  };
}

/** The children of a killed postmaster release its shared memory a moment later. */
async function untilStarted(start: () => Promise<void>): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS;
  for (;;) {
    try {
      return await start();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(50);
    }
  }
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
