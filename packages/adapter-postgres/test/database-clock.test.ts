import { expect, test } from '@jest/globals';
import { startDatabaseClock } from '../src/driver/database-clock.ts';

/** A database whose responses take some time each way, and a process whose clock may be wrong. */
async function started({ wrongBy = 0, there = 5, back = 5 } = {}) {
  /** `set`: by how much the clock of the database was set. */
  const world = { time: 1_000_000, set: 0, wrongBy, there, back, isDown: false };
  const clock = await startDatabaseClock(
    async () => {
      if (world.isDown) throw new Error('no response');
      world.time += world.there;
      const time = world.time + world.set;
      world.time += world.back;
      return time;
    },
    { now: () => world.time + world.wrongBy },
    () => world.time - 400_000,
  );
  return { clock, world };
}

test.each([0, 75_000, -75_000])(
  'a process whose clock is %d ms ahead has the time of the database, and says how far it is ahead',
  async (wrongBy) => {
    const { clock, world } = await started({ wrongBy });
    expect(clock.now()).toBe(world.time);
    expect(clock.aheadMs()).toBe(wrongBy);
    world.time += 3000;
    world.wrongBy += 20_000;
    expect(clock.now()).toBe(world.time);
    expect(clock.aheadMs()).toBe(wrongBy + 20_000);
  },
);

test('a slow response does not move the time, unless it proves it wrong', async () => {
  const { clock, world } = await started();
  Object.assign(world, { there: 4000, back: 0 });
  await clock.measure();
  expect(clock.now()).toBe(world.time);
  for (const [set, wrongBy] of [
    [60_000, -7],
    [59_000, 8],
  ] as const) {
    Object.assign(world, { there: 8, back: 7, set });
    await clock.measure();
    expect(clock.now() - world.time - set).toBe(wrongBy);
  }
});

test('a time between two milliseconds is that of the earlier one', async () => {
  const { clock, world } = await started({ there: 4, back: 5 });
  expect([clock.now() - world.time, clock.aheadMs()]).toEqual([-1, 1]);
});

test('without a response the time goes on as before', async () => {
  const { clock, world } = await started();
  world.isDown = true;
  world.time += 60_000;
  await clock.measure();
  expect(clock.now()).toBe(world.time);
});
