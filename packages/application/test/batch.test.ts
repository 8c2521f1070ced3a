import { expect, test } from '@jest/globals';
import { type BatchDeps, createBatch } from '../src/index.ts';

/** Entries that start with the same letter are stored together. */
const batchOf = (deps: Partial<BatchDeps<string>> & Pick<BatchDeps<string>, 'store'>) =>
  createBatch({ keyOf: (entry) => entry.charAt(0), onDropped: () => {}, ...deps });

test('flush stores all entries in batches, those with the same key together and in their order', async () => {
  const stored: (readonly string[])[] = [];
  const append = async (entries: readonly string[]): Promise<void> => void stored.push(entries);
  const batch = batchOf({ store: { append }, batchSize: 3 });
  for (const entry of ['a1', 'b1', 'a2', 'c1', 'b2', 'a3', 'a4']) batch.add(entry);
  expect(stored).toEqual([]);
  await batch.flush();
  await batch.flush();
  expect(stored).toEqual([['a1', 'a2', 'a3'], ['a4', 'b1', 'b2'], ['c1']]);
});

test('a batch that failed is repeated unchanged, before what was added since', async () => {
  const batches: (readonly string[])[] = [];
  const append = async (entries: readonly string[]): Promise<void> => {
    batches.push(entries);
    if (batches.length < 3) throw new Error('unavailable');
  };
  const batch = batchOf({ store: { append }, batchSize: 2 });
  for (const entry of ['a1', 'b1', 'c1', 'a2', 'c2']) {
    batch.add(entry);
    if (entry !== 'a1') await batch.flush();
  }
  const failed = ['a1', 'b1'];
  expect(batches).toEqual([failed, failed, failed, ['c1'], ['a2'], ['c2']]);
});

test('entries beyond the capacity are dropped and counted until others are stored', async () => {
  const stored: string[] = [];
  const dropped: number[] = [];
  let failing = true;
  const append = async (entries: readonly string[]): Promise<void> => {
    if (failing) throw new Error('unavailable');
    stored.push(...entries);
  };
  const batch = batchOf({ store: { append }, onDropped: (count) => dropped.push(count), capacity: 3 });
  for (const entry of ['a1', 'a2', 'b1', 'b2', 'b3']) batch.add(entry);
  await batch.flush();
  batch.add('c1');
  failing = false;
  await batch.flush();
  batch.add('c2');
  await batch.flush();
  expect(dropped).toEqual([2, 1]);
  expect(stored).toEqual(['a1', 'a2', 'b1', 'c2']);
});

test('an entry added during a write is stored by the next flush, once', async () => {
  const batches: (readonly string[])[] = [];
  const batch = batchOf({
    store: {
      async append(entries) {
        batches.push(entries);
        if (batches.length === 1) batch.add('a2');
      },
    },
  });
  batch.add('a1');
  await Promise.all([batch.flush(), batch.flush()]);
  expect(batches).toEqual([['a1']]);
  await batch.flush();
  await batch.flush();
  expect(batches).toEqual([['a1'], ['a2']]);
});

test('a flush during another one stores what was added before it', async () => {
  const stored: string[] = [];
  let flushed: Promise<void> | undefined;
  const batch = batchOf({
    store: {
      async append(entries) {
        stored.push(...entries);
        if (flushed !== undefined) return;
        batch.add('a2');
        flushed = batch.flush();
      },
    },
  });
  batch.add('a1');
  await batch.flush();
  await flushed;
  expect(stored).toEqual(['a1', 'a2']);
});
