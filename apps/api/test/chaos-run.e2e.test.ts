import { expect, test } from '@jest/globals';
import { runChaos } from '../../../tools/chaos/chaos.ts';

test('whatever is killed, frozen, flushed or cut off under load, no promise is broken', async () => {
  const report = await runChaos({ seconds: 8, seed: 'a fixed seed', processes: 3 });
  // What a failure shows: the broken promise, and the part of the history in which it was broken.
  expect(report.violations.map(({ rule, what, calls }) => ({ rule, what, calls }))).toEqual([]);
  expect(report.claims).toBeGreaterThan(0);
  expect(Object.keys(report.faults).length).toBeGreaterThan(3);
  expect(report.limited.refused).toBeGreaterThan(0);
});
