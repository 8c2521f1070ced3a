import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Account } from './account.ts';
import { type Binaries, binariesFor } from './binaries.ts';
import { syncFolder, writeDurably } from './durable-file.ts';
import { dataOf, type Place } from './place.ts';
import { identify, isAlive, type ProcessIdentity } from './process-identity.ts';

export interface RunningServer extends ProcessIdentity {
  readonly port: number;
}

export interface ServerSettings {
  readonly [name: string]: string;
}

/** For tests: several times faster, and a crash may lose data. */
export const TEMPORARY_SETTINGS: ServerSettings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '200',
};

const ALWAYS: ServerSettings = {
  listen_addresses: '127.0.0.1',
  // No socket file: its path is limited to 107 bytes and its folder would have to be reachable too.
  unix_socket_directories: '',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Statements contain personal data, which must not be logged.
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
  // By default, tables that fill up keep the statistics of empty ones for up to a minute.
  autovacuum_naptime: '5s',
};

const USER = 'postgres';
const SERVICE_ROLE = 'claims_service';
const DATABASE = 'claims';
const START_TIMEOUT_MS = 120_000;

const logOf = (place: Place) => join(place.folder, 'postgres.log');
const servicePasswordOf = (place: Place) => join(place.folder, 'service-password');
const passwordOf = (place: Place) => join(place.folder, 'password');
const pidFileOf = (place: Pick<Place, 'folder'>) => join(dataOf(place), 'postmaster.pid');
const stateOf = (place: Pick<Place, 'folder'>) => join(place.folder, 'server.json');

export function urlOf(place: Place, port: number, database = DATABASE): string {
  return `postgres://${USER}:${readFileSync(passwordOf(place), 'utf8').trim()}@127.0.0.1:${port}/${database}`;
}

export const serviceUrlOf = (place: Place, port: number): string =>
  `postgres://${SERVICE_ROLE}:${readFileSync(servicePasswordOf(place), 'utf8').trim()}@127.0.0.1:${port}/${DATABASE}`;

/** The server recorded by `start`, if it is still running. */
export function recorded(place: Place): RunningServer | undefined {
  const server = readState(place);
  return server && isAlive(server) ? server : undefined;
}

/** The first step of stopping: other processes no longer find the server. Its port is kept for the next one. */
export function forget(place: Pick<Place, 'folder'>): void {
  const port = readState(place)?.port;
  if (port !== undefined) writeState(place, { pid: 0, start: '', port });
}

export function isInitialized(place: Place): boolean {
  return existsSync(join(dataOf(place), 'PG_VERSION'));
}

