import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { identify, isAlive, type ProcessIdentity, thisProcess } from './process-identity.ts';

interface Lock {
  release(): void;
}

/**
 * A lock between processes that `kill -9` of its holder frees, as with flock(2), which Node lacks. To replace a file would
 * take two steps, so each acquisition is a new, higher generation (`1`, `2`, …), created with its content by link(2). The
 * highest one is the lock, is never deleted, and is free when its content says so or its process has ended.
 */
export function tryLock(dir: string): Lock | { readonly heldBy: number } {
  mkdirSync(dir, { recursive: true });
  const highest = generations(dir).at(-1);
  if (highest !== undefined) {
    const holder = readHolder(join(dir, String(highest)));
    if (holder === undefined || isAlive(holder)) return { heldBy: holder?.pid ?? 0 };
  }
  const generation = (highest ?? 0) + 1;
  const file = join(dir, String(generation));
  const draft = join(dir, `draft-${process.pid}-${randomBytes(6).toString('hex')}`);
  write(draft, JSON.stringify(thisProcess()));
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return { heldBy: 0 };
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  // Between reading and linking, others may have created higher generations and removed this one.
  const current = generations(dir);
  if (current.at(-1) !== generation) {
    rmSync(file, { force: true });
    return { heldBy: 0 };
  }
  for (const old of current) if (old < generation) rmSync(join(dir, String(old)), { force: true });
  removeDeadDrafts(dir);
  let held = true;
  return {
    release() {
      if (!held) return;
      held = false;
      const freed = join(dir, `draft-${process.pid}-${randomBytes(6).toString('hex')}`);
      write(freed, FREE);
      renameSync(freed, file);
    },
  };
}

export async function lock(dir: string, timeoutMs: number): Promise<Lock> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const attempt = tryLock(dir);
    if ('release' in attempt) return attempt;
    if (Date.now() > deadline) {
      const holder = attempt.heldBy ? `process ${attempt.heldBy}` : 'another process';
      throw new Error(
        `${dir} has been locked by ${holder} for ${Math.round(timeoutMs / 1000)} s; is it stuck?`,
      );
    }
    await sleep(20 + Math.random() * 30);
  }
}

/** Readable by all, since root and the owner of the data may alternate and must read each other's files. */
function write(file: string, content: string): void {
  writeFileSync(file, content, { flag: 'wx' });
  chmodSync(file, 0o644);
}

const FREE = '{"pid":0,"start":""}';

function generations(dir: string): number[] {
  return readdirSync(dir)
    .filter((name) => /^[0-9]+$/.test(name))
    .map(Number)
    .sort((a, b) => a - b);
}

/** Undefined when the file was removed in between: a higher generation exists. */
function readHolder(file: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ProcessIdentity;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    // A power failure can leave a file without content. No running process wrote it.
    if (error instanceof SyntaxError) return { pid: 0, start: '' };
    throw error;
  }
}

function removeDeadDrafts(dir: string): void {
  for (const name of readdirSync(dir)) {
    const pid = /^draft-([0-9]+)-/.exec(name)?.[1];
    if (pid !== undefined && identify(Number(pid)) === undefined) rmSync(join(dir, name), { force: true });
  }
}
