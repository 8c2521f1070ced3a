import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { temporaryFolder } from '../../../tools/services/temporary-folder.ts';
import { accountOfOwner, canReach, SELF } from '../src/account.ts';
import { linkTo, makeFolders, placeOf } from '../src/place.ts';
import { identify, isAlive, thisProcess } from '../src/process-identity.ts';
import { clear, forget, isInitialized, recorded, serviceUrlOf, urlOf } from '../src/server.ts';
import { createTemporaryFolder } from '../src/temporary-folder.ts';

/** No process has such an id. */
const ENDED = 99_999_999;
const NOBODY = { name: 'nobody', ids: { uid: 65_534, gid: 65_534 } };
const asRoot = process.getuid?.() === 0 ? test : test.skip;

let top: string;
let lines: string[];
const log = (line: string) => void lines.push(line);
beforeEach(() => {
  top = realpathSync(temporaryFolder());
  chmodSync(top, 0o755);
  lines = [];
});

test('missing folders are made with those above them, and what is no folder is an error', () => {
  const umask = process.umask(0);
  try {
    for (const _ of [1, 2]) makeFolders(join(top, 'a/b/c'), 0o750);
  } finally {
    process.umask(umask);
  }
  expect(['a', 'a/b', 'a/b/c'].map((name) => statSync(join(top, name)).mode & 0o777)).toEqual([
    0o750, 0o750, 0o750,
  ]);
  writeFileSync(join(top, 'file'), '');
  for (const name of ['file', 'file/below'])
    expect(() => makeFolders(join(top, name))).toThrow(/EEXIST|ENOTDIR/);
});

/** Data of an account that exists everywhere. */
function dataIn(folder: string): void {
  makeFolders(join(folder, 'data'), 0o755);
  for (const path of [folder, join(folder, 'data')]) chmodSync(path, 0o755);
  chownSync(join(folder, 'data'), 65_534, 65_534);
}

asRoot('data is used by the account that owns it, where it is or where a link leads', () => {
  const [dataDir, elsewhere] = [join(top, 'data-dir'), join(top, 'elsewhere')];
  const wanted = join(dataDir, 'postgres');
  makeFolders(dataDir, 0o755);
  chmodSync(dataDir, 0o755);
  dataIn(wanted);
  expect(placeOf(dataDir, log)).toEqual({ folder: wanted, account: NOBODY, link: undefined });
  expect(readdirSync(wanted)).toEqual(['data']);
  chmodSync(top, 0o700);
  expect(() => placeOf(dataDir, log)).toThrow(
    `nobody can no longer reach its data in ${wanted}: a parent folder`,
  );
  chmodSync(top, 0o755);

  const moved = join(top, 'moved');
  makeFolders(moved);
  dataIn(elsewhere);
  symlinkSync('../elsewhere', join(moved, 'postgres'));
  expect(placeOf(moved, log)).toEqual({ folder: elsewhere, account: NOBODY, link: join(moved, 'postgres') });
  expect(lines).toEqual([]);
});

test('a new DATA_DIR gets a link to its place, where data of an earlier one is set aside', () => {
  const [folder, link] = [join(top, 'place'), join(top, 'link')];
  mkdirSync(join(folder, 'data'), { recursive: true });
  writeFileSync(join(folder, 'data/kept'), 'rows');
  const place = { folder, account: SELF, link };
  linkTo({ ...place, link: undefined }, log);
  expect(lines).toEqual([]);
  symlinkSync(join(top, 'gone'), link);
  linkTo(place, log);
  expect(readlinkSync(link)).toBe(folder);
  const [renamed = ''] = readdirSync(folder);
  expect(renamed).toMatch(/^data-set-aside-[\dTZ-]+$/);
  expect(readFileSync(join(folder, renamed, 'kept'), 'utf8')).toBe('rows');
  expect(lines).toEqual([
    `DATA_DIR is new, so the database starts empty. The data of an earlier DATA_DIR at this path is in ${join(folder, renamed)}.`,
  ]);
  mkdirSync(join(folder, 'data'));
  linkTo(place, log);
  expect([readdirSync(folder).length, lines.length]).toEqual([2, 1]);
  // Started over again a millisecond later.
  rmSync(link);
  for (const at = Date.now(); Date.now() === at; );
  linkTo(place, log);
  expect([readdirSync(folder).length, lines.length]).toEqual([2, 2]);
});

