import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { appendFileSync, chownSync, existsSync, openSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Account,
  createTemporaryFolder,
  freePort,
  startWatchdog,
  unprivilegedAccount,
} from '@svc/embedded-postgres';
import pg from 'pg';
import { findCommand, installDebianPackage } from '../services/debian-package.ts';

const DEBIAN_ROOT = '/usr/lib/postgresql';
const START_TIMEOUT_MS = 60_000;

/** A folder for servers, with PostgreSQL's own programs, which the embedded server lacks (`pg_basebackup`). */
export interface Drill {
  readonly folder: string;
  readonly account: Account;
  /** Runs a program of PostgreSQL as the account that owns the servers. */
  run(program: string, args: readonly string[]): void;
  readonly programs: string;
  remove(): void;
}

export async function openDrill(log: (line: string) => void): Promise<Drill> {
  const account = unprivilegedAccount(log);
  const programs = await folderOfPrograms(log);
  const folder = await createTemporaryFolder(account);
  if (account.ids.uid !== undefined) chownSync(folder, account.ids.uid, account.ids.gid ?? -1);
  return {
    folder,
    account,
    programs,
    run: (program, args) =>
      void execFileSync(join(programs, program), args, { ...account.ids, cwd: folder, stdio: 'pipe' }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function folderOfPrograms(log: (line: string) => void): Promise<string> {
  const find = (): string | undefined => {
    const versions = existsSync(DEBIAN_ROOT) ? readdirSync(DEBIAN_ROOT) : [];
    const folders = versions
      .sort((a, b) => Number(b) - Number(a))
      .map((one) => join(DEBIAN_ROOT, one, 'bin'));
    const onPath = findCommand('pg_basebackup');
    return (
      folders.find((one) => existsSync(join(one, 'pg_basebackup'))) ??
      (onPath === undefined || findCommand('initdb') === undefined ? undefined : join(onPath, '..'))
    );
  };
  const found = find();
  if (found !== undefined) return found;
  const error = await installDebianPackage('postgresql', log);
  const installed = find();
  if (installed !== undefined) return installed;
  throw new Error(`A drill needs PostgreSQL with pg_basebackup, and it could not be installed: ${error}.`);
}

export interface DrillServer {
  readonly dataDir: string;
  readonly port: number;
  readonly url: string;
  start(): Promise<void>;
  /** SIGKILL to the postmaster and all of its processes. */
  kill(): Promise<void>;
  /** PostgreSQL's fast shutdown. */
  shutDown(): Promise<void>;
  // biome-ignore lint/suspicious/noExplicitAny: rows of any shape
  query(text: string): Promise<any[]>;
}

/** A server on data that exists, or is initialized with trust authentication on loopback. */
export async function createServer(
  drill: Drill,
  name: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<DrillServer> {
  const dataDir = join(drill.folder, name);
  const port = await freePort();
  if (!existsSync(dataDir))
    drill.run('initdb', [
      '--pgdata',
      dataDir,
      '--username',
      'postgres',
      '--auth',
      'trust',
      '--encoding',
      'UTF8',
    ]);
  const lines = Object.entries({
    ...settings,
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: drill.folder,
    max_connections: '200',
  });
  appendFileSync(
    join(dataDir, 'postgresql.conf'),
    lines.map(([key, value]) => `${key} = '${value}'\n`).join(''),
  );
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  let child: ChildProcess | undefined;
  let ended: Promise<void> = Promise.resolve();
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child?.pid !== undefined && signal === 'SIGKILL')
      spawnSync('pkill', ['-KILL', '-P', String(child.pid)]);
    child?.kill(signal);
    await ended;
  };
  const query = async (text: string) => {
    const client = new pg.Client(url);
    client.on('error', () => {}); // fails the statement
    try {
      await client.connect();
      return (await client.query(text)).rows;
    } finally {
      client.end().catch(() => {});
    }
  };
  return {
    dataDir,
    port,
    url,
    query,
    async start() {
      const output = openSync(join(drill.folder, `${name}.log`), 'a');
      const started = spawn(join(drill.programs, 'postgres'), ['-D', dataDir], {
        ...drill.account.ids,
        cwd: drill.folder,
        stdio: ['ignore', output, output],
      });
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
          if (started.exitCode !== null || Date.now() > deadline)
            throw new Error(`${name} did not start; see ${drill.folder}/${name}.log`, { cause: error });
          await sleep(50);
        }
      }
    },
    kill: () => end('SIGKILL'),
    shutDown: () => end('SIGINT'),
  };
}
