import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { createHealth } from '../src/composition/health.ts';

beforeEach(() => void jest.useFakeTimers({ now: 1000 }));
afterEach(() => void jest.useRealTimers());

function fixture(redis: 'up' | 'down' | null = null) {
  const state = { isDraining: false, isLost: false, aheadMs: 0, redis };
  const pings: number[] = [];
  const logged: string[] = [];
  const note = (level: string) => (message: string, fields?: object) =>
    void logged.push([level, message, ...Object.values(fields ?? {})].join(': '));
  const health = createHealth({
    stores: {
      async ping(timeoutMs) {
        pings.push(timeoutMs);
        if (state.isLost) throw new Error('lost');
      },
      clock: { now: () => Date.now() },
      clockAheadMs: () => state.aheadMs,
      operatorReads: { latestRestamp: async () => ({ since: 200, startedAt: 900, finishedAt: null }) },
    },
    redis: redis && {
      state: () => ({ status: state.redis ?? 'down', timeouts: 0, failures: 0, outages: 0 }),
    },
    isDraining: () => state.isDraining,
    log: { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') },
  });
  const check = () =>
    health.check().then(
      () => 'ready',
      ({ message, reason }) => [message, reason],
    );
  const partsUp = async () => {
    const { status, parts } = await health.status.observe();
    return [status, ...parts.filter(({ up }) => up).map(({ name }) => name)];
  };
  return { state, pings, logged, health, check, partsUp };
}

test('a process is ready while the database responds to a ping, which all that ask within 250 ms share', async () => {
  const { state, pings, check, partsUp } = fixture();
  expect([await check(), await check()]).toEqual(['ready', 'ready']);
  expect(await partsUp()).toEqual(['up', 'api', 'database']);
  expect(pings).toEqual([900]);
  state.isLost = true;
  jest.advanceTimersByTime(250);
  expect(await check()).toBe('ready');
  jest.advanceTimersByTime(1);
  expect([await check(), await check(), await partsUp()]).toEqual([
    ['lost', undefined],
    ['lost', undefined],
    ['down', 'api'],
  ]);
  state.isLost = false;
  jest.advanceTimersByTime(251);
  expect([await check(), pings.length]).toEqual(['ready', 3]);
});

test('a process that shuts down is not ready, and says so before it asks the database', async () => {
  const { state, pings, check, partsUp } = fixture();
  Object.assign(state, { isDraining: true, isLost: true });
  expect([await check(), pings]).toEqual([['the service is shutting down', 'draining'], []]);
  state.isLost = false;
  expect(await partsUp()).toEqual(['down', 'database']);
});

test.each([
  [60_000, 'ready'],
  [-60_000, 'ready'],
  [60_001, ['The clock of this machine is 60 s ahead of that of the database.', 'clock']],
  [-75_400, ['The clock of this machine is 75 s behind that of the database.', 'clock']],
])('a process whose clock is %d ms ahead is %j', async (aheadMs, expected) => {
  const { state, check } = fixture();
  state.aheadMs = aheadMs;
  expect(await check()).toEqual(expected);
});

test('the log says once when the clock becomes wrong and right again, also while nobody asks, until the process stops', async () => {
  const { state, pings, logged, health } = fixture();
  const wrong = 'error: not ready: the clock of this machine is wrong';
  for (const aheadMs of [0, 61_000.4, 0, -61_000]) {
    state.aheadMs = aheadMs;
    await jest.advanceTimersByTimeAsync(3000);
  }
  const right = 'info: the clock of this machine is right again';
  expect(logged).toEqual([`${wrong}: 61000`, right, `${wrong}: -61000`]);
  expect(pings).toHaveLength(12);
  health.stop();
  expect(jest.getTimerCount()).toBe(0);
});

test('/status has Redis where it is configured, and the time to which the database was restored', async () => {
  const { state, partsUp, health } = fixture('up');
  expect(await partsUp()).toEqual(['up', 'api', 'database', 'redis']);
  state.redis = 'down';
  expect(await partsUp()).toEqual(['degraded', 'api', 'database']);
  expect(await health.status.check()).toMatchObject({ since: 1000, restore: { to: 200, at: 900 } });
});
