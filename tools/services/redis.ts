import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTemporaryFolder, freePort, SELF } from '@svc/embedded-postgres';
import { Redis } from 'ioredis';
import { atEnd } from './at-end.ts';
import { type Daemon, onFreePort, startDaemon } from './daemon.ts';
import { findCommand, requireCommand } from './debian-package.ts';

export type RedisServer = Awaited<ReturnType<typeof startRedis>>;

type Log = (line: string) => void;

/** A Redis on a free port for fault injection, without persistence; in a test until its end. */
export async function startRedis({ log = () => {} }: { log?: Log } = {}) {
  const command = await redisCommand(log);
  const folder = await createTemporaryFolder(SELF);
  const server = await startServer(command, folder);
  const stop = async (): Promise<void> => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  atEnd(stop);
  return {
    ...{ ...server, stop },
    get pid() {
      return server.pid;
    },
  };
}

/** Three masters that share the 16384 slots, without replicas, and their URLs as REDIS_URL takes them; in a test until its end. */
export async function startRedisCluster({ log = () => {} }: { log?: Log } = {}) {
  const command = await redisCommand(log);
  const folder = await createTemporaryFolder(SELF);
  const started = await Promise.allSettled(
    [0, 1, 2].map((n) =>
      startServer(command, join(folder, String(n)), {
        'cluster-enabled': 'yes',
        'cluster-config-file': 'nodes.conf',
        'cluster-node-timeout': '2000',
      }),
    ),
  );
  const nodes = started.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    for (const result of started) if (result.status === 'rejected') throw result.reason;
    await formCluster(nodes);
  } catch (error) {
    await stop();
    throw error;
  }
  atEnd(stop);
  return { url: nodes.map((node) => node.url).join(','), nodes, stop };
}

const SLOTS = 16384;

async function formCluster(nodes: readonly RedisServer[]): Promise<void> {
  await Promise.all(
    nodes.map((node, n) =>
      withClient(node.port, async (client) => {
        const from = Math.ceil((SLOTS * n) / nodes.length);
        const to = Math.ceil((SLOTS * (n + 1)) / nodes.length);
        // ADDSLOTSRANGE requires Redis 7.
        await client.call(
          'CLUSTER',
          'ADDSLOTS',
          ...Array.from({ length: to - from }, (_, i) => String(from + i)),
        );
        // Without distinct epochs the nodes take seconds to resolve the conflict.
        await client.call('CLUSTER', 'SET-CONFIG-EPOCH', String(n + 1));
      }),
    ),
  );
  const first = nodes[0];
  if (!first) return;
  await withClient(first.port, async (client) => {
    for (const node of nodes.slice(1)) await client.call('CLUSTER', 'MEET', '127.0.0.1', String(node.port));
  });
  const deadline = Date.now() + 30_000;
  for (;;) {
    const states = await Promise.all(nodes.map((node) => clusterInfo(node.port)));
    const ready = states.every(
      (info) =>
        info.includes('cluster_state:ok') &&
        info.includes(`cluster_slots_ok:${SLOTS}`) &&
        info.includes(`cluster_known_nodes:${nodes.length}`),
    );
    if (ready) return;
    if (Date.now() > deadline) throw new Error(`The Redis Cluster did not form:\n${states.join('\n')}`);
    await sleep(50);
  }
}

const clusterInfo = (port: number) =>
  withClient(port, async (client) => String(await client.call('CLUSTER', 'INFO')));

let found: Promise<string> | undefined;

function redisCommand(log: Log): Promise<string> {
  const installed = findCommand('redis-server', 'valkey-server');
  found ??= installed === undefined ? requireCommand('redis-server', { log }) : Promise.resolve(installed);
  return found.catch((error: Error) => {
    throw new Error(`${error.message} Or set TEST_REDIS_URL and TEST_REDIS_CLUSTER_URL to existing servers.`);
  });
}

async function startServer(command: string, folder: string, more: Readonly<Record<string, string>> = {}) {
  mkdirSync(folder, { recursive: true });
  const launch = (port: number): Promise<Daemon | null> =>
    startDaemon({
      command,
      args: Object.entries({
        ...{ port: String(port), bind: '127.0.0.1', 'protected-mode': 'no' },
        ...{ save: '', appendonly: 'no', daemonize: 'no', dir: folder },
        ...more,
      }).flatMap(([name, value]) => [`--${name}`, value]),
      folder,
      // Another process may have taken the port.
      isReady: (pid) =>
        withClient(port, async (client) => {
          if (!(await client.info('server')).includes(`process_id:${pid}\r`))
            throw new Error('another process responds');
        }),
    });
  const started = await onFreePort(launch, freeRedisPort);
  const { port } = started;
  let { daemon } = started;
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    get pid() {
      return daemon.pid;
    },
    /** SIGSTOP: connections stay open without responses. */
    pause: () => daemon.signal('SIGSTOP'),
    resume: () => daemon.signal('SIGCONT'),
    /** SIGKILL; resolves once the process has ended. */
    kill: () => daemon.kill(),
    /** Starts it again on the same port, empty. */
    async restart() {
      await daemon.kill();
      const again = await launch(port);
      if (again === null) throw new Error(`Port ${port} was taken while Redis was down.`);
      daemon = again;
    },
    /** Deletes all data and scripts, and keeps connections. */
    flush: () =>
      withClient(port, async (client) => {
        await client.flushall();
        await client.script('FLUSH');
      }),
    stop: () => daemon.kill(),
  };
}

/** Cluster nodes also listen on their port + 10000. */
async function freeRedisPort(): Promise<number> {
  for (;;) {
    const port = await freePort();
    if (port <= 55_535) return port;
  }
}

async function withClient<T>(port: number, work: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis({
    host: '127.0.0.1',
    port,
    lazyConnect: true,
    connectTimeout: 2_000,
    commandTimeout: 10_000,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    client.disconnect();
  }
}
