import { expect, test } from '@jest/globals';
import { runChaos } from '../../../tools/chaos/chaos.ts';

test('no guarantee is violated when processes, databases and connections fail under load', async () => {
  const report = await runChaos({ seconds: 8, seed: 'a fixed seed', processes: 3 });
  // A failure shows the violated guarantee and the calls involved.
  expect(report.violations.map(({ rule, description, calls }) => ({ rule, description, calls }))).toEqual([]);
  expect(report.claims).toBeGreaterThan(0);
  expect(report.judged).toMatchObject({ claims: report.claims, undecided: 0 });
  expect(report.judged.polls).toBeGreaterThan(0);
  expect(Object.keys(report.faults).length).toBeGreaterThan(3);
  expect(report.limited.rejected).toBeGreaterThan(0);
});
