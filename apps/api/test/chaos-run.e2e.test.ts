import { expect, test } from '@jest/globals';
import { runChaos } from '../../../tools/chaos/chaos.ts';

test('killing, freezing, flushing and disconnecting under load violates no guarantee', async () => {
  const report = await runChaos({ seconds: 8, seed: 'a fixed seed', processes: 3 });
  // A failure shows the violated rule and the calls that violated it.
  expect(report.violations.map(({ rule, what, calls }) => ({ rule, what, calls }))).toEqual([]);
  expect(report.claims).toBeGreaterThan(0);
  expect(Object.keys(report.faults).length).toBeGreaterThan(3);
  expect(report.limited.rejected).toBeGreaterThan(0);
});
