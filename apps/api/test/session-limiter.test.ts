import { expect, test } from '@jest/globals';
import { createFixedClock } from '@svc/testkit';
import { createSessionLimiter } from '../src/composition/accounts.ts';

test.each([
  [10, 4, 6000],
  [6000, 2000, 10],
  [1, 1, 60_000],
])('of %d requests a minute a session may send %d at once, and the next after %d ms', async (...row) => {
  const [perMinute, burst, nextMs] = row;
  const clock = createFixedClock();
  const limit = createSessionLimiter(perMinute, clock);
  const allowed = async (count: number, session = 'one') => {
    const decisions = [];
    for (let n = 0; n < count; n += 1) decisions.push((await limit(session)).allowed);
    return decisions.filter(Boolean).length;
  };
  expect([await allowed(burst + 1), await allowed(1, 'other')]).toEqual([burst, 1]);
  clock.advance(nextMs - 1);
  expect(await allowed(1)).toBe(0);
  clock.advance(1);
  expect(await allowed(2)).toBe(1);
});

test('without a limit a session may send any number of requests', async () => {
  const limit = createSessionLimiter(0, createFixedClock());
  const decisions = await Promise.all(Array.from({ length: 9999 }, () => limit('one')));
  expect(decisions.every(({ allowed }) => allowed)).toBe(true);
});
