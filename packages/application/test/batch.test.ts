import { expect, test } from '@jest/globals';
import { createMemoryRequestLog } from '@svc/adapter-memory';
import { aLoggedRequest, loggedRequestsOf } from '@svc/testkit';
import {
  type AuditChainId,
  auditRowPerChain,
  auditRowsOf,
  type BatchDeps,
  collectLoggedRequests,
  collectRows,
  createBatch,
} from '../src/index.ts';

/** Rows of two entries that start with the same letter. */
const collectPairs = () =>
  collectRows<string, string[]>({
    keyOf: (entry) => entry.charAt(0),
    start: (entry) => [entry],
    extend: (row, entry) => row.length < 2 && row.push(entry) > 0,
  });

const batchOf = (deps: Partial<BatchDeps<string, string[]>> & Pick<BatchDeps<string, string[]>, 'store'>) =>
  createBatch({ rows: collectPairs(), onDropped: () => {}, ...deps });

test('entries with the same key share a row as long as they fit, in their order', () => {
  const rows = collectPairs();
  for (const entry of ['a1', 'b1', 'a2', 'a3', 'b2', 'a4', 'a5']) rows.add(entry);
  expect(rows.take()).toEqual([['a1', 'a2'], ['b1', 'b2'], ['a3', 'a4'], ['a5']]);
  rows.add('a6');
  expect(rows.take()).toEqual([['a6']]);
  expect(rows.take()).toEqual([]);
});

test('a row has up to 20 requests of one firm, the latest first', () => {
  const [one, other] = [aLoggedRequest(), aLoggedRequest()];
  const requests = Array.from({ length: 21 }, (_, at) => [
    { ...one, at },
    { ...other, at },
  ]).flat();
  const rows = loggedRequestsOf(requests);
  expect(rows.map((row) => row.length)).toEqual([20, 20, 1, 1]);
  expect(rows[0]).toEqual(Array.from({ length: 20 }, (_, n) => ({ ...one, at: 19 - n })));
});

test('a row has up to 28 reads of one firm, or of lists as many as have 200 ids', () => {
  const [one, other] = [aLoggedRequest().firmId, aLoggedRequest().firmId] as AuditChainId[];
  const read = (chain = one as AuditChainId, claims?: number) => ({
    chain,
    entry: {
      ...({ at: 1, actor: 'key:1', address: null, action: 'claims.read', outcome: 'ok' } as const),
      ...{
        object: null,
        requestId: null,
        claims: claims === undefined ? undefined : Array(claims).fill('1'),
      },
    },
  });
  const sizes = (events: ReturnType<typeof read>[]) =>
    auditRowsOf(events).map(({ entries }) => entries.length);
  expect(sizes(Array.from({ length: 29 }, () => read()))).toEqual([28, 1]);
  expect(sizes([read(one, 93), read(other, 93), read(one, 93), read(one, 0)])).toEqual([2, 1, 1]);
  expect(sizes([read(one, 300), read(one, 0)])).toEqual([1, 1]);
  const many = Array.from({ length: 300 }, (_, n) => read(n % 3 === 0 ? other : one));
  expect(auditRowPerChain(many).map(({ chain, entries }) => [chain, entries.length])).toEqual([
    [other, 100],
    [one, 200],
  ]);
});

test('flush stores all entries in batches', async () => {
  const store = createMemoryRequestLog();
  const { firmId } = aLoggedRequest();
  const sizes: number[] = [];
  const append: typeof store.append = (rows) => {
    sizes.push(rows.flat().length);
    return store.append(rows);
  };
  const rows = collectLoggedRequests();
  const log = createBatch({ rows, store: { append }, onDropped: () => {}, batchRows: 2 });
  for (let n = 0; n < 120; n += 1) log.add(aLoggedRequest({ firmId }));
  expect(sizes).toEqual([]);
  await log.flush();
  await log.flush();
  expect(sizes).toEqual([40, 40, 40]);
  expect(await store.requestsOf(firmId, { limit: 1000 })).toHaveLength(120);
});

test('entries that the store failed to write are kept and written later', async () => {
  const store = createMemoryRequestLog();
  const { firmId } = aLoggedRequest();
  let failing = true;
  const append: typeof store.append = async (rows) => {
    if (failing) throw new Error('unavailable');
    await store.append(rows);
  };
  const log = createBatch({ rows: collectLoggedRequests(), store: { append }, onDropped: () => {} });
  for (let n = 0; n < 3; n += 1) log.add(aLoggedRequest({ firmId }));
  await log.flush();
  failing = false;
  await log.flush();
  expect(await store.requestsOf(firmId, { limit: 100 })).toHaveLength(3);
});

test('a batch that failed is repeated unchanged, before what was added since', async () => {
  const batches: (readonly string[][])[] = [];
  const append = async (rows: readonly string[][]): Promise<void> => {
    batches.push(rows);
    if (batches.length < 3) throw new Error('unavailable');
  };
  const log = batchOf({ store: { append }, batchRows: 2 });
  for (const entry of ['a1', 'b1', 'c1', 'a2', 'c2']) {
    log.add(entry);
    if (entry !== 'a1') await log.flush();
  }
  const failed = [['a1'], ['b1']];
  expect(batches).toEqual([failed, failed, failed, [['c1']], [['a2']], [['c2']]]);
});

test('entries beyond the capacity are dropped and counted until others are stored', async () => {
  const stored: string[] = [];
  const dropped: number[] = [];
  let failing = true;
  const append = async (rows: readonly string[][]): Promise<void> => {
    if (failing) throw new Error('unavailable');
    stored.push(...rows.flat());
  };
  const log = batchOf({ store: { append }, onDropped: (count) => dropped.push(count), capacity: 3 });
  for (const entry of ['a1', 'a2', 'b1', 'b2', 'b3']) log.add(entry);
  await log.flush();
  log.add('c1');
  failing = false;
  await log.flush();
  log.add('c2');
  await log.flush();
  expect(dropped).toEqual([2, 1]);
  expect(stored).toEqual(['a1', 'a2', 'b1', 'c2']);
});

test('an entry added during a write is stored by the next flush, once', async () => {
  const batches: string[][] = [];
  const log = batchOf({
    store: {
      async append(rows) {
        batches.push(rows.flat());
        if (batches.length === 1) log.add('a2');
      },
    },
  });
  log.add('a1');
  await Promise.all([log.flush(), log.flush()]);
  expect(batches).toEqual([['a1']]);
  await log.flush();
  await log.flush();
  expect(batches).toEqual([['a1'], ['a2']]);
});

test('a flush during another one stores what was added before it', async () => {
  const stored: string[] = [];
  let flushed: Promise<void> | undefined;
  const log = batchOf({
    store: {
      async append(rows) {
        stored.push(...rows.flat());
        if (flushed !== undefined) return;
        log.add('a2');
        flushed = log.flush();
      },
    },
  });
  log.add('a1');
  await log.flush();
  await flushed;
  expect(stored).toEqual(['a1', 'a2']);
});
