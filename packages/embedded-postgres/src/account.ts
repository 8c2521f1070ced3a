import { execFileSync, spawnSync } from 'node:child_process';

/** Who the server runs as. Empty ids: as whoever runs this process. */
export interface Account {
  readonly name: string;
  readonly ids: { readonly uid?: number; readonly gid?: number };
}

export function runsAsRoot(): boolean {
  return process.getuid?.() === 0;
}

export const SELF: Account = { name: 'the current user', ids: {} };

/**
 * PostgreSQL refuses to run as root, so root hands it to an account without rights: `postgres` where a
 * package has made one, else it is made (a system account without login or home), else `nobody`. The last
 * is second best, since other services may run as nobody too and could then read the data.
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
    // Two processes may do this at once: what counts is whether the account is there afterwards.
    spawnSync(command, args, { stdio: 'ignore' });
    const created = find('postgres');
    if (created) {
      log('PostgreSQL does not run as root: made the system account "postgres" for it.');
      return created;
    }
  }
  const nobody = find('nobody');
  if (nobody) return nobody;
  throw new Error(
    'PostgreSQL does not run as root, there is no account "postgres" or "nobody" to run it as, and none could be made. ' +
      'Run as another user, or set DATABASE_URL to a server of your own.',
  );
}

/** The account that owns files already there; undefined when they belong to root. */
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

/** Asks the system rather than the mode bits: ACLs, mount options and every parent folder have a say. */
export function canReach(account: Account, dir: string): boolean {
  if (account.ids.uid === undefined) return true;
  const probe = spawnSync('/bin/sh', ['-c', 'cd -- "$1"', 'sh', dir], {
    ...account.ids,
    cwd: '/',
    stdio: 'ignore',
  });
  if (probe.error) {
    throw new Error(`Root may not start processes as ${account.name} here: ${probe.error.message}`, {
      cause: probe.error,
    });
  }
  return probe.status === 0;
}
