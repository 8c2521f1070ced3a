import { getEventListeners } from 'node:events';
import { expect, jest, test } from '@jest/globals';
import { Unavailable } from '@svc/application';
import { eventually } from '@svc/testkit/eventually';
import { atEnd } from '../../../tools/services/at-end.ts';
import { ConnectionFailures } from '../src/driver/connection-failures.ts';
import { openDatabase } from '../src/driver/database.ts';
import { sql } from '../src/driver/executor.ts';
import { Servers } from '../src/driver/servers.ts';
import { transact } from '../src/driver/transaction.ts';
import { SILENT } from '../src/log.ts';
import { freshDatabase } from './fresh-database.ts';

const database = await freshDatabase();
await database.sql.query('CREATE TABLE things (id integer PRIMARY KEY)');
const opened = await openDatabase({
  url: database.url,
  poolMax: 3, // one shared read connection
  connectTimeoutMs: 10_000,
  lockTimeoutMs: 500,
});
atEnd(() => opened.close());

const SHARE = sql('share', 'SELECT $1::integer AS id, 100 / $2::integer AS share');
const ADD = sql('add', 'INSERT INTO things VALUES ($1)');
const ZERO = sql('zero', 'SELECT 1 / $1::integer');
const IDS = sql('ids', 'SELECT id FROM things ORDER BY id');

test.each([0, 1, 2, 3])(
  'reads of one tick have the results they have alone when number %i fails',
  async (failing) => {
    const ids = [0, 1, 2, 3];
    const settled = await Promise.allSettled(
      ids.map((id) => opened.reads.rows(SHARE, [id, id === failing ? 0 : 1])),
    );
    for (const [id, outcome] of settled.entries())
      expect(outcome).toMatchObject(
        id === failing
          ? { reason: { message: expect.stringContaining('22012') } }
          : { value: [{ id, share: 100 }] },
      );
  },
);

const patient = await openDatabase({ url: database.url, poolMax: 4, statementTimeoutMs: 600_000 });
atEnd(() => patient.close());

test('a slow read delays none after it', async () => {
  const slow = sql('slow', 'SELECT pg_advisory_lock(1)');
  await database.sql.query(slow.text);
  const waiting = patient.reads.rows(slow);
  expect(await patient.reads.rows(SHARE, [1, 1])).toEqual([{ id: 1, share: 100 }]);
  await database.sql.query('SELECT pg_advisory_unlock(1)');
  await waiting;
});

