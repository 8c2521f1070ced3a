import { beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { atEnd } from '../../../tools/services/at-end.ts';
import { createDatabase, withClient } from '../../../tools/services/postgres.ts';
import { backUp, connect, restoreBackup } from '../src/index.ts';
import { aClaim, addClaim, aFirm } from './a-firm.ts';

let url: string;
/** Of another database, since a move wants its own for itself. */
let outside: pg.Client;
beforeAll(async () => {
  ({ url } = await createDatabase());
  const stores = await connect({ url });
  const { firmId, svcId } = await aFirm(stores);
  for (let n = 0; n < 3; n += 1) await addClaim(stores, aClaim(firmId, svcId));
  await stores.close();
  outside = new pg.Client({ connectionString: process.env.TEST_DATABASE_URL });
  await outside.connect();
  atEnd(() => outside.end());
});

const query = (on: string, sql: string) => withClient(on, async (client) => (await client.query(sql)).rows);

/** How many tables of a database are locked in each way, but for reading. */
const locks = async (on: string): Promise<Record<string, number>> => {
  const { rows } = await outside.query(
    `SELECT mode, count(DISTINCT relation)::int AS tables FROM pg_locks
      WHERE database = (SELECT oid FROM pg_database WHERE datname = $1) AND mode IN ('ShareLock', 'AccessExclusiveLock')
        AND granted AND relation >= 16384 GROUP BY mode`,
    [new URL(on).pathname.slice(1)],
  );
  return Object.fromEntries(rows.map(({ mode, tables }) => [mode, tables]));
};
const tableCount = async (on: string): Promise<number> =>
  (await query(on, "SELECT count(*)::int AS n FROM pg_tables WHERE schemaname = 'public'"))[0].n;

async function collected(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}
/** In pieces of this many bytes. */
async function* pieces(of: Buffer, bytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < of.length; at += bytes) yield of.subarray(at, at + bytes);
}
const footerOf = (backup: Buffer) => JSON.parse(backup.toString().trimEnd().split('\n').at(-1) ?? '');

test('while a database is moved, nobody can write any of its tables; a backup locks none, and has the rows of its start', async () => {
  const found = [];
  for (const isMove of [true, false]) {
    const backup = backUp(url, { isMove });
    await backup.next();
    found.push(await locks(url));
    const write = query(url, `SET lock_timeout = 1; UPDATE firms SET name = name || '!'`);
    const added = await write.then(
      () => query(url, 'INSERT INTO carriers (firm_id, name_key, name) SELECT id, name, name FROM firms'),
      (error) => error.code,
    );
    found.push(added, footerOf(await collected(backup)).rows['public.carriers']);
  }
  expect(found).toEqual([{ ShareLock: await tableCount(url) }, '55P03', 1, {}, [], 1]);
});

test('a restore reads pieces of any size, keeps others out while it fills the tables, and goes on counting ids', async () => {
  const progress: number[] = [];
  const backup = await collected(backUp(url, { onProgress: (rows) => progress.push(rows) }));
  const copy = (await createDatabase()).url;
  const [first, seen]: [number, Record<string, number>[]] = [backup.indexOf('"public.claims"'), []];
  const [header, table] = [backup.indexOf('\n'), backup.indexOf('\n', first)];
  // Each of two lines is shorter than a line may be, and both together are longer.
  const spaces = Buffer.alloc(9 << 20, ' ');
  async function* watched(): AsyncGenerator<Buffer> {
    yield* [backup.subarray(0, header), spaces];
    yield* pieces(backup.subarray(header, first), 7);
    seen.push(await locks(copy));
    yield* [backup.subarray(first, table), spaces, backup.subarray(table)];
  }
  const { rows, at } = await restoreBackup(copy, watched());
  expect(at).toBe(JSON.parse(backup.toString().split('\n', 1)[0] ?? '').at);
  expect(seen).toEqual([{ AccessExclusiveLock: await tableCount(copy) }]);
  expect(rows).toEqual(footerOf(backup).rows);
  const total = Object.values<number>(rows).reduce((sum, count) => sum + count);
  expect([progress.length, progress.at(-1)]).toEqual([Object.keys(rows).length, total]);
  expect(progress).toEqual([...progress].sort((a, b) => a - b));
  const content = 'SELECT * FROM claims ORDER BY id';
  expect(await query(copy, content)).toEqual(await query(url, content));
  const nextJob = `INSERT INTO jobs (payload, run_at) VALUES ('{}', now()) RETURNING id`;
  expect(await query(copy, nextJob)).toEqual(await query(url, nextJob));
});

test('a move and a restore name the first five who use the database, and how many more', async () => {
  const used = (await createDatabase()).url;
  const users: pg.Client[] = [];
  const join = async (application_name: string): Promise<void> => {
    const client = new pg.Client({ connectionString: used, application_name });
    await client.connect();
    atEnd(() => client.end());
    users.push(client);
  };
  await join('tool-1');
  const needs = 'needs the database for itself, and it has';
  const named = (n: number): string => `tool-${n} as \\S+( from \\S+)? \\(idle\\)`;
  const alone = new RegExp(
    `^Restoring a backup ${needs} 1 other connection: ${named(1)}\\. Stop the service first`,
  );
  const backup = await collected(backUp(url));
  await expect(restoreBackup(used, pieces(backup, 1 << 16))).rejects.toThrow(alone);
  for (let n = 2; n <= 7; n += 1) await join(`tool-${n}`);
  const list = [1, 2, 3, 4, 5].map(named).join(', ');
  const many = new RegExp(`^Moving the database ${needs} 7 other connections: ${list}, 2 more\\. Stop`);
  await expect(collected(backUp(used, { isMove: true }))).rejects.toThrow(many);
});

test('a restore is refused by a database with an adjuster alone, and for a row that is longer than any', async () => {
  const taken = (await createDatabase()).url;
  const backup = await collected(backUp(url));
  const claims = backup.indexOf('\n', backup.indexOf('"public.claims"')) + 1;
  const endless = Buffer.concat([backup.subarray(0, claims), Buffer.alloc(16 * 1024 * 1024 + 1, 'x')]);
  await expect(restoreBackup(taken, pieces(endless, 1 << 20))).rejects.toThrow('it has too long a row');
  await query(taken, "INSERT INTO adjusters (svc_id) VALUES ('A1')");
  await expect(restoreBackup(taken, pieces(backup, 1 << 16))).rejects.toThrow('it has the adjuster A1');
});
