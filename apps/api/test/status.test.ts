import { expect, test } from '@jest/globals';
import { DAY, HOUR } from '@svc/domain';
import { createStatusMonitor, type Restore } from '../src/http/status/status.ts';

test('the status names each part, and since when it is up or down', async () => {
  let now = 1000;
  let [database, redis] = [true, true];
  const monitor = createStatusMonitor({
    checks: {
      database: async () => {
        if (!database) throw new Error('down');
        return true;
      },
      redis: async () => redis,
    },
    latestRestore: async () => null,
    now: () => now,
  });
  const seen = async () => {
    const { status, since, parts } = await monitor.check();
    return [status, since, ...parts.map((part) => `${part.name} ${part.up ? 'up' : 'down'} ${part.since}`)];
  };
  expect(await seen()).toEqual(['up', 1000, 'database up 1000', 'redis up 1000']);
  now = 2000;
  expect(await seen()).toEqual(['up', 1000, 'database up 1000', 'redis up 1000']);
  redis = false;
  expect(await seen()).toEqual(['degraded', 2000, 'database up 1000', 'redis down 2000']);
  now = 3000;
  database = false;
  expect(await seen()).toEqual(['down', 3000, 'database down 3000', 'redis down 2000']);
  now = 4000;
  redis = true;
  expect(await seen()).toEqual(['down', 3000, 'database down 3000', 'redis up 4000']);
  database = true;
  expect(await seen()).toEqual(['up', 4000, 'database up 4000', 'redis up 4000']);
});

test('the status names a restore to an earlier time for 30 days, also while the database is down', async () => {
  let restore: Restore | null = null;
  let now = 100 * DAY;
  let [database, isLost, asked] = [true, false, 0];
  const monitor = createStatusMonitor({
    checks: { database: async () => database },
    latestRestore: async () => {
      asked += 1;
      if (isLost) throw new Error('lost');
      return restore;
    },
    now: () => now,
  });
  const shown = async () => (await monitor.check()).restore;
  expect(await shown()).toBeNull();
  restore = { to: now - HOUR, at: now };
  expect(await shown()).toEqual(restore);
  isLost = true;
  expect(await shown()).toEqual(restore);
  now += 30 * DAY - 1;
  database = false;
  expect(await shown()).toEqual(restore);
  now += 1;
  expect(await shown()).toBeNull();
  expect(asked).toBe(3);
});
