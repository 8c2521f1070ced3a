import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTemporaryFolder, freePort, SELF, startWatchdog, type Watchdog } from '@svc/embedded-postgres';
import { Redis } from 'ioredis';
import { findCommand, installDebianPackage } from './debian-package.ts';

/** A Redis process for fault injection. */
export interface RedisServer {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** SIGSTOP: connections stay open without responses. */
  pause(): void;
  resume(): void;
  /** SIGKILL; resolves once the process has ended. */
  kill(): Promise<void>;
  /** Starts it again on the same port, empty. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export interface RedisCluster {
  /** Comma-separated, as REDIS_URL takes it. */
  readonly url: string;
  readonly nodes: readonly RedisServer[];
  stop(): Promise<void>;
}

type Log = (line: string) => void;

/** A Redis on a free port, without persistence. */
export async function startRedis({ log = () => {} }: { log?: Log } = {}): Promise<RedisServer> {
  const program = await findProgram(log);
  const folder = await createTemporaryFolder(SELF);
  const server = await startServer(program, folder, []);
  return {
    ...server,
    get pid() {
      return server.pid;
    },
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Three masters that share the 16384 slots, without replicas. */
export async function startRedisCluster({ log = () => {} }: { log?: Log } = {}): Promise<RedisCluster> {
  const program = await findProgram(log);
  if (program.kind === 'docker' && process.platform !== 'linux') {
    throw new Error(
      'A Redis Cluster in Docker needs host networking on Linux: install redis-server on this machine.',
    );
  }
  const folder = await createTemporaryFolder(SELF);
  const started = await Promise.allSettled(
    [0, 1, 2].map((n) =>
      startServer(program, join(folder, String(n)), [
        ['cluster-enabled', 'yes'],
        ['cluster-config-file', 'nodes.conf'],
        ['cluster-node-timeout', '2000'],
      ]),
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

type Program = { kind: 'process'; command: string } | { kind: 'docker'; command: string };

let program: Promise<Program> | undefined;

function findProgram(log: Log): Promise<Program> {
  program ??= locate(log);
  return program;
}

async function locate(log: Log): Promise<Program> {
  const installed = () => findCommand('redis-server', 'valkey-server');
  let command = installed();
  if (command) return { kind: 'process', command };
  const errors: string[] = [];
  for (const name of ['redis-server', 'valkey-server']) {
    const installError = await installDebianPackage(name, log);
    command = installed();
    if (command) return { kind: 'process', command };
    errors.push(`${name}: ${installError ?? 'the package contains no such command'}`);
  }
  const docker = findCommand('docker');
  const info = docker ? spawnSync(docker, ['info'], { encoding: 'utf8', timeout: 15_000 }) : undefined;
  if (docker && info?.status === 0) {
    log('Running Redis in Docker …');
    return { kind: 'docker', command: docker };
  }
  const dockerError = docker ? (info?.stderr.trim().split('\n').at(-1) ?? 'no response') : 'docker not found';
  throw new Error(
    [
      'These tests need Redis, and it could not be started in any of these ways:',
      '1. redis-server or valkey-server on the PATH: not found',
      `2. apt-get install, as root on Debian or Ubuntu: ${errors.join('; ')}`,
      `3. docker run: ${dockerError}`,
      'Alternatively, set TEST_REDIS_URL and TEST_REDIS_CLUSTER_URL to existing servers.',
    ].join('\n'),
  );
}

type Directive = readonly [name: string, value: string];

async function startServer(
  program: Program,
  folder: string,
  more: readonly Directive[],
): Promise<RedisServer> {
  mkdirSync(folder, { recursive: true });
  for (let attempt = 0; ; attempt++) {
    const port = await freeRedisPort();
    const first = await launch(program, folder, port, more);
    if (first !== 'port taken') return handle(program, folder, port, more, first);
    if (attempt === 5) throw new Error('Found no free port for Redis in six attempts.');
  }
}

/** Cluster nodes also listen on their port + 10000. */
async function freeRedisPort(): Promise<number> {
  for (;;) {
    const port = await freePort();
    if (port <= 55_535) return port;
  }
}

interface Running {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly watchdog: Watchdog;
  readonly exited: Promise<void>;
  signal(name: 'STOP' | 'CONT' | 'KILL'): void;
}

function handle(
  program: Program,
  folder: string,
  port: number,
  more: readonly Directive[],
  first: Running,
): RedisServer {
  let running: Running | undefined = first;
  const kill = async () => {
    const ending = running;
    if (!ending) return;
    running = undefined;
    // Unreferenced on launch, so that it does not keep the test process running.
    ending.child.ref();
    ending.signal('KILL');
    await ending.exited;
    ending.watchdog.cancel();
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    get pid() {
      return (running ?? first).pid;
    },
    pause: () => running?.signal('STOP'),
    resume: () => running?.signal('CONT'),
    kill,
    async restart() {
      await kill();
      const again = await launch(program, folder, port, more);
      if (again === 'port taken') throw new Error(`Port ${port} was taken while Redis was down.`);
      running = again;
    },
    stop: kill,
  };
}

async function launch(
  program: Program,
  folder: string,
  port: number,
  more: readonly Directive[],
): Promise<Running | 'port taken'> {
  const inDocker = program.kind === 'docker';
  const directives: Directive[] = [
    ['port', String(port)],
    ['bind', inDocker && process.platform !== 'linux' ? '0.0.0.0' : '127.0.0.1'],
    ['protected-mode', 'no'],
    ['save', ''],
    ['appendonly', 'no'],
    ['daemonize', 'no'],
    ...(inDocker ? [] : [['dir', folder] as const]),
    ...more,
  ];
  const args = directives.flatMap(([name, value]) => [`--${name}`, value]);
  const name = `claims-test-redis-${randomBytes(6).toString('hex')}`;
  const network = process.platform === 'linux' ? ['--network', 'host'] : ['-p', `127.0.0.1:${port}:${port}`];
  const [command, all] = inDocker
    ? [
        program.command,
        ['run', '--rm', '--name', name, ...network, 'redis:7-alpine', 'redis-server', ...args],
      ]
    : [program.command, args];

  const logFile = join(folder, 'redis.log');
  rmSync(logFile, { force: true });
  const log = openSync(logFile, 'ax');
  const child = spawn(command, all, { cwd: '/', stdio: ['ignore', log, log], detached: true });
  closeSync(log);
  child.unref();
  let ended: string | undefined;
  const exited = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      ended = error.message;
      resolve();
    });
    child.once('exit', (code, signal) => {
      ended = signal ? `ended by ${signal}` : `exit code ${code}`;
      resolve();
    });
  });
  const lastLines = () =>
    existsSync(logFile) ? readFileSync(logFile, 'utf8').trim().split('\n').slice(-15).join('\n') : '';
  const pid = child.pid;
  // Docker's client forwards SIGTERM to the container, but cannot forward SIGKILL.
  const watchdog =
    pid === undefined ? undefined : startWatchdog({ pid, signal: inDocker ? 'TERM' : 'KILL', folder });
  // Docker may have to pull the image.
  const deadline = Date.now() + (inDocker ? 180_000 : 20_000);
  for (;;) {
    if (ended !== undefined || pid === undefined || watchdog === undefined) {
      watchdog?.cancel();
      if (/Address already in use|bind: Address/i.test(lastLines())) return 'port taken';
      throw new Error(`Redis did not start (${ended}). Last log lines:\n${lastLines()}`);
    }
    if (await pings(port, pid, inDocker)) break;
    if (Date.now() > deadline) {
      child.kill('SIGKILL');
      watchdog.cancel();
      throw new Error(`Redis did not respond on port ${port}. Last log lines:\n${lastLines()}`);
    }
    await sleep(20);
  }
  return {
    child,
    pid,
    watchdog,
    exited,
    signal(signal) {
      if (inDocker) spawnSync(program.command, ['kill', '--signal', signal, name], { stdio: 'ignore' });
      else child.kill(`SIG${signal}`);
    },
  };
}

/** Compares the pid as well, because another process may have taken the port. */
async function pings(port: number, pid: number, inDocker: boolean): Promise<boolean> {
  try {
    return await withClient(port, async (client) => {
      const info = await client.info('server');
      return inDocker || info.includes(`process_id:${pid}\r`);
    });
  } catch {
    return false;
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
