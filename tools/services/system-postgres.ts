import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Binaries } from '@svc/embedded-postgres';
import { findCommand, installDebianPackage } from './debian-package.ts';

/** Debian installs each major version into a folder that is not on the PATH. */
const DEBIAN_ROOT = '/usr/lib/postgresql';

/**
 * The PostgreSQL that tests run on: with TEST_POSTGRES=system the one of this machine, installed if necessary, otherwise
 * the embedded one (undefined). Distributions build theirs with JIT, which the embedded one lacks.
 */
export async function postgresBinaries(
  log: (line: string) => void = () => {},
): Promise<Binaries | undefined> {
  return process.env.TEST_POSTGRES === 'system' ? systemPostgresBinaries(log) : undefined;
}

/** Of the PostgreSQL of this machine, installed if necessary. */
export async function systemPostgresBinaries(log: (line: string) => void = () => {}): Promise<Binaries> {
  const folder = await postgresPrograms(['initdb', 'postgres'], log);
  return { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres') };
}

/** The folder of this machine's PostgreSQL with these programs, installed if necessary. */
export async function postgresPrograms(
  names: readonly string[],
  log: (line: string) => void,
): Promise<string> {
  const find = () => candidates().find((folder) => names.every((name) => existsSync(join(folder, name))));
  const found = find();
  if (found) return found;
  const error = await installDebianPackage('postgresql', log);
  const installed = find();
  if (installed) return installed;
  throw new Error(
    `This needs PostgreSQL (${names.join(', ')}): neither on the PATH nor below ${DEBIAN_ROOT}, and apt-get could not ` +
      `install it (${error ?? 'the package does not contain them'}).`,
  );
}

function candidates(): string[] {
  const onPath = findCommand('postgres');
  return [...(onPath ? [dirname(onPath)] : []), ...debianFolders()];
}

/** The newest version first. */
function debianFolders(): string[] {
  if (!existsSync(DEBIAN_ROOT)) return [];
  return readdirSync(DEBIAN_ROOT)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(DEBIAN_ROOT, version, 'bin'));
}
