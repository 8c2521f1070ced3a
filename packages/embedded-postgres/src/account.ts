import { execFileSync, spawnSync } from 'node:child_process';

/** The user that runs the server. Empty ids: the user of this process. */
export interface Account {
  readonly name: string;
  readonly ids: { readonly uid?: number; readonly gid?: number };
}

export function runsAsRoot(): boolean {
  return process.getuid?.() === 0;
}

export const SELF: Account = { name: 'the current user', ids: {} };

/**
 * PostgreSQL does not run as root, so root uses an unprivileged account: `postgres` if it exists or can be
 * created (a system account without login or home), else `nobody`. `nobody` comes last because other
 * services that run as nobody could read the data.
 */
export function unprivilegedAccount(log: (line: string) => void): Account {
  if (!runsAsRoot()) return SELF;
  const existing = find('postgres');
  if (existing) return existing;
  const attempts: [string, string[]][] = [
    ['useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', 'postgres']],
    ['adduser', ['-S', '-D', '-H', '-s', '/sbin/nologin', 'postgres']],
  ];
  for (const [command, args] of attempts) {
    // Another process may create it at the same time, so the result is whether the account exists.
    spawnSync(command, args, { stdio: 'ignore' });
    const created = find('postgres');
    if (created) {
      log('PostgreSQL does not run as root: created the system account "postgres" for it.');
      return created;
    }
  }
  const nobody = find('nobody');
  if (nobody) return nobody;
  throw new Error(
    'PostgreSQL does not run as root, and no account "postgres" or "nobody" exists or could be created. ' +
      'Run as another user, or set DATABASE_URL to your own server.',
  );
}

/** The account that owns existing files; undefined when root owns them. */
export function accountOfOwner(owner: { uid: number; gid: number }): Account | undefined {
  if (owner.uid === 0) return undefined;
  const name = spawnSync('id', ['-un', String(owner.uid)], { encoding: 'utf8' }).stdout?.trim();
  return { name: name || `uid ${owner.uid}`, ids: { uid: owner.uid, gid: owner.gid } };
}

function find(name: string): Account | undefined {
  try {
    const id = (flag: string) =>
      Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
    const uid = id('-u');
    return uid > 0 ? { name, ids: { uid, gid: id('-g') } } : undefined;
  } catch {
    return undefined;
  }
}

/** Tried out instead of read from mode bits: ACLs, mount options and every parent folder matter too. */
export function canReach(account: Account, dir: string): boolean {
  if (account.ids.uid === undefined) return true;
  const probe = spawnSync('/bin/sh', ['-c', 'cd -- "$1"', 'sh', dir], {
    ...account.ids,
    cwd: '/',
    stdio: 'ignore',
  });
  if (probe.error) {
    throw new Error(`Root cannot start processes as ${account.name}: ${probe.error.message}`, {
      cause: probe.error,
    });
  }
  return probe.status === 0;
}
