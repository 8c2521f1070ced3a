import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import {
  type Binaries,
  createTemporaryFolder,
  freePort,
  startWatchdog,
  unprivilegedAccount,
} from '@svc/embedded-postgres';
import pg from 'pg';
import { postgresPrograms } from '../services/system-postgres.ts';

const START_TIMEOUT_MS = 60_000;
const LOG_LINES = 15;
const runFile = promisify(execFile);

/** Temporary servers that are stopped, killed and copied. */
export type PostgresServers = Awaited<ReturnType<typeof openPostgresServers>>;

/** A process that a signal has ended has no exit code. */
const isRunning = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode === null && signalCode === null;

export type PostgresServer = ReturnType<typeof createServer>;

/** @param binaries by default those of this machine, since the embedded ones lack `pg_basebackup`. */
export async function openPostgresServers(log: (line: string) => void, binaries?: Binaries) {
  const account = unprivilegedAccount(log);
  const programs =
    binaries === undefined
      ? await postgresPrograms(['initdb', 'postgres', 'pg_basebackup'], log)
      : dirname(binaries.postgres);
  // Stays with this user, so that a later run may remove what a killed run has left.
  const temporary = await createTemporaryFolder(account);
  const folder = join(temporary, 'servers');
  mkdirSync(folder, { mode: 0o700 });
  if (account.ids.uid !== undefined) chownSync(folder, account.ids.uid, account.ids.gid ?? -1);
  // Nodes of Citus look for client certificates in the home, and that of root is closed to the account.
  const owned = { ...account.ids, cwd: folder, env: { ...process.env, HOME: folder } };
  const servers: PostgresServer[] = [];

  const run = async (program: string, args: readonly string[]): Promise<void> => {
    await runFile(join(programs, program), args, owned);
  };

  const launch = (dataDir: string, logFile: string): ChildProcess => {
    const output = openSync(logFile, 'a');
    const stdio = ['ignore', output, output] as const;
    const child = spawn(join(programs, 'postgres'), ['-D', dataDir], { ...owned, stdio: [...stdio] });
    closeSync(output);
    return child;
  };

  return {
    /** Belongs to the account that runs the servers. */
    folder,
    /** Runs a program of PostgreSQL as that account. */
    run,
    /** A server on data that exists, or is initialized with trust authentication on loopback; it is not started. */
    async server(
      name: string,
      settings: Readonly<Record<string, string>> = {},
      place: { port?: number } = {},
    ) {
      const dataDir = join(folder, name);
      const port = place.port ?? (await freePort());
      if (!existsSync(dataDir))
        await run('initdb', [
          ...['-D', dataDir, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--no-locale', '--no-sync'],
        ]);
      const lines = Object.entries({
        ...{ port: String(port), listen_addresses: '127.0.0.1', unix_socket_directories: folder },
        ...{ max_connections: '200', timezone: 'UTC', ...settings },
      });
      appendFileSync(
        join(dataDir, 'postgresql.conf'),
        lines.map(([key, value]) => `${key} = '${value}'\n`).join(''),
      );
      const logFile = join(temporary, `${name}.log`);
      const server = createServer({ name, port, dataDir, logFile, launch: () => launch(dataDir, logFile) });
      servers.push(server);
      return server;
    },
    /** Kills the servers and deletes their data. */
    async remove() {
      for (const server of servers.reverse()) await server.kill();
      rmSync(temporary, { recursive: true, force: true });
    },
  };
}

/** Copies the data of a running server; the copy is the data of the server `name`. */
export const backUp = (
  servers: PostgresServers,
  { port }: PostgresServer,
  name: string,
  options: readonly string[] = [],
): Promise<void> =>
  servers.run('pg_basebackup', [
    ...['--host=127.0.0.1', `--port=${port}`, '--username=postgres', '--checkpoint=fast'],
    ...[`--pgdata=${join(servers.folder, name)}`, ...options],
  ]);

/** A copy of the primary that follows it; resolves once commits on the primary wait for it. */
export async function addSynchronousStandby(
  servers: PostgresServers,
  primary: PostgresServer,
  name: string,
  place: { readonly port?: number; readonly settings?: Readonly<Record<string, string>> } = {},
): Promise<PostgresServer> {
  rmSync(join(servers.folder, name), { recursive: true, force: true, maxRetries: 5 });
  await backUp(servers, primary, name, ['--write-recovery-conf']);
  const standby = await servers.server(name, place.settings, place);
  await standby.start();
  await primary.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`);
  await primary.query('SELECT pg_reload_conf()');
  await untilStandbyIsSynchronous(primary);
  return standby;
}

/** A standby is synchronous once it has everything that the primary has confirmed. */
export async function untilStandbyIsSynchronous(primary: PostgresServer): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  const isSynchronous = async () =>
    (await primary.query(`SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'`)).length > 0;
  while (!(await isSynchronous())) {
    if (Date.now() > deadline) throw new Error('The standby did not become synchronous.');
    await sleep(50);
  }
}

function createServer({
  name,
  port,
  dataDir,
  logFile,
  launch,
}: {
  readonly name: string;
  readonly port: number;
  readonly dataDir: string;
  readonly logFile: string;
  readonly launch: () => ChildProcess;
}) {
  let child: ChildProcess | undefined;
  let ended: Promise<void> = Promise.resolve();
  const query = async (text: string) => {
    const client = new pg.Client(`postgres://postgres@127.0.0.1:${port}/postgres`);
    client.on('error', () => {}); // fails the statement
    try {
      await client.connect();
      return (await client.query(text)).rows;
    } finally {
      client.end().catch(() => {});
    }
  };
  return {
    port,
    dataDir,
    query,
    /** Of the postmaster. */
    get pid() {
      return child?.pid ?? 0;
    },
    /** A signal to the postmaster; resolves once it has ended. */
    async end(signal: NodeJS.Signals) {
      child?.kill(signal);
      await ended;
    },
    async start() {
      const started = launch();
      child = started;
      const watchdog =
        started.pid === undefined ? undefined : startWatchdog({ pid: started.pid, signal: 'QUIT' });
      ended = new Promise((resolve) => {
        started.once('close', () => {
          watchdog?.cancel();
          resolve();
        });
      });
      const deadline = Date.now() + START_TIMEOUT_MS;
      for (;;) {
        try {
          await query('SELECT 1');
          return;
        } catch (error) {
          if (!isRunning(started) || Date.now() > deadline) {
            const lastLines = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-LOG_LINES);
            throw new Error(`${name} did not start:\n${lastLines.join('\n')}`, { cause: error });
          }
          await sleep(50);
        }
      }
    },
    /** SIGKILL to the postmaster and all of its processes. */
    async kill() {
      if (child?.pid !== undefined && isRunning(child)) {
        spawnSync('pkill', ['-KILL', '-P', String(child.pid)]);
        child.kill('SIGKILL');
      }
      await ended;
    },
  };
}
