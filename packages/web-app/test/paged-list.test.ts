import { expect, test } from '@jest/globals';
import { createPagedList } from '../src/paged-list.ts';

test('a list goes on over pages that are nearly empty until the screen is full, reads more on demand, and again all that it shows', async () => {
  const rows = Array.from({ length: 250 }, (_, id) => ({ id }));
  let reads = 0;
  const list = createPagedList<{ readonly id: number }>({
    async read(cursor = '0') {
      reads += 1;
      const end = Number(cursor) + 30;
      return { data: rows.slice(Number(cursor), end), next_cursor: end < 250 ? String(end) : null };
    },
    idOf: ({ id }) => String(id),
    enough: 100,
    onError: (error) => expect(error).toBeUndefined(),
  });
  await list.restart();
  expect([list.rows.value?.length, reads]).toEqual([120, 4]);
  await list.more();
  expect(list.rows.value?.length).toBe(240);
  await list.more();
  expect([list.rows.value, list.hasMore.value]).toEqual([rows, false]);
  await list.refresh();
  expect(list.rows.value).toEqual(rows);
});

test('after the first 1000 rows were read again, the list goes on where it ended', async () => {
  const cursors: string[] = [];
  const list = createPagedList<number>({
    async read(cursor = '0') {
      cursors.push(cursor);
      const from = Number(cursor);
      return { data: Array.from({ length: 200 }, (_, n) => from + n), next_cursor: String(from + 200) };
    },
    idOf: String,
    enough: 200,
    onError: (error) => expect(error).toBeUndefined(),
  });
  await list.restart();
  for (let n = 0; n < 5; n += 1) await list.more();
  await list.refresh();
  expect(list.rows.value).toEqual(Array.from({ length: 1200 }, (_, n) => n));
  await list.more();
  expect([cursors.at(-1), list.rows.value?.length]).toEqual(['1200', 1400]);
});
