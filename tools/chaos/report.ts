import { quantile } from '../bench/load.ts';
import type { ChaosReport } from './chaos.ts';
import { RULE_NAMES } from './checker.ts';

export function printReport(report: ChaosReport): void {
  const print = console.log;
  print(markdownTables(report));
  const byRule = new Map<string, number>();
  for (const { rule } of report.violations) byRule.set(rule, (byRule.get(rule) ?? 0) + 1);
  for (const [rule, count] of byRule) {
    print(`✗ ${rule}: ${count}`);
    for (const { description, calls } of report.violations.filter((each) => each.rule === rule).slice(0, 3)) {
      print(`  ${description}`);
      for (const call of calls) print(`    ${JSON.stringify(call).slice(0, 600)}`);
    }
  }
  if (report.violations.length > 0) print(`violation found after ${report.foundAfterSeconds} s`);
  print(`${report.violations.length} violations`);
}

/** The results as Markdown tables. */
export function markdownTables(report: ChaosReport): string {
  const { kills, judged, limited, cut } = report;
  const tasks = [...report.tasks].sort(([, a], [, b]) => b - a);
  const operations = tasks.reduce((sum, [, count]) => sum + count, 0);
  const run = {
    seed: `\`${report.seed}\``,
    'duration, processes': `${report.seconds} s, ${report.processes}`,
    operations: `${operations} in ${report.requests} requests`,
    'operations by kind': tasks.map(([name, count]) => `${count} ${name}`).join(', '),
    'requests without a response, `503`, replayed': `${report.lost}, ${report.unavailable}, ${report.replays}`,
    'requests and responses cut by the proxies': `${cut.requests}, ${cut.responses}`,
    'requests of the rate-limited key: accepted, rejected': `${limited.accepted}, ${limited.rejected}`,
    'SIGKILL to a process, to Redis, to PostgreSQL': `${kills.processes}, ${kills.redis}, ${kills.postgres}`,
    'claims judged as registers': `${judged.claims} (${judged.operations} operations), ${judged.undecided} undecided`,
    'polls and changes judged as lists': `${judged.polls}, ${judged.changes}`,
    'actions looked up in audit chains, chains verified': `${judged.actions}, ${judged.chains}`,
    'rows of files sent, webhooks received, receipts compared': `${report.rows}, ${report.signals}, ${report.receipts}`,
    'never seen': report.neverSeen.join('; ') || 'nothing of what a run must meet',
    'time to judge': `${report.judgedInSeconds} s`,
  };
  const violationsOf = (name: string): number => report.violations.filter(({ rule }) => rule === name).length;
  const rules = new Set([...RULE_NAMES, ...report.violations.map(({ rule }) => rule)]);
  return [
    table(['run', ''], Object.entries(run)),
    table(
      ['fault', 'count', 'recovery p50, ms', 'p99, ms', 'longest, ms'],
      report.recoveries.map(([kind, ms]) => [
        kind,
        ...[ms.length, quantile(ms, 0.5), quantile(ms, 0.99), ms.at(-1)].map(String),
      ]),
    ),
    table(
      ['guarantee', 'violations'],
      [...rules].map((rule) => [rule, String(violationsOf(rule))]),
    ),
  ].join('\n');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}
