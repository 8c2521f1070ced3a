import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { NO_METRICS, type Unavailable } from '@svc/application';
import pg from 'pg';
import { ConnectionFailures } from '../src/driver/connection-failures.ts';
import { poolClass, poolState } from '../src/driver/connection-pool.ts';
import { PipelinedReads, PooledExecutor } from '../src/driver/read-connections.ts';
import { Servers } from '../src/driver/servers.ts';
import { beginWithSettings, urlWithSettings } from '../src/driver/session-settings.ts';
import { SILENT } from '../src/log.ts';

type Query = string | { readonly text: string; readonly name?: string };
const serverError = (code: string) =>
  Object.assign(new pg.DatabaseError('', 0, 'error'), { code, severity: 'ERROR' });
const LOST = new Error('Connection terminated unexpectedly');

/** What is sent on which connection, and what a connection is given back as. */
let sent: string[];
/** By the text of a statement: its rows, or its error once. */
let results: Map<string, object[] | Error>;
let ends: Map<string, () => void>;
let opened: ReturnType<typeof newClient>[];
beforeEach(() => {
  [sent, results, ends, opened] = [[], new Map(), new Map(), []];
});
afterEach(() => void jest.useRealTimers());

function newClient(n: number) {
  return Object.assign(new pg.Client(), {
    release: (broken?: Error | boolean) => void sent.push(`${n} ${broken ? 'closed' : 'released'}`),
    async query(query: Query) {
      const { text, name = '' } = typeof query === 'string' ? { text: query } : query;
      sent.push([n, name, text].filter((part) => part !== '').join(' '));
      if (text.startsWith('held')) await new Promise<void>((resolve) => ends.set(text, resolve));
      const result = results.get(text) ?? [];
      if (!(result instanceof Error)) return { rows: result };
      results.delete(text);
      throw result;
    },
  });
}
const poolOf = (max: number, errors: Error[] = []) =>
  Object.assign(new pg.Pool({ max }), {
    async connect() {
      const error = errors.shift();
      if (error !== undefined) throw error;
      const client = newClient(opened.length);
      opened.push(client);
      return client;
    },
    end: async () => void sent.push('pool closed'),
  });
const statement = (text: string) => ({ name: 's', text });
const settled = () => new Promise(setImmediate);
const READ_ONLY = 'SET default_transaction_read_only = on';

test('reads share a few connections, each one where the fewest wait, and cannot write', async () => {
  const reads = new PipelinedReads(poolOf(2));
  const read = (text: string) => reads.rows(statement(text));
  const running = ['held a', 'held b', 'held c'].map(read);
  await settled();
  expect(sent.splice(0)).toEqual([
    `0 ${READ_ONLY}`,
    '0 s held a',
    `1 ${READ_ONLY}`,
    '1 s held b',
    '0 s held c',
  ]);
  ends.get('held b')?.();
  results.set('d', [{ d: 1 }]);
  expect([await running[1], await read('d'), await read('e')]).toEqual([[], [{ d: 1 }], []]);
  expect(sent.splice(0)).toEqual(['1 s d', '1 s e']);
  await reads.close();
  expect(sent).toEqual(['pool closed', '0 closed', '1 closed']);
  await expect(read('f')).rejects.toMatchObject({ reason: 'draining' });
  for (const end of ends.values()) end();
  await Promise.all(running);
});

test.each(['26000', '42P05'])('after %s a read is repeated once, on a new connection', async (code) => {
  const reads = new PipelinedReads(poolOf(1));
  const read = () => reads.rows(statement('a'));
  results.set('a', serverError(code));
  expect(await read()).toEqual([]);
  expect(sent.splice(0)).toEqual([`0 ${READ_ONLY}`, '0 s a', '0 closed', `1 ${READ_ONLY}`, '1 s a']);
  results.set('a', serverError('57014'));
  await expect(read()).rejects.toMatchObject({ reason: 'database_busy' });
  results.set(READ_ONLY, serverError('25006'));
  opened[1]?.emit('error', LOST);
  expect(await read()).toEqual([]);
  await settled();
  // Neither the one that was lost nor one that may write is used again.
  expect(await read()).toEqual([]);
  expect(sent).toEqual([
    ...['1 s a', '1 closed', `2 ${READ_ONLY}`, '2 s a', '2 closed', `3 ${READ_ONLY}`, '3 s a'],
  ]);
});

test('a read that gets no connection fails, and the next one connects again', async () => {
  const reads = new PipelinedReads(poolOf(1, [LOST]));
  await expect(reads.rows(statement('a'))).rejects.toMatchObject({ reason: 'database_unreachable' });
  expect(await reads.rows(statement('a'))).toEqual([]);
});

test('a statement on its own connection is in a transaction where that has settings, and its error is the first', async () => {
  results.set('a', [{ a: 1 }]);
  expect(await new PooledExecutor(poolOf(1), null).rows(statement('a'))).toEqual([{ a: 1 }]);
  const pool = poolOf(1);
  const inTransaction = new PooledExecutor(pool, 'BEGIN; SET');
  expect(await inTransaction.rows(statement('a'))).toEqual([{ a: 1 }]);
  expect(sent.splice(0)).toEqual(['0 a', '0 released', '1 BEGIN; SET', '1 a', '1 COMMIT', '1 released']);
  for (const [failing, reason, end] of [
    [{ a: serverError('55P03'), COMMIT: LOST }, 'database_busy', 'released'],
    [{ 'BEGIN; SET': serverError('57P01'), a: LOST }, 'database_busy', 'released'],
    [{ COMMIT: LOST }, 'database_unreachable', 'closed'],
    [{ a: serverError('25006') }, 'database_busy', 'closed'],
  ] as const) {
    results = new Map(Object.entries(failing));
    await expect(inTransaction.rows(statement('a'))).rejects.toMatchObject({ reason });
    expect(sent.splice(0).at(-1)).toBe(`${opened.length - 1} ${end}`);
  }
});

