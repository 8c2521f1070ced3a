import { expect, test } from '@jest/globals';
import { createRejectionPace } from '../src/http/limits/rejection-pace.ts';

test('beyond twenty rejections per second a caller waits for the next, and others do not', async () => {
  let now = 5000;
  let pauses = 0;
  const pace = createRejectionPace({
    now: () => now,
    pause: async () => {
      pauses += 1;
    },
  });
  for (let n = 0; n < 20; n += 1) await pace.next('one');
  expect(pauses).toBe(0);
  await pace.next('one');
  await pace.next('two');
  expect(pauses).toBe(1);
  now = 6000;
  await pace.next('one');
  expect(pauses).toBe(1);
});
