import { expect, test } from '@jest/globals';
import { createWriteBuffer, type WriteBufferDeps } from '../src/index.ts';

/** Entries that start with the same letter are stored together. */
const bufferOf = (deps: Partial<WriteBufferDeps<string>> & Pick<WriteBufferDeps<string>, 'store'>) =>
  createWriteBuffer({ keyOf: (entry) => entry.charAt(0), onDropped: () => {}, ...deps });

test('flush stores all entries in batches, those with the same key together and in their order', async () => {
  const stored: (readonly string[])[] = [];
  const append = async (entries: readonly string[]): Promise<void> => void stored.push(entries);
  const buffer = bufferOf({ store: { append }, batchSize: 3 });
  for (const entry of ['a1', 'b1', 'a2', 'c1', 'b2', 'a3', 'a4']) buffer.add(entry);
  expect(stored).toEqual([]);
  await buffer.flush();
  await buffer.flush();
  expect(stored).toEqual([['a1', 'a2', 'a3'], ['a4', 'b1', 'b2'], ['c1']]);
});

test('a batch that failed is repeated unchanged, before what was added since', async () => {
  const batches: (readonly string[])[] = [];
  const append = async (entries: readonly string[]): Promise<void> => {
    batches.push(entries);
    if (batches.length < 3) throw new Error('unavailable');
  };
  const buffer = bufferOf({ store: { append }, batchSize: 2 });
  for (const entry of ['a1', 'b1', 'c1', 'a2', 'c2']) {
    buffer.add(entry);
    if (entry !== 'a1') await buffer.flush();
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
  const buffer = bufferOf({ store: { append }, onDropped: (count) => dropped.push(count), capacity: 3 });
  for (const entry of ['a1', 'a2', 'b1', 'b2', 'b3']) buffer.add(entry);
  await buffer.flush();
  buffer.add('c1');
  failing = false;
  await buffer.flush();
  for (const entry of ['c2', 'c3', 'c4', 'c5']) buffer.add(entry);
  await buffer.flush();
  await buffer.flush();
  expect(dropped).toEqual([2, 1, 1]);
  expect(stored).toEqual(['a1', 'a2', 'b1', 'c2', 'c3', 'c4']);
});

test('an entry added during a write is stored by the next flush, once, and fills the capacity until then', async () => {
  const batches: (readonly string[])[] = [];
  const buffer = bufferOf({
    capacity: 2,
    store: {
      async append(entries) {
        batches.push(entries);
        if (batches.length === 1) buffer.add('a2');
      },
    },
  });
  buffer.add('a1');
  await Promise.all([buffer.flush(), buffer.flush()]);
  expect(batches).toEqual([['a1']]);
  for (const entry of ['a3', 'a4']) buffer.add(entry);
  await buffer.flush();
  await buffer.flush();
  expect(batches).toEqual([['a1'], ['a2', 'a3']]);
});

test('a flush during another one stores what was added before it', async () => {
  const stored: string[] = [];
  let flushed: Promise<void> | undefined;
  const buffer = bufferOf({
    store: {
      async append(entries) {
        stored.push(...entries);
        if (flushed !== undefined) return;
        buffer.add('a2');
        flushed = buffer.flush();
      },
    },
  });
  buffer.add('a1');
  await buffer.flush();
  await flushed;
  expect(stored).toEqual(['a1', 'a2']);
});