test('a statement for which nobody waits any more is canceled, and no later one of its connection', async () => {
  const canceled: unknown[] = [];
  const canceler = {
    async rows<R>(_: unknown, values: unknown): Promise<R[]> {
      canceled.push(values);
      return [];
    },
  };
  const executor = new PooledExecutor(poolOf(1), null, canceler);
  results.set('SELECT pg_backend_pid() AS pid', [{ pid: 7 }]);
  const ended = new AbortController();
  await executor.rows(statement('a'), [], ended.signal);
  ended.abort();
  await expect(executor.rows(statement('a'), [], ended.signal)).rejects.toThrow(
    'Nobody waits for the statement.',
  );
  expect(sent.splice(0)).toEqual([
    ...['0 SELECT pg_backend_pid() AS pid', '0 a', '0 released', '1 released'],
  ]);
  const given = new AbortController();
  const running = executor.rows(statement('held'), [], given.signal);
  await settled();
  given.abort();
  await settled();
  expect(canceled).toEqual([[7]]);
  ends.get('held')?.();
  await running;
  expect(sent.at(-1)).toBe('2 closed');
});

/** Connects, or fails to, when the test says so. */
let connecting: ((error?: Error) => void)[] = [];
const Client = class extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: the driver's two overloads
  override connect(callback?: any): any {
    connecting.push(callback);
  }
  // biome-ignore lint/suspicious/noExplicitAny: the driver's two overloads
  override end(callback?: any): any {
    callback?.();
  }
};
const reasonOf = (error: Unavailable): string => error.reason ?? error.message;

test('forty callers may wait for a connection; the next one, and each that waits too long, gets an error', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  connecting = [];
  const waited: number[] = [];
  const metrics = { ...NO_METRICS, connectionAwaited: (seconds: number) => void waited.push(seconds) };
  const servers = new Servers('postgres://one/claims', SILENT, 0);
  const pool = new (poolClass(metrics, servers))({ Client, max: 1, connectionTimeoutMillis: 1000 });
  const failed = pool.connect().catch((error) => error);
  await settled();
  connecting[0]?.(LOST);
  // This one did not wait for others: what is wrong is the server.
  expect(await failed).toBe(LOST);
  const held = pool.connect();
  await settled();
  connecting.at(-1)?.();
  const client = await held;
  const waiting = Array.from({ length: 41 }, () => pool.connect().then(() => 'connected', reasonOf));
  await settled();
  expect(await waiting[40]).toBe('database_pool');
  const other = new pg.Pool({ max: 3 });
  const state = { name: 'requests', max: 4, open: 1, idle: 0, waiting: 40 };
  expect(poolState('requests', [pool, other])).toEqual(state);
  jest.advanceTimersByTime(1000);
  expect(await Promise.all(waiting)).toEqual(Array(41).fill('database_pool'));
  expect(waited).toEqual([0]);
  client.release();
  expect(poolState('jobs', [pool])).toEqual({ name: 'jobs', max: 1, open: 1, idle: 1, waiting: 0 });
  await new Promise((resolve) => pool.connect((_error, one, done) => resolve([one, done()])));
  expect(waited).toEqual([0, 0]);
  await pool.end();
});

test('a connection that cannot be opened is logged once a minute for each cause', async () => {
  const logged: unknown[] = [];
  const failures = new ConnectionFailures({ ...SILENT, error: (...line) => void logged.push(line) });
  const now = jest.spyOn(Date, 'now').mockReturnValue(1_000_000);
  const fail = (host: string) => {
    const servers = new Servers(`postgres:///claims?host=${host}`, SILENT, 0);
    const one = new (failures.clientOf(servers))();
    return one.connect().catch(({ code }) => code);
  };
  const [line, other] = ['ENOENT', 'ENOTDIR'].map((code) => [
    'could not connect to PostgreSQL',
    { code, reason: expect.stringContaining(code) },
  ]);
  for (const at of [1_000_000, 1_059_999, 1_060_000]) {
    now.mockReturnValue(at);
    expect(await fail('/missing')).toBe('ENOENT');
  }
  expect(await fail('/dev/null')).toBe('ENOTDIR');
  now.mockRestore();
  expect(logged).toEqual([line, line, other]);
});

test('settings are options of a connection, or of each transaction', () => {
  const settings = { jit: 'off', statement_timeout: '5 s' };
  expect(beginWithSettings(settings)).toBe('BEGIN; SET LOCAL jit = off; SET LOCAL statement_timeout = 5 s');
  const url = 'postgres://u:p@one/claims';
  expect(urlWithSettings(url, {})).toBe(url);
  expect(urlWithSettings(url, { jit: 'off', geqo: 'off' })).toBe(
    `${url}?options=-c%20jit%3Doff%20-c%20geqo%3Doff`,
  );
  expect(urlWithSettings(`${url}?options=-c%20a%3Db&x=y`, { jit: 'off' })).toBe(
    `${url}?options=-c%20a%3Db%20-c%20jit%3Doff&x=y`,
  );
});
