import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { StatementRunner } from '../src/driver/statement-runner.ts';
import { type FreshDatabase, freshDatabase } from './fresh-database.ts';

let database: FreshDatabase;
let pool: pg.Pool;
let client: pg.PoolClient;
const asking = new StatementRunner(60_000);
const ask = <R>(name: string, text: string, ...values: (string | number | null)[]) =>
  asking.prepared<R>(client, { name, text }, values);

beforeAll(async () => {
  database = await freshDatabase();
  await database.sql.query('CREATE TABLE things (id integer PRIMARY KEY, note text)');
  const settings = { connectionString: database.url, pipeline: true } as pg.PoolConfig;
  pool = new pg.Pool(settings);
  pool.on('connect', (connection) => connection.on('error', () => {}));
  client = await pool.connect();
});
afterAll(async () => {
  client.release();
  await pool.end();
  await database.drop();
});

test('a statement answers the same the first time and every later time, also within one write', async () => {
  const add = 'INSERT INTO things VALUES ($1, $2)';
  const all = 'SELECT id, note FROM things ORDER BY id';
  const rows = [
    { id: 1, note: 'one' },
    { id: 2, note: null },
  ];
  const [one, two, first, second] = await Promise.all([
    ask('add', add, 1, 'one'),
    ask('add', add, 2, null),
    ask('all', all),
    ask('all', all),
  ]);
  expect([one, two].map(({ rowCount }) => rowCount)).toEqual([1, 1]);
  for (const answer of [first, second, await ask('all', all)]) expect(answer.rows).toEqual(rows);
  expect(await ask('add', add, 3, 'three')).toMatchObject({ rowCount: 1, rows: [] });
  expect((await ask('drop', 'DELETE FROM things WHERE id = $1', 3)).rowCount).toBe(1);
});

test('a failed statement fails alone, whether its columns were known or not', async () => {
  const half = 'SELECT 100 / $1::integer AS share';
  const settled = await Promise.allSettled([ask('half', half, 0), ask('half', half, 4)]);
  expect(settled).toMatchObject([{ reason: { code: '22012' } }, { value: { rows: [{ share: 25 }] } }]);
  const again = await Promise.allSettled([ask('half', half, 5), ask('half', half, 0), ask('half', half, 2)]);
  expect(again).toMatchObject([
    { value: { rows: [{ share: 20 }] } },
    { reason: { code: '22012' } },
    { value: { rows: [{ share: 50 }] } },
  ]);
});

test('columns that have changed meanwhile are refused, never misread', async () => {
  await database.sql.query('CREATE TABLE changing (held integer)');
  await database.sql.query('INSERT INTO changing VALUES (7)');
  const text = 'SELECT * FROM changing';
  expect((await ask('changing', text)).rows).toEqual([{ held: 7 }]);
  await database.sql.query("ALTER TABLE changing ALTER held TYPE text USING 'seven'");
  await expect(ask('changing', text)).rejects.toMatchObject({ code: '0A000' });
});

test('a connection that stays silent is broken off, and everyone who waits for it is told', async () => {
  const impatient = new StatementRunner(200);
  const silent = await pool.connect();
  const waiting = ['SELECT pg_sleep(30)', 'SELECT 1 AS one'].map((text) =>
    impatient.prepared(silent, { name: text, text }, []),
  );
  for (const outcome of await Promise.allSettled(waiting)) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { message: /terminated|not queryable/i } });
  }
  silent.release(true);
});