test('a server is found while its process runs; when it is forgotten, its port is kept', () => {
  const place = { folder: top, account: SELF, link: undefined };
  const state = join(top, 'server.json');
  expect(recorded(place)).toBeUndefined();
  forget(place);
  expect(existsSync(state)).toBe(false);
  const server = { ...thisProcess(), port: 5433 };
  for (const [written, found] of [
    [JSON.stringify(server), server],
    [JSON.stringify({ ...server, start: 'long ago' }), undefined],
    [JSON.stringify({ ...server, pid: ENDED }), undefined],
    ['', undefined],
  ] as const) {
    writeFileSync(state, written);
    expect(recorded(place)).toEqual(found);
  }
  writeFileSync(state, JSON.stringify(server));
  forget(place);
  expect([recorded(place), JSON.parse(readFileSync(state, 'utf8'))]).toEqual([
    undefined,
    { pid: 0, start: '', port: 5433 },
  ]);
  expect(statSync(state).mode & 0o777).toBe(0o644);
});

test('a pid that another process has now does not block the next start; that of an ended one stays', async () => {
  const place = { folder: top, account: SELF, link: undefined };
  expect(isInitialized(place)).toBe(false);
  mkdirSync(join(top, 'data'));
  writeFileSync(join(top, 'data/PG_VERSION'), '18\n');
  expect(isInitialized(place)).toBe(true);
  const left = async (pid: number) => {
    writeFileSync(join(top, 'data/postmaster.pid'), `${pid}\n${top}\n`);
    await clear(place);
    return existsSync(join(top, 'data/postmaster.pid'));
  };
  expect([await left(process.pid), await left(ENDED)]).toEqual([false, true]);
});

test('each role has its own password in the URL of the database', () => {
  const place = { folder: top, account: SELF, link: undefined };
  writeFileSync(join(top, 'password'), 'owner\n');
  writeFileSync(join(top, 'service-password'), 'service\n');
  expect([urlOf(place, 5433), urlOf(place, 5433, 'postgres'), serviceUrlOf(place, 5434)]).toEqual([
    'postgres://postgres:owner@127.0.0.1:5433/claims',
    'postgres://postgres:owner@127.0.0.1:5433/postgres',
    'postgres://claims_service:service@127.0.0.1:5434/claims',
  ]);
});

test('a temporary folder can be entered by all, and those of ended processes are removed', async () => {
  const { TMPDIR } = process.env;
  process.env.TMPDIR = top;
  try {
    const own = `claims-temporary-${process.pid}-${thisProcess().start}-1`;
    const [left, kept] = [`claims-temporary-${ENDED}-1-x`, ['claims-temporary-x', own, 'other']];
    for (const name of [left, ...kept]) mkdirSync(join(top, name));
    mkdirSync(join(top, left, 'data'));
    const file = `claims-temporary-${ENDED}-1-file`;
    writeFileSync(join(top, file), '');
    const folder = await createTemporaryFolder(SELF);
    expect(statSync(folder).mode & 0o777).toBe(0o711);
    expect(basename(folder).startsWith(own.slice(0, -1))).toBe(true);
    expect(readdirSync(top).toSorted()).toEqual([...kept, file, basename(folder)].toSorted());
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  }
});

test('a process is told apart from a later one with its id', () => {
  const own = thisProcess();
  expect([own.pid, identify(process.pid)]).toEqual([process.pid, own]);
  expect([ENDED, 0, -1, 1.5, Number.NaN].map(identify)).toEqual(Array(5).fill(undefined));
  expect([own, { ...own, start: '' }, { ...own, start: 'x' }, { ...own, pid: ENDED }].map(isAlive)).toEqual([
    ...[true, true, false, false],
  ]);
});

test('files of root have no account, those of others the account of their owner', () => {
  expect(accountOfOwner({ uid: 0, gid: 0 })).toBeUndefined();
  expect(accountOfOwner({ uid: 65_534, gid: 65_533 })).toEqual({
    name: 'nobody',
    ids: { uid: 65_534, gid: 65_533 },
  });
  expect(accountOfOwner({ uid: 3_999_999, gid: 1 })).toEqual({
    name: 'uid 3999999',
    ids: { uid: 3_999_999, gid: 1 },
  });
  expect(canReach(SELF, join(top, 'missing'))).toBe(true);
});
