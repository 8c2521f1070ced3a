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
  Object.assign(world, { there: 10, back: 10, set: 60_000 });
  await clock.measure();
  expect(Math.abs(clock.now() - world.time - world.set)).toBeLessThanOrEqual(10);
});

test('without a response the time goes on as before', async () => {
  const { clock, world } = await started();
  world.isDown = true;
  world.time += 60_000;
  await clock.measure();
  expect(clock.now()).toBe(world.time);
});

test.each([-1000, 1000])('a database that is %d ms off at the next measure is followed', async (offMs) => {
  let time = 5000;
  const clock = await startDatabaseClock(
    async () => time,
    { now: () => 0 },
    () => 0,
  );
  time += offMs;
  await clock.measure();
  expect(clock.now()).toBe(time);
});
