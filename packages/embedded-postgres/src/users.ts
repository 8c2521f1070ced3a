import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Place } from './place.ts';
import { isAlive, type ProcessIdentity, thisProcess } from './process-identity.ts';

const folderOf = (place: Place) => join(place.folder, 'users');

/** Records that this process uses the server. Call this under the place's lock. */
export function enter(place: Place): string {
  mkdirSync(folderOf(place), { recursive: true });
  const file = join(folderOf(place), `${process.pid}-${randomBytes(6).toString('hex')}`);
  writeFileSync(file, JSON.stringify(thisProcess()), { flag: 'wx' });
  chmodSync(file, 0o644);
  return file;
}

export function leave(file: string): void {
  rmSync(file, { force: true });
}

/** Whether any process uses the server. Records of ended processes are removed. */
export function inUse(place: Place): boolean {
  let used = false;
  mkdirSync(folderOf(place), { recursive: true });
  for (const name of readdirSync(folderOf(place))) {
    const file = join(folderOf(place), name);
    const user = read(file);
    if (user && isAlive(user)) used = true;
    else rmSync(file, { force: true });
  }
  return used;
}

function read(file: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ProcessIdentity;
  } catch {
    // Removed in between, or truncated by a crash: no user in either case.
    return undefined;
  }
}
