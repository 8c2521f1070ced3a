import { expect, test } from '@jest/globals';
import { createMemoryRequestLog } from '@svc/adapter-memory';
import { aLoggedRequest } from '@svc/testkit';
import { createBatch, groupsOf, type LoggedRequest } from '../src/index.ts';

const many = (count: number): LoggedRequest[] => {
  const { firmId } = aLoggedRequest();
  return Array.from({ length: count }, () => aLoggedRequest({ firmId }));
};
const firmOf = (requests: readonly LoggedRequest[]) => requests[0]?.firmId ?? aLoggedRequest().firmId;

test('flush stores all entries in batches', async () => {
  const store = createMemoryRequestLog();
  const sizes: number[] = [];
  const append = (batch: readonly LoggedRequest[]): Promise<void> => {
    sizes.push(batch.length);
    return store.append(batch);
  };
  const log = createBatch({ store: { append }, onDropped: () => {}, batch: 10 });
  const requests = many(25);
  for (const request of requests) log.add(request);
  expect(sizes).toEqual([]);
  await log.flush();
  await log.flush();
  expect(sizes).toEqual([10, 10, 5]);
  expect(await store.requestsOf(firmOf(requests), { limit: 100 })).toHaveLength(25);
});

test('entries that the store failed to write are kept and written later', async () => {
  const store = createMemoryRequestLog();
  let failing = true;
  const append = async (batch: readonly LoggedRequest[]): Promise<void> => {
    if (failing) throw new Error('unavailable');
    await store.append(batch);
  };
  const log = createBatch({ store: { append }, onDropped: () => {} });
  const requests = many(3);
  for (const request of requests) log.add(request);
  await log.flush();
  failing = false;
  await log.flush();
  expect(await store.requestsOf(firmOf(requests), { limit: 100 })).toHaveLength(3);
});

test('a batch that failed is repeated unchanged, without what was added since', async () => {
  const batches: (readonly string[])[] = [];
  const append = async (batch: readonly string[]): Promise<void> => {
    batches.push(batch);
    if (batches.length < 3) throw new Error('unavailable');
  };
  const log = createBatch<string>({ store: { append }, onDropped: () => {}, batch: 3 });
  for (const entry of ['a', 'b', 'c', 'd', 'e']) {
    log.add(entry);
    if (entry !== 'a') await log.flush();
  }
  expect(batches).toEqual([['a', 'b'], ['a', 'b'], ['a', 'b'], ['c', 'd'], ['e']]);
});

test('entries beyond the capacity are dropped and counted', async () => {
  const store = createMemoryRequestLog();
  const dropped: number[] = [];
  const log = createBatch({ store, onDropped: (count) => dropped.push(count), capacity: 5 });
  const requests = many(12);
  for (const request of requests) log.add(request);
  await log.flush();
  await log.flush();
  expect(dropped).toEqual([7]);
  expect(await store.requestsOf(firmOf(requests), { limit: 100 })).toHaveLength(5);
});

test('an entry added during a write is written once', async () => {
  const store = createMemoryRequestLog();
  const [one, two] = many(2);
  if (one === undefined || two === undefined) throw new Error('expected two requests');
  const written: string[] = [];
  const log = createBatch<LoggedRequest>({
    store: {
      async append(batch) {
        if (written.length === 0) log.add(two);
        written.push(...batch.map(({ requestId }) => requestId));
        await store.append(batch);
      },
    },
    onDropped: () => {},
  });
  log.add(one);
  await Promise.all([log.flush(), log.flush()]);
  await log.flush();
  expect(written).toEqual([one.requestId, two.requestId]);
});

test('entries with the same key are grouped in their order, at most as many as fit', () => {
  const keyOf = (entry: string): string => entry.charAt(0);
  expect(groupsOf(['a1', 'b1', 'a2', 'a3', 'b2', 'a4', 'a5'], keyOf, 2)).toEqual([
    ['a1', 'a2'],
    ['b1', 'b2'],
    ['a3', 'a4'],
    ['a5'],
  ]);
  expect(groupsOf(['aa', 'aaaa', 'a', 'aaa', 'a'], keyOf, 3, ({ length }) => length)).toEqual([
    ['aa'],
    ['aaaa'],
    ['a'],
    ['aaa'],
    ['a'],
  ]);
  expect(groupsOf(['aa', 'a', 'a'], keyOf, 3, ({ length }) => length)).toEqual([['aa', 'a'], ['a']]);
});
