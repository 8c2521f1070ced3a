import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import pg from 'pg';
import { StatementRunner } from '../src/driver/statement-runner.ts';
import { type FreshDatabase, freshDatabase } from './fresh-database.ts';

let database: FreshDatabase;
let pool: pg.Pool;
let client: pg.PoolClient;
const runner = new StatementRunner(60_000);
const run = <R>(name: string, text: string, ...values: (string | number | null)[]) =>
  runner.prepared<R>(client, { name, text }, values);

beforeAll(async () => {
  database = await freshDatabase();
  await database.sql.query('CREATE TABLE things (id integer PRIMARY KEY, note text)');
  const settings = { connectionString: database.url, pipeline: true } as pg.PoolConfig;
  pool = new pg.Pool(settings);
  // The database may be dropped before the connection is closed.
  pool.on('error', () => {});
  pool.on('connect', (connection) => connection.on('error', () => {}));
  client = await pool.connect();
});
afterAll(async () => {
  client.release();
  await pool.end();
  await database.drop();
});

test('a statement returns the same result on its first and later executions, also when pipelined', async () => {
  const add = 'INSERT INTO things VALUES ($1, $2)';
  const all = 'SELECT id, note FROM things ORDER BY id';
  const rows = [
    { id: 1, note: 'one' },
    { id: 2, note: null },
  ];
  const [one, two, first, second] = await Promise.all([
    run('add', add, 1, 'one'),
    run('add', add, 2, null),
    run('all', all),
    run('all', all),
  ]);
  expect([one, two].map(({ rowCount }) => rowCount)).toEqual([1, 1]);
  for (const result of [first, second, await run('all', all)]) expect(result.rows).toEqual(rows);
  expect(await run('add', add, 3, 'three')).toMatchObject({ rowCount: 1, rows: [] });
  expect((await run('drop', 'DELETE FROM things WHERE id = $1', 3)).rowCount).toBe(1);
});

test('a failed statement does not affect others, whether or not its columns were described before', async () => {
  const half = 'SELECT 100 / $1::integer AS share';
  const settled = await Promise.allSettled([run('half', half, 0), run('half', half, 4)]);
  expect(settled).toMatchObject([{ reason: { code: '22012' } }, { value: { rows: [{ share: 25 }] } }]);
  const again = await Promise.allSettled([run('half', half, 5), run('half', half, 0), run('half', half, 2)]);
  expect(again).toMatchObject([
    { value: { rows: [{ share: 20 }] } },
    { reason: { code: '22012' } },
    { value: { rows: [{ share: 50 }] } },
  ]);
});

test.each([0, 1, 2, 3])(
  'independent reads of one turn have the results they have alone when number %i fails',
  async (failing) => {
    const divide = 'SELECT $1::integer AS id, 100 / $2::integer AS share';
    const ids = [0, 1, 2, 3];
    const settled = await Promise.allSettled(
      ids.map((id) => run('divide', divide, id, id === failing ? 0 : 1)),
    );
    for (const [id, outcome] of settled.entries()) {
      expect(outcome).toMatchObject(
        id === failing ? { reason: { code: '22012' } } : { value: { rows: [{ id, share: 100 }] } },
      );
    }
  },
);

test('reads have their results though a failure before them kept their statement from being prepared', async () => {
  // Fails after a while, in which the reads of later turns are sent.
  const failing = run('fails_late', "SELECT 1 / length(pg_sleep(0.1)::text || left('', $1::integer))", 0);
  const text = 'SELECT $1::integer AS n';
  const reads = [run('kept_from', text, 0)];
  const outcome = expect(failing).rejects.toMatchObject({ code: '22012' });
  for (let n = 1; n < 4; n += 1) {
    await new Promise(setImmediate);
    reads.push(run('kept_from', text, n));
  }
  const passed: number[] = [];
  const streamed = runner.prepared<{ n: number }>(client, { name: 'kept_from', text }, [4], ({ n }) => {
    passed.push(n);
  });
  await outcome;
  // Sent again to be prepared while the first attempts still fail.
  for (let n = 4; n < 20; n += 1) {
    reads.push(run('kept_from', text, n));
    await new Promise(setImmediate);
  }
  const results = await Promise.all(reads);
  expect(results.map(({ rows }) => rows)).toEqual(reads.map((_, n) => [{ n }]));
  await streamed;
  expect(passed).toEqual([4]);
});

