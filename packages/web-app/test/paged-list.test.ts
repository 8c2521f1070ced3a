import { expect, test } from '@jest/globals';
import { createPagedList, type Page } from '../src/paged-list.ts';

const onError = (error: unknown): void => expect(error).toBeUndefined();

test('a list goes on over pages that are nearly empty until the screen is full, reads more on demand, and again all that it shows', async () => {
  const rows = Array.from({ length: 250 }, (_, id) => ({ id }));
  let reads = 0;
  const list = createPagedList<{ readonly id: number }>({
    async read(cursor = '0') {
      reads += 1;
      const end = Number(cursor) + 30;
      return { data: rows.slice(Number(cursor), end), next_cursor: end < 250 ? String(end) : null };
    },
    ...{ idOf: ({ id }) => String(id), enough: 100, onError },
  });
  await list.restart();
  expect([list.rows.value?.length, reads]).toEqual([120, 4]);
  // What is still being read is shown, too, by the time it is read again.
  await Promise.all([list.more(), list.refresh()]);
  expect(list.rows.value?.length).toBe(240);
  for (let n = 0; n < 2; n += 1) await list.more();
  expect([list.rows.value, list.hasMore.value, reads]).toEqual([rows, false, 17]);
  await list.refresh();
  expect(list.rows.value).toEqual(rows);
});

test('after the first 1000 rows were read again, the list goes on where it ended, or ends where it ends by now', async () => {
  const cursors: string[] = [];
  const pageFrom = (from: number) => Array.from({ length: 200 }, (_, n) => from + n);
  let pages = Array.from({ length: 8 }, (_, page) => pageFrom(page * 200));
  const list = createPagedList<number>({
    async read(cursor = '0') {
      cursors.push(cursor);
      const next = Number(cursor) + 1;
      return { data: pages[next - 1] ?? [], next_cursor: next < pages.length ? String(next) : null };
    },
    ...{ idOf: String, enough: 200, onError },
  });
  await list.restart();
  for (let n = 0; n < 5; n += 1) await list.more();
  await list.refresh();
  expect([list.rows.value, cursors.length]).toEqual([Array.from({ length: 1200 }, (_, n) => n), 11]);
  await list.more();
  expect([cursors.at(-1), list.rows.value?.length]).toEqual(['6', 1400]);
  for (const now of [[...pages.slice(0, 2), [400]], [[]], [[], [7]]]) {
    pages = now;
    await list.refresh();
    expect([list.rows.value, list.hasMore.value]).toEqual([now.flat(), false]);
  }
});

test('a late page or error of another list changes nothing, a row that comes twice shows once, and a failed reading is said and can be repeated', async () => {
  const waiting: ((page: Page<string> | Error) => void)[] = [];
  const errors: string[] = [];
  const list = createPagedList<string>({
    read: () =>
      new Promise((resolve, reject) => {
        waiting.push((page) => (page instanceof Error ? reject(page) : resolve(page)));
      }),
    idOf: (id) => id,
    enough: 2,
    onError: (error) => errors.push(String(error)),
  });
  const state = () => [list.rows.value, list.isReading.value, list.failed.value, list.hasMore.value];
  const respond = async (request: number, page: Page<string> | Error) => {
    waiting[request]?.(page);
    await new Promise((resolve) => setImmediate(resolve));
    return [waiting.length, ...state()];
  };
  expect(state()).toEqual([undefined, false, false, false]);
  for (let n = 0; n < 3; n += 1) void list.restart();
  await respond(0, { data: ['old'], next_cursor: null });
  expect(await respond(1, new Error('old'))).toEqual([3, undefined, true, false, false]);
  expect(await respond(2, { data: ['a'], next_cursor: '1' })).toEqual([4, undefined, true, false, false]);
  expect(await respond(3, { data: ['a', 'b'], next_cursor: '2' })).toEqual([
    4,
    ['a', 'b'],
    false,
    false,
    true,
  ]);
  for (let n = 0; n < 2; n += 1) void list.more();
  void list.refresh();
  expect(await respond(9, new Error())).toEqual([5, ['a', 'b'], true, false, true]);
  // The refresh waits for what is being read.
  expect(await respond(4, new Error('no'))).toEqual([6, ['a', 'b'], true, false, true]);
  expect(await respond(5, new Error('no'))).toEqual([6, ['a', 'b'], false, true, true]);
  void list.more();
  expect(await respond(6, { data: ['b', 'c'], next_cursor: '3' })).toEqual([
    ...[7, ['a', 'b', 'c'], false, false, true],
  ]);
  void list.refresh();
  void list.restart();
  expect(state()).toEqual([undefined, true, false, false]);
  expect(await respond(7, { data: ['b', 'c'], next_cursor: '3' })).toEqual([
    ...[8, ['b', 'c'], false, false, true],
  ]);
  void list.more();
  list.forget();
  expect(await respond(8, { data: ['d', 'e'], next_cursor: null })).toEqual([
    ...[9, undefined, false, false, false],
  ]);
  expect(errors).toEqual(['Error: no', 'Error: no']);
});

test('a reading without a match ends after 25 pages, and goes on from there on demand', async () => {
  const cursors: string[] = [];
  const list = createPagedList<string>({
    async read(cursor = '0') {
      cursors.push(cursor);
      return { data: [], next_cursor: String(Number(cursor) + 1) };
    },
    ...{ idOf: String, enough: 1, onError },
  });
  await list.restart();
  expect([list.rows.value, list.hasMore.value, cursors.length]).toEqual([[], true, 25]);
  await list.more();
  expect([cursors[25], cursors.length]).toEqual(['25', 50]);
});
