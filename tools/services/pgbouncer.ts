import { spawn } from 'node:child_process';
import { chownSync, closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTemporaryFolder, freePort, startWatchdog, unprivilegedAccount } from '@svc/embedded-postgres';
import pg from 'pg';
import { requireCommand } from './debian-package.ts';

export interface PgBouncer {
  /** The same database, through the pooler. */
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** PgBouncer in transaction mode, which breaks clients that rely on session state. */
export async function startPgBouncer({
  databaseUrl,
  poolSize = 5,
  log = () => {},
}: {
  databaseUrl: string;
  /** Connections to PostgreSQL; few, so that the transactions of one client use different ones. */
  poolSize?: number;
  log?: (line: string) => void;
}): Promise<PgBouncer> {
  const command = await requireCommand('pgbouncer', { log });
  // Like PostgreSQL, PgBouncer does not run as root.
  const account = unprivilegedAccount(log);
  const folder = await createTemporaryFolder(account);
  const target = new URL(databaseUrl);
  const config = join(folder, 'pgbouncer.ini');
  const logFile = join(folder, 'pgbouncer.log');
  for (let attempt = 0; ; attempt++) {
    const port = await freePort();
    rmSync(config, { force: true });
    writeFileSync(config, configuration(target, port, poolSize), { mode: 0o600 });
    const { uid, gid } = account.ids;
    if (uid !== undefined && gid !== undefined) chownSync(config, uid, gid);
    rmSync(logFile, { force: true });
    const output = openSync(logFile, 'ax');
    const child = spawn(command, [config], {
      ...account.ids,
      cwd: '/',
      env: { PATH: process.env.PATH, LC_ALL: 'C' },
      detached: true,
      stdio: ['ignore', output, output],
    });
    closeSync(output);
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
    const watchdog =
      child.pid === undefined ? undefined : startWatchdog({ pid: child.pid, signal: 'KILL', folder });
    const stop = async () => {
      child.ref();
      child.kill('SIGKILL');
      await exited;
      watchdog?.cancel();
      rmSync(folder, { recursive: true, force: true });
    };
    const url = new URL(databaseUrl);
    url.host = `127.0.0.1:${port}`;
    url.password = '';
    const deadline = Date.now() + 20_000;
    let lastError = 'no response';
    while (ended === undefined && Date.now() < deadline) {
      try {
        await checkConnection(url.href);
        return { url: url.href, pid: child.pid ?? 0, stop };
      } catch (error) {
        lastError = (error as Error).message;
        await sleep(30);
      }
    }
    const lastLines = readFileSync(logFile, 'utf8').trim().split('\n').slice(-15).join('\n');
    if (/Address already in use/.test(lastLines) && attempt < 5) {
      watchdog?.cancel();
      continue;
    }
    await stop();
    throw new Error(`PgBouncer did not start (${ended ?? lastError}). Last log lines:\n${lastLines}`);
  }
}

function configuration(target: URL, port: number, poolSize: number): string {
  const user = decodeURIComponent(target.username);
  const password = decodeURIComponent(target.password);
  const quoted = (value: string) => `'${value.replaceAll("'", "''")}'`;
  return `[databases]
* = host=${quoted(target.hostname)} port=${target.port || 5432} user=${quoted(user)} password=${quoted(password)}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 1000
; The default is to wait 15 s after a failed connection.
server_login_retry = 1
ignore_startup_parameters = extra_float_digits
log_connections = 0
log_disconnections = 0
`;
}

async function checkConnection(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('SELECT 1');
  } finally {
    await client.end();
  }
}
