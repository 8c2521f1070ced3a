import type { ChaosReport } from './chaos.ts';

export function printReport(report: ChaosReport, print: (line: string) => void): void {
  const tasks = Object.entries(report.tasks).sort(([, a], [, b]) => b - a);
  const operations = tasks.reduce((sum, [, count]) => sum + count, 0);
  print('');
  print(`seed ${report.seed}, ${report.seconds} s, ${report.processes} processes`);
  print(
    `${operations} operations in ${report.requests} requests: ${tasks.map(([name, count]) => `${count} ${name}`).join(', ')}`,
  );
  print(`${report.lost} without a response, ${report.unavailable} unavailable, ${report.replays} replayed`);
  print(`${report.cut.requests} requests and ${report.cut.responses} responses cut`);
  print(
    `${report.claims} claims; rate-limited key: ${report.limited.accepted} accepted, ${report.limited.rejected} rejected`,
  );
  print('');
  for (const [kind, { count, recovery }] of Object.entries(report.faults)) {
    print(
      `${kind.padEnd(28)} ${String(count).padStart(4)} ×   healthy after ${String(recovery.median).padStart(5)} ms, at most ${recovery.longest} ms`,
    );
  }
  const { judged } = report;
  print('');
  print(
    `judged: ${judged.claims} claims as registers (${judged.operations} operations, ${judged.undecided} undecided), ${judged.polls} polls and ${judged.changes} changes as lists`,
  );
  const byRule = new Map<string, number>();
  for (const { rule } of report.violations) byRule.set(rule, (byRule.get(rule) ?? 0) + 1);
  for (const [rule, count] of byRule) {
    print(`✗ ${rule}: ${count}`);
    for (const { description, calls } of report.violations.filter((each) => each.rule === rule).slice(0, 3)) {
      print(`  ${description}`);
      for (const call of calls) print(`    ${JSON.stringify(call).slice(0, 600)}`);
    }
  }
  print(`${report.violations.length} violations`);
}