test('a statement that nobody waits for is canceled on the server, and others have their results', async () => {
  const active = async (): Promise<number> => {
    const { rows } = await database.sql.query(
      "SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%pg_sleep(500)%' AND pid <> pg_backend_pid()",
    );
    return rows.length;
  };
  const controller = new AbortController();
  const long = sql('long', 'SELECT pg_sleep(500)');
  const ended = patient.maintenance.rows(long, [], controller.signal).catch((error: unknown) => error);
  await eventually(async () => (await active()) === 1);
  controller.abort();
  expect(await ended).toBeInstanceOf(Unavailable);
  // A late cancellation would end the next statement of its connection, which is closed.
  expect(patient.pool().idle).toBe(0);
  await eventually(async () => (await active()) === 0);
  const early = patient.maintenance.rows(long, [], controller.signal);
  await expect(early).rejects.toBeInstanceOf(Unavailable);
  const others = await Promise.all([1, 2, 3].map((id) => patient.maintenance.rows(SHARE, [id, 1])));
  expect(others).toEqual([1, 2, 3].map((id) => [{ id, share: 100 }]));
  const { signal } = new AbortController();
  await patient.maintenance.rows(SHARE, [1, 1], signal);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('reads succeed when the one before them failed to prepare their statement', async () => {
  const read = sql('locked_out', 'SELECT count(*)::int AS count FROM things');
  await database.sql.query('BEGIN; LOCK TABLE things');
  const reads = Array.from({ length: 5 }, () => opened.reads.rows(read));
  await expect(reads[0]).rejects.toBeInstanceOf(Unavailable);
  await database.sql.query('COMMIT');
  expect(await Promise.all(reads.slice(1))).toEqual(Array(4).fill([{ count: 0 }]));
});

test('a read whose statement something dropped has its result, unless that happens again', async () => {
  const read = sql('dropped', 'SELECT 1 AS one');
  await opened.reads.rows(read);
  await opened.reads.rows(sql('drop', 'DEALLOCATE dropped'));
  expect(await Promise.all([opened.reads.rows(read), opened.reads.rows(read)])).toEqual([
    [{ one: 1 }],
    [{ one: 1 }],
  ]);
  await expect(opened.reads.rows(sql('missing', 'EXECUTE missing_too'))).rejects.toThrow('(26000)');
});

test('a transaction whose statement something dropped is unavailable, and the next one succeeds', async () => {
  const add = () => transact(opened, (tx) => tx.rows(ADD, [7]));
  await transact(opened, async (tx) => {
    await tx.rows(ADD, [6]);
    tx.send(sql('drop_add', 'DEALLOCATE "add"'), []);
  });
  await expect(add()).rejects.toBeInstanceOf(Unavailable);
  await add();
  expect(await opened.reads.rows(IDS)).toEqual([{ id: 6 }, { id: 7 }]);
});

test.each(['rows', 'send', 'rowsAndCommit'] as const)(
  'a transaction that continues after a failed write with %s reports its error and saves nothing',
  async (next) => {
    const before = await opened.reads.rows(IDS);
    const work = transact(opened, async (tx) => {
      await tx.rows(ADD, [10]);
      tx.send(ZERO, [0], () => null);
      await tx[next](ADD, [11]);
    });
    await expect(work).rejects.toThrow('PostgreSQL rejected zero: 22012');
    expect(await opened.reads.rows(IDS)).toEqual(before);
  },
);

test('why connections fail is logged once a minute for each cause, and once that they succeed again', async () => {
  const logged: unknown[] = [];
  const log = {
    ...SILENT,
    info: (message: string) => logged.push(message),
    error: (message: string, fields?: object) => logged.push({ message, ...fields }),
  };
  let url = database.url;
  const Client = new ConnectionFailures(log).clientOf(new Servers(() => url, SILENT, 0));
  const attempt = async (to: string): Promise<void> => {
    url = to;
    const client = new Client();
    await client.connect().then(
      () => client.end(),
      () => {},
    );
  };
  const [nobody, missing] = ['postgres://u:p@127.0.0.1:1/claims', `${database.url}_missing`];
  let now = Date.now();
  const clock = jest.spyOn(Date, 'now').mockImplementation(() => now);
  try {
    for (const to of [database.url, nobody, nobody, missing, missing]) await attempt(to);
    now += 59_999;
    await attempt(missing);
    now += 1;
    for (const to of [missing, missing, database.url, database.url, missing]) await attempt(to);
  } finally {
    clock.mockRestore();
  }
  const again = 'PostgreSQL accepts connections again';
  const message = 'could not connect to PostgreSQL';
  const refused = { message, code: 'ECONNREFUSED', reason: 'connect ECONNREFUSED 127.0.0.1:1' };
  const name = new URL(missing).pathname.slice(1);
  const absent = { message, code: '3D000', reason: `database "${name}" does not exist` };
  expect(logged).toEqual([refused, absent, absent, again, absent]);
});

test('closing ends every connection, also of statements that transactions wait for', async () => {
  const onConnected = jest.fn();
  const url = `${database.url}?application_name=closing`;
  const closing = await openDatabase({ url, poolMax: 1, connectTimeoutMs: 10_000, onConnected });
  const { reads, maintenance, reserved } = closing;
  await Promise.all([reads, maintenance, reserved.reads, reserved.writes].map((each) => each.rows(IDS)));
  const open = async () =>
    (await database.sql.query("SELECT FROM pg_stat_activity WHERE application_name = 'closing'")).rowCount;
  await eventually(async () => (await open()) === 4);
  expect([onConnected.mock.calls.length, closing.pool().max]).toEqual([4, 2]);
  await closing.close();
  await eventually(async () => (await open()) === 0);
  await expect(reads.rows(IDS)).rejects.toMatchObject({ reason: 'draining' });
});
