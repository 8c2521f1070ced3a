import { expect, test } from '@jest/globals';
import { simulate } from './simulate.ts';

/** `pnpm test:simulate` runs more. */
const SCHEDULES = 200;

test('no schedule of clients, crashes, lost responses, clock jumps and repeated jobs violates a guarantee', async () => {
  const { failure, schedules, together } = await simulate({ schedules: SCHEDULES, seed: 20_260_901 });
  expect(failure).toBeNull();
  expect(schedules).toBe(SCHEDULES);
  expect(together).toBeGreaterThan(0);
});
