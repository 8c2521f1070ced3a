import { expect, test } from '@jest/globals';
import { createUuidV7 } from '../src/composition/uuid-v7.ts';

const V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const millisecondsOf = (id: string): number => Number.parseInt(id.slice(0, 13).replace('-', ''), 16);

test('ids are UUIDs of version 7 with the current time', () => {
  const at = Date.parse('2026-03-02T09:00:00.123Z');
  const ids = createUuidV7(() => at);
  const id = ids.next();
  expect(id).toMatch(V7);
  expect(millisecondsOf(id)).toBe(at);
});

test('ids sort in the order of their creation, even within a millisecond', () => {
  let now = 1_800_000_000_000;
  const ids = createUuidV7(() => now);
  const made: string[] = [];
  for (let i = 0; i < 9_000; i++) {
    if (i % 3_000 === 2_999) now += 1;
    made.push(ids.next());
  }
  expect([...made].sort()).toEqual(made);
  expect(new Set(made).size).toBe(made.length);
  expect(made.filter((id) => !V7.test(id))).toEqual([]);
});

test('ids stay in order when the clock is set back', () => {
  let now = 1_800_000_000_000;
  const ids = createUuidV7(() => now);
  const before = ids.next();
  now -= 3_600_000;
  expect(ids.next() > before).toBe(true);
});

test('two generators create different ids at the same time', () => {
  const [one, other] = [createUuidV7(() => 5), createUuidV7(() => 5)];
  const made = Array.from({ length: 1000 }, () => [one.next(), other.next()]).flat();
  expect(new Set(made).size).toBe(2000);
});
