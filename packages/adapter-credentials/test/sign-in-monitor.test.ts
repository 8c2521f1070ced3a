import { expect, test } from '@jest/globals';
import { NO_METRICS } from '@svc/application';
import { createSignInMonitor } from '../src/sign-in-monitor.ts';

test('fifty failed sign-ins within a minute are one warning, and every one is counted by kind', () => {
  const clock = { time: 1, now: () => clock.time };
  const warnings: unknown[] = [];
  const counted: string[] = [];
  const log = { warn: (...line: unknown[]) => warnings.push(line) };
  const metrics = { ...NO_METRICS, signInFailed: (kind: string) => counted.push(kind) };
  const monitor = createSignInMonitor({ log, clock, metrics });
  for (let n = 0; n < 49; n += 1) monitor.count('refused');
  clock.time += 59_999;
  for (let n = 0; n < 49; n += 1) monitor.count('paused');
  expect(warnings).toEqual([]);
  const warning = ['many failed sign-ins', { failures_in_this_minute: 50 }];
  for (const count of [1, 2]) {
    for (let n = 0; n < 100; n += 1) monitor.count('paused');
    expect(warnings).toEqual(Array(count).fill(warning));
    clock.time += 60_000;
  }
  expect(counted).toEqual([...Array(49).fill('refused'), ...Array(249).fill('paused')]);
});
