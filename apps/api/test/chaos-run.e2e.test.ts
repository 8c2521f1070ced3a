import { expect, jest, test } from '@jest/globals';
import { runChaos } from '../../../tools/chaos/chaos.ts';
import { onCitus } from '../../../tools/services/citus.ts';

// The three servers of a Citus cluster take longer to start, and to recover from each fault.
const SECONDS = onCitus() ? 40 : 8;
jest.setTimeout(600_000);

test('no guarantee is violated when processes, databases and connections fail under load', async () => {
  const report = await runChaos({
    seconds: SECONDS,
    isEnough: ({ faultKinds, rows, limited }) => faultKinds >= 4 && rows > 0 && limited.rejected > 0,
    seed: 'a fixed seed',
    processes: 3,
  });
  // A failure shows the violated guarantee and the calls involved.
  expect(report.violations.map(({ rule, description, calls }) => ({ rule, description, calls }))).toEqual([]);
  expect(report.claims).toBeGreaterThan(0);
  expect(report.judged).toMatchObject({ claims: report.claims, undecided: 0 });
  expect(report.judged.polls).toBeGreaterThan(0);
  // Three firms, the one with a small rate limit, and the service.
  expect(report.judged.chains).toBe(5);
  expect(report.judged.actions).toBeGreaterThan(0);
  expect(report.recoveries.length).toBeGreaterThanOrEqual(4);
  expect(report.limited.rejected).toBeGreaterThan(0);
  const { rows, signals, receipts } = report;
  expect(Object.entries({ rows, signals, receipts }).filter(([, count]) => count === 0)).toEqual([]);
});
