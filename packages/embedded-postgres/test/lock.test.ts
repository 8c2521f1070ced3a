import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { temporaryFolder } from '../../../tools/services/temporary-folder.ts';
import { SELF } from '../src/account.ts';
import { lock, tryLock } from '../src/lock.ts';
import { identify, thisProcess } from '../src/process-identity.ts';
import { enter, inUse, leave } from '../src/users.ts';

/** No process has such an id. */
const ENDED = 99_999_999;

let dir: string;
// Root and the owner of the data read each other's files.
const umask = process.umask();
afterEach(() => void process.umask(umask));
beforeEach(() => {
  process.umask(0o077);
  dir = join(temporaryFolder(), 'lock');
});

test('a lock that is held is not acquired, and the error of who waits too long names its holder', async () => {
  const held = await lock(dir, 1000);
  expect(tryLock(dir)).toEqual({ heldBy: process.pid });
  await expect(lock(dir, 1)).rejects.toThrow(`${dir} has been locked by process ${process.pid} `);
  expect(statSync(join(dir, '1')).mode & 0o777).toBe(0o644);
  held.release();
  const next = await lock(dir, 1000);
  held.release();
  expect(tryLock(dir)).toEqual({ heldBy: process.pid });
  next.release();
});

test.each([
  ['a process that has ended', JSON.stringify({ pid: ENDED, start: '1' })],
  ['an ended process whose id another one has', JSON.stringify({ pid: process.pid, start: 'long ago' })],
  ['nobody', JSON.stringify({ pid: 0, start: '' })],
  ['a process that a power failure has ended', ''],
])('a lock of %s is free, and nothing of it is left', async (_, content) => {
  mkdirSync(dir);
  for (const name of ['9', '10', `draft-${ENDED}-1`]) writeFileSync(join(dir, name), content);
  const draft = `draft-${process.pid}-1`;
  writeFileSync(join(dir, draft), '');
  (await lock(dir, 1000)).release();
  expect(readdirSync(dir).sort()).toEqual(['11', draft]);
});

test('two processes have started at different times', () => {
  expect(identify(process.ppid)?.start).not.toBe(thisProcess().start);
});

test('a server is in use while a process that entered has neither left nor ended', () => {
  const place = { folder: temporaryFolder(), account: SELF, link: undefined };
  const users = join(place.folder, 'users');
  expect(inUse(place)).toBe(false);
  const [one, other] = [enter(place), enter(place)];
  expect(statSync(other).mode & 0o777).toBe(0o644);
  const ended = [JSON.stringify({ pid: ENDED, start: '1' }), ''].map((content, n) => {
    writeFileSync(join(users, `${n}`), content);
    return join(users, `${n}`);
  });
  leave(one);
  expect([inUse(place), existsSync(other), ...ended.map((file) => existsSync(file))]).toEqual([
    ...[true, true, false, false],
  ]);
  leave(other);
  expect([inUse(place), readdirSync(users)]).toEqual([false, []]);
});