test('a statement that another program dropped is prepared again, also with other columns', async () => {
  const read = () => run('dropped', 'SELECT * FROM growing');
  await client.query('CREATE TEMP TABLE growing AS SELECT 1 AS a');
  await read();
  await client.query('ALTER TABLE growing ADD COLUMN b integer DEFAULT 2');
  await client.query('DEALLOCATE dropped');
  for (const _ of ['sent again', 'prepared']) expect((await read()).rows).toEqual([{ a: 1, b: 2 }]);
  const { rows } = await client.query("SELECT 1 FROM pg_prepared_statements WHERE name = 'dropped'");
  expect(rows).toHaveLength(1);
});

test('the first of several reads has its result while those after it still run', async () => {
  const completed: string[] = [];
  // PostgreSQL sends the end of a result when what follows it fills a buffer.
  const large = "SELECT repeat('x', 100000) AS text";
  const reads = [
    ['first', large],
    ['second', large],
    ['slow', 'SELECT pg_sleep(0.3)'],
  ] as const;
  const running = reads.map(([name, text]) => run(name, text).then(() => completed.push(name)));
  await running[0];
  expect(completed).toContain('first');
  expect(completed).not.toContain('slow');
  await Promise.all(running);
});

test('each row is passed on as it arrives', async () => {
  const passed: number[] = [];
  const text = "SELECT n, repeat('x', 100000) AS text, pg_sleep(0.1 * n) FROM generate_series(0, 2) n";
  for (const execution of ['first', 'second']) {
    passed.length = 0;
    let all: Promise<unknown> | undefined;
    await new Promise<void>((resolve) => {
      all = runner.prepared<{ n: number }>(client, { name: 'slow_rows', text }, [], ({ n }) => {
        passed.push(n);
        resolve();
      });
    });
    expect([execution, passed]).toEqual([execution, [0]]);
    await all;
    expect(passed).toEqual([0, 1, 2]);
  }
});

test('statements of one transaction after a failed one are not run, neither then nor after its end', async () => {
  await database.sql.query('TRUNCATE things');
  const transaction = new StatementRunner(60_000, 'of one transaction');
  const send = (name: string, text: string) => transaction.prepared(client, { name, text }, []);
  const settled = Promise.allSettled([
    send('begin', 'BEGIN'),
    send('one', "INSERT INTO things VALUES (1, 'one')"),
    send('zero', 'SELECT 1 / 0'),
    send('two', "INSERT INTO things VALUES (2, 'two')"),
  ]);
  const ended = await transaction.unprepared(client, 'COMMIT');
  expect(await settled).toMatchObject([
    { value: { command: 'BEGIN' } },
    { value: { rowCount: 1 } },
    { reason: { code: '22012' } },
    { reason: { code: '22012' } },
  ]);
  expect(ended.command).toBe('ROLLBACK');
  // Prepared again, since the server skipped it.
  expect((await run('two', "INSERT INTO things VALUES (2, 'two')")).rowCount).toBe(1);
  const { rows } = await database.sql.query('SELECT id FROM things');
  expect(rows).toEqual([{ id: 2 }]);
});

test('a result type that changed since it was described is rejected, not misread', async () => {
  await database.sql.query('CREATE TABLE changing (held integer)');
  await database.sql.query('INSERT INTO changing VALUES (7)');
  const text = 'SELECT * FROM changing';
  expect((await run('changing', text)).rows).toEqual([{ held: 7 }]);
  await database.sql.query("ALTER TABLE changing ALTER held TYPE text USING 'seven'");
  await expect(run('changing', text)).rejects.toMatchObject({ code: '0A000' });
});

test('a connection that exceeds the timeout is closed, and every statement pending on it fails', async () => {
  const shortTimeout = new StatementRunner(200);
  const slow = await pool.connect();
  const pending = ['SELECT pg_sleep(30)', 'SELECT 1 AS one'].map((text) =>
    shortTimeout.prepared(slow, { name: text, text }, []),
  );
  for (const outcome of await Promise.allSettled(pending)) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { message: /terminated|not queryable/i } });
  }
  slow.release(true);
});

test('a connection stays open when the timeout of statements that have ended has passed', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] });
  try {
    const alive = { one: 1 };
    expect((await run<{ one: number }>('alive', 'SELECT 1 AS one')).rows).toEqual([alive]);
    await expect(run('fails', 'SELECT 1 / 0')).rejects.toMatchObject({ code: '22012' });
    await runner.unprepared(client, 'SELECT 1');
    await expect(
      runner.withTimeout(client, () => Promise.reject(new Error('of the work'))),
    ).rejects.toThrow();
    await jest.advanceTimersByTimeAsync(60_001);
    expect((await run<{ one: number }>('alive', 'SELECT 1 AS one')).rows).toEqual([alive]);
  } finally {
    jest.useRealTimers();
  }
});