export function initialize(place: Place, { durable }: { durable: boolean }): void {
  const binaries = place.binaries ?? binariesFor(place.account);
  const password = randomBytes(24).toString('hex');
  // Built under a temporary name and renamed, so that an interrupted attempt is not taken for a database.
  const draft = join(place.folder, 'data-new');
  const passwordForInitdb = join(place.folder, 'password-new');
  rmSync(draft, { recursive: true, force: true });
  rmSync(passwordForInitdb, { force: true });
  try {
    mkdirSync(draft, { mode: 0o700 });
    changeOwner(draft, place.account);
    writeFileSync(passwordForInitdb, password, { mode: 0o600, flag: 'wx' });
    changeOwner(passwordForInitdb, place.account);
    const result = spawnSync(
      binaries.initdb,
      [
        `--pgdata=${draft}`,
        `--username=${USER}`,
        `--pwfile=${passwordForInitdb}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--locale=C',
        '--no-instructions',
        ...(durable ? [] : ['--no-sync']),
      ],
      { ...place.account.ids, cwd: '/', env: environment(), encoding: 'utf8' },
    );
    if (result.error)
      throw new Error(`initdb did not start: ${result.error.message}`, { cause: result.error });
    if (result.status !== 0) {
      const outcome = result.signal
        ? `was terminated by ${result.signal}`
        : `failed with exit code ${result.status}`;
      throw new Error(`initdb ${outcome}:\n${lastLines(`${result.stdout}\n${result.stderr}`)}`);
    }
    writeDurably(passwordOf(place), password, { mode: 0o600 });
    renameSync(draft, dataOf(place));
    syncFolder(place.folder);
  } finally {
    rmSync(passwordForInitdb, { force: true });
    rmSync(draft, { recursive: true, force: true });
  }
}

/** PostgreSQL starts only on data of its own major version, and names neither the reason plainly nor a way out. */
export function checkVersion(place: Place): void {
  const binaries = place.binaries ?? binariesFor(place.account);
  const { stdout } = spawnSync(binaries.postgres, ['--version'], { encoding: 'utf8', env: environment() });
  const program = /(\d+)/.exec(stdout ?? '')?.[1];
  const data = readFileSync(join(dataOf(place), 'PG_VERSION'), 'utf8').trim();
  if (program === undefined || data === program) return;
  throw new Error(
    `${dataOf(place)} holds data of PostgreSQL ${data}, and this release has PostgreSQL ${program}. ` +
      'Run "svc database backup FILE" with the release that used this data, then "svc database restore FILE" with ' +
      'this one and an empty DATA_DIR. If the schemas differ, restore into a server with the former release first.',
  );
}

/** Starts the server in a separate session, so that it outlives this process while others use it. */
export async function start(place: Place, settings: ServerSettings): Promise<RunningServer> {
  const binaries = place.binaries ?? binariesFor(place.account);
  // The same port as before, for processes that outlived the server.
  const previousPort = readState(place)?.port;
  for (let attempt = 0; ; attempt++) {
    const port = attempt === 0 && previousPort !== undefined ? previousPort : await freePort();
    const server = await launch(place, binaries, port, settings);
    if (server !== 'port taken') {
      writeState(place, server);
      return server;
    }
    if (attempt === 5) throw new Error('Found no free port for PostgreSQL in six attempts.');
  }
}

async function launch(
  place: Place,
  binaries: Binaries,
  port: number,
  settings: ServerSettings,
): Promise<RunningServer | 'port taken'> {
  const logFile = logOf(place);
  if (existsSync(logFile)) renameSync(logFile, `${logFile}.1`);
  const log = openSync(logFile, 'ax', 0o600);
  const options = Object.entries({ ...ALWAYS, ...settings, port: String(port) });
  const child = spawn(
    binaries.postgres,
    ['-D', dataOf(place), ...options.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    { ...place.account.ids, cwd: '/', env: environment(), detached: true, stdio: ['ignore', log, log] },
  );
  closeSync(log);
  child.unref();
  let ended: string | undefined;
  child.once('error', (error) => {
    ended = error.message;
  });
  child.once('exit', (code, signal) => {
    ended = signal ? `terminated by ${signal}` : `exit code ${code}`;
  });
  const failure = (reason: string) =>
    new Error(
      `PostgreSQL did not start (${reason}). The last lines of ${logFile}:\n${lastLines(readFileSync(logFile, 'utf8'))}`,
    );
  const identity = child.pid === undefined ? undefined : identify(child.pid);
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    if (ended !== undefined || identity === undefined) {
      if (/Address already in use|could not bind/.test(readFileSync(logFile, 'utf8'))) return 'port taken';
      throw failure(ended ?? 'it exited immediately');
    }
    const server = { ...identity, port };
    if (declaresReady(place, server) && (await probe(place, server)) === 'ready') return server;
    if (Date.now() > deadline) {
      child.kill('SIGKILL');
      throw failure(`not ready after ${START_TIMEOUT_MS / 1000} s`);
    }
    await sleep(25);
  }
}

/** Checked before connecting: until then another program may be listening on the port. */
function declaresReady(place: Place, { pid }: ProcessIdentity): boolean {
  const lines = pidFileLines(place);
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
}

/** PostgreSQL removes its file at any time, such as when it finds its port taken. */
function pidFileLines(place: Pick<Place, 'folder'>): readonly string[] {
  try {
    return readFileSync(pidFileOf(place), 'utf8').split('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Waits for a server that another process started. False when it ended. */
export async function waitUntilReady(place: Place, server: RunningServer): Promise<boolean> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const found = await probe(place, server);
    if (found === 'ready') return true;
    if (!isAlive(server)) return false;
    if (Date.now() > deadline) {
      throw new Error(
        `PostgreSQL (process ${server.pid}, port ${server.port}) is running but does not accept connections: ${found.message}`,
        { cause: found },
      );
    }
    await sleep(100);
  }
}

async function probe(place: Place, { port }: RunningServer): Promise<'ready' | Error> {
  try {
    const rows = await query(place, port, 'postgres', 'SHOW data_directory');
    const directory = String(rows[0]?.data_directory);
    return directory === realpathSync(dataOf(place))
      ? 'ready'
      : new Error(`the server on port ${port} serves ${directory}`);
  } catch (error) {
    return error as Error;
  }
}

export async function createDatabaseIfMissing(place: Place, port: number): Promise<void> {
  const found = await query(
    place,
    port,
    'postgres',
    `SELECT 1 FROM pg_database WHERE datname = '${DATABASE}'`,
  );
  if (found.length === 0) await query(place, port, 'postgres', `CREATE DATABASE ${DATABASE}`);
}

/** A login role without privileges: the migrations grant what the service needs. */
export async function createServiceRole(place: Place, port: number): Promise<void> {
  const file = servicePasswordOf(place);
  const find = `SELECT 1 FROM pg_roles WHERE rolname = '${SERVICE_ROLE}'`;
  const exists = (await query(place, port, 'postgres', find)).length > 0;
  if (exists && existsSync(file)) return;
  const password = randomBytes(24).toString('hex');
  const command = exists ? 'ALTER' : 'CREATE';
  await query(place, port, 'postgres', `${command} ROLE ${SERVICE_ROLE} LOGIN PASSWORD '${password}'`);
  writeDurably(file, password, { mode: 0o600 });
}

async function query(
  place: Place,
  port: number,
  database: string,
  sql: string,
): Promise<Record<string, unknown>[]> {
  // ssl is set so that PGSSLMODE, meant for another server, has no effect.
  const client = new pg.Client({
    connectionString: urlOf(place, port, database),
    ssl: false,
    connectionTimeoutMillis: 5_000,
    query_timeout: 60_000,
  });
  // An unhandled 'error' event would end this process; the query rejects anyway.
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

/**
 * Ensures that no server runs in this place: one that is being stopped, or one whose starter was killed before
 * it recorded the server. Also removes a postmaster.pid whose pid now belongs to another process, since
 * PostgreSQL would not start.
 */
export async function clear(place: Pick<Place, 'folder'>): Promise<void> {
  forget(place);
  const pid = Number(pidFileLines(place)[0]);
  const identity = pid > 0 ? identify(pid) : undefined;
  if (identity && serves(pid, dataOf(place))) {
    await stop(identity);
  } else if (pid > 0 && (identity || processExists(pid))) {
    rmSync(pidFileOf(place), { force: true });
  }
  // Otherwise the file stays: after a crash PostgreSQL needs it to find shared memory still in use.
}

function processExists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function serves(pid: number, data: string): boolean {
  if (process.platform === 'linux') {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(data);
    } catch {
      return false;
    }
  }
  const { stdout } = spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout?.includes(data) ?? false;
}

/** SIGINT is PostgreSQL's fast shutdown; the other signals follow only if that takes too long. */
export async function stop(server: ProcessIdentity): Promise<void> {
  for (const [signal, timeoutMs] of [
    ['SIGINT', 30_000],
    ['SIGQUIT', 10_000],
    ['SIGKILL', 10_000],
  ] as const) {
    if (!signalServer(server, signal)) return;
    const deadline = Date.now() + timeoutMs;
    while (Date.now() < deadline) {
      if (!isAlive(server)) return;
      await sleep(20);
    }
  }
  throw new Error(`PostgreSQL (process ${server.pid}) cannot be stopped.`);
}

export function signalServer(server: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (!isAlive(server)) return false;
  try {
    return process.kill(server.pid, signal);
  } catch {
    return false;
  }
}

function changeOwner(path: string, { ids }: Account): void {
  if (ids.uid !== undefined && ids.gid !== undefined) chownSync(path, ids.uid, ids.gid);
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = createServer();
    socket.once('error', reject);
    socket.listen(0, '127.0.0.1', () => {
      const address = socket.address();
      socket.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

/** Without the caller's PG* and LC_* variables, on which the server must not depend. */
function environment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}

/** Readable by all, as the locks are. */
const writeState = (place: Pick<Place, 'folder'>, state: RunningServer): void =>
  writeDurably(stateOf(place), JSON.stringify(state), { mode: 0o644 });

function readState(place: Pick<Place, 'folder'>): RunningServer | undefined {
  try {
    return JSON.parse(readFileSync(stateOf(place), 'utf8')) as RunningServer;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function lastLines(text: string): string {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-15)
    .join('\n');
}
