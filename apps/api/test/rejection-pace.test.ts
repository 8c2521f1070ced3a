import { expect, test } from '@jest/globals';
import { createRejectionPace } from '../src/http/limits/rejection-pace.ts';

test('beyond twenty rejections per second a caller waits for the next, and others do not', async () => {
  let now = 5000;
  const pauses: number[] = [];
  const pace = createRejectionPace({
    now: () => now,
    pause: async (ms) => pauses.push(ms),
  });
  for (let n = 0; n < 20; n += 1) await pace.next('one');
  expect(pauses).toEqual([]);
  now = 5999;
  await pace.next('one');
  await pace.next('two');
  now = 6000;
  await pace.next('one');
  expect(pauses.map((ms) => ms >= 250 && ms <= 500)).toEqual([true]);
});
