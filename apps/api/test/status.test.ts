import { expect, test } from '@jest/globals';
import { createStatusMonitor } from '../src/http/status/status.ts';

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
