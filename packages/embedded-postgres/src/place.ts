import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { type Account, accountOfOwner, canReach, runsAsRoot, SELF, unprivilegedAccount } from './account.ts';
import type { Binaries } from './binaries.ts';
import { systemFolder } from './system-folder.ts';

/**
 * The files of one server. The user that starts the server owns the folder, so that the server's account
 * cannot make root follow a link out of it; only `data` belongs to the server's account.
 */
export interface Place {
  readonly folder: string;
  readonly account: Account;
  /** The link in DATA_DIR to the folder, when the server's account cannot reach DATA_DIR. */
  readonly link: string | undefined;
  /** Default: the embedded binaries. */
  readonly binaries?: Binaries | undefined;
}

export const dataOf = (place: Pick<Place, 'folder'>) => join(place.folder, 'data');

/**
 * DATA_DIR/postgres, or, when the server's account cannot reach it (for example below /root), a system
 * folder to which DATA_DIR/postgres links. An existing link wins over the path, so that a checkout that is
 * moved keeps its data.
 */
export function placeOf(dataDir: string, log: (line: string) => void): Place {
  const root = resolve(dataDir);
  makeFolders(root);
  const wanted = join(root, 'postgres');
  const linked = targetOf(wanted);
  if (!runsAsRoot()) {
    const folder = linked ?? wanted;
    if (!linked) makeFolders(folder);
    requireOwnership(folder);
    return { folder: realpathSync(folder), account: SELF, link: undefined };
  }
  if (linked) return { folder: realpathSync(linked), account: accountFor(linked, log), link: wanted };

  const account = accountFor(wanted, log);
  if (canReach(account, root) && canChangeOwner(wanted, account)) {
    return { folder: realpathSync(wanted), account, link: undefined };
  }
  if (existsSync(join(wanted, 'data'))) {
    throw new Error(
      `${account.name} can no longer reach its data in ${wanted}: a parent folder or the mount denies access. ` +
        'Grant access, or move the data.',
    );
  }
  const name = createHash('sha256').update(root).digest('hex').slice(0, 16);
  const folder = join(systemFolder(account), `data-${name}`);
  makeFolders(folder, 0o755);
  chmodSync(folder, 0o755);
  return { folder, account: accountFor(folder, log), link: wanted };
}

/**
 * Creates the link. Call this under the place's lock and with no server running. Data without a link to it
 * belongs to a DATA_DIR that was deleted in order to start over; it is renamed, not deleted.
 */
export function linkTo(place: Place, log: (line: string) => void): void {
  if (place.link === undefined || targetOf(place.link) !== undefined) return;
  const data = dataOf(place);
  if (existsSync(data)) {
    const renamed = join(place.folder, `data-set-aside-${new Date().toISOString().replace(/[:.]/g, '-')}`);
    renameSync(data, renamed);
    log(
      `DATA_DIR is new, so the database starts empty. The data of an earlier DATA_DIR at this path is in ${renamed}.`,
    );
  }
  rmSync(place.link, { recursive: true, force: true });
  symlinkSync(place.folder, place.link);
}

/** Not `recursive`: in Node 20 it never returns when an existing parent accepts no folder (/proc). */
export function makeFolders(folder: string, mode = 0o777): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    if (existsSync(folder) && statSync(folder).isDirectory()) return;
    const parent = dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || existsSync(parent)) throw error;
    makeFolders(parent, mode);
    makeFolders(folder, mode);
  }
}

function targetOf(link: string): string | undefined {
  if (!lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink()) return undefined;
  const target = readlinkSync(link);
  const absolute = isAbsolute(target) ? target : resolve(link, '..', target);
  return existsSync(absolute) ? absolute : undefined;
}

/** The owner of existing data, so that data created by a run as root can later be used without root. */
function accountFor(folder: string, log: (line: string) => void): Account {
  const data = statSync(join(folder, 'data'), { throwIfNoEntry: false });
  return (data && accountOfOwner(data)) ?? unprivilegedAccount(log);
}

/** Network and desktop mounts may not support owners; a server cannot keep its data there. */
function canChangeOwner(folder: string, account: Account): boolean {
  const { uid, gid } = account.ids;
  if (uid === undefined || gid === undefined) return true;
  if (!existsSync(folder)) {
    makeFolders(folder, 0o755);
    // mkdir subtracts the umask.
    chmodSync(folder, 0o755);
  }
  const probe = mkdtempSync(join(folder, 'probe-'));
  try {
    chownSync(probe, uid, gid);
    return statSync(probe).uid === uid && canReach(account, probe);
  } catch {
    return false;
  } finally {
    rmSync(probe, { recursive: true, force: true });
  }
}

function requireOwnership(folder: string): void {
  const uid = process.getuid?.();
  const owner = statSync(folder).uid;
  if (uid !== undefined && owner !== uid) {
    throw new Error(
      `The database in ${folder} belongs to uid ${owner}, and this process runs as uid ${uid}. ` +
        'Run as its owner or as root, or choose another DATA_DIR.',
    );
  }
}
