import { chownSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryFolder, unprivilegedAccount } from '@svc/embedded-postgres';
import { atEnd } from './at-end.ts';
import { onFreePort, startDaemon } from './daemon.ts';
import { requireCommand } from './debian-package.ts';
import { withClient } from './postgres.ts';

export type PgBouncer = Awaited<ReturnType<typeof startPgBouncer>>;

/** PgBouncer in transaction mode, which breaks clients that rely on session state; in a test until its end. */
export async function startPgBouncer({
  databaseUrl,
  poolSize = 5,
  log = () => {},
}: {
  databaseUrl: string;
  /** Connections to PostgreSQL; few, so that the transactions of one client use different ones. */
  poolSize?: number;
  log?: (line: string) => void;
}) {
  const command = await requireCommand('pgbouncer', { log });
  // Like PostgreSQL, PgBouncer does not run as root.
  const account = unprivilegedAccount(log);
  const folder = await createTemporaryFolder(account);
  const config = join(folder, 'pgbouncer.ini');
  const urlAt = (port: number): string =>
    Object.assign(new URL(databaseUrl), { host: `127.0.0.1:${port}`, password: '' }).href;
  const { port, daemon } = await onFreePort((port) => {
    rmSync(config, { force: true });
    writeFileSync(config, configuration(new URL(databaseUrl), port, poolSize), { mode: 0o600 });
    const { uid, gid } = account.ids;
    if (uid !== undefined && gid !== undefined) chownSync(config, uid, gid);
    return startDaemon({
      command,
      args: [config],
      folder,
      ids: account.ids,
      isReady: () => withClient(urlAt(port), (client) => client.query('SELECT 1')),
    });
  });
  const stop = async (): Promise<void> => {
    await daemon.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  atEnd(stop);
  // The URL is of the same database, through the pooler.
  return { url: urlAt(port), pid: daemon.pid, stop };
}

function configuration(target: URL, port: number, poolSize: number): string {
  const user = decodeURIComponent(target.username);
  const password = decodeURIComponent(target.password);
  const quoted = (value: string) => `'${value.replaceAll("'", "''")}'`;
  return `[databases]
* = host=${quoted(target.hostname)} port=${target.port || 5432} user=${quoted(user)}${password && ` password=${quoted(password)}`}

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
