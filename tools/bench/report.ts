import pc from 'picocolors';
import type { Measured } from './load.ts';

type Cpu = Readonly<Record<string, number>>;
type MeasuredWithCpu = Measured & { readonly cpu: Cpu };

/** Results of one round. */
interface Round {
  readonly service: MeasuredWithCpu;
  readonly baseline: MeasuredWithCpu;
}

export type Summary = ReturnType<typeof summarize>;

/** Target ratios. */
const GOALS: Readonly<Record<string, number>> = { get: 2, page: 3, send: 2.2, accept: 1.8 };

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1] ?? 0, sorted[middle] ?? 0];
  return (low + high) / 2;
}

export const rounded = (value: number, digits = 3): number => Number(value.toFixed(digits));

/** Medians of the rounds; higher is better. */
export function summarize(rounds: readonly Round[]) {
  const over = (of: (round: Round) => number): number => rounded(median(rounds.map(of)));
  const ratios = rounds.map(({ service, baseline }) => service.rps / baseline.rps);
  const cpu = (subject: 'service' | 'baseline'): Cpu =>
    Object.fromEntries(
      Object.keys(rounds[0]?.[subject].cpu ?? {}).map((name) => [
        name,
        rounded(
          median(rounds.map((round) => ((round[subject].cpu[name] ?? 0) / round[subject].responses) * 1e6)),
          1,
        ),
      ]),
    );
  return {
    /** Responses per second, service divided by baseline. */
    ratio: over(({ service, baseline }) => service.rps / baseline.rps),
    /** Latency, baseline divided by service. */
    p50_ratio: over(({ service, baseline }) => baseline.p50 / service.p50),
    p99_ratio: over(({ service, baseline }) => baseline.p99 / service.p99),
    service_rps: over(({ service }) => service.rps),
    baseline_rps: over(({ baseline }) => baseline.rps),
    /** Lowest and highest ratio of a round. */
    spread: [rounded(Math.min(...ratios)), rounded(Math.max(...ratios))] as const,
    /** CPU microseconds per response, by process. */
    cpu_us: { service: cpu('service'), baseline: cpu('baseline') },
    rounds,
  };
}

export function table(summaries: Readonly<Record<string, Summary>>): string {
  const header = [
    'path',
    'ratio',
    'goal',
    'spread',
    'p50',
    'p99',
    'service/s',
    'baseline/s',
    'µs node',
    'µs database',
  ];
  const rows = Object.entries(summaries).map(([path, summary]) => [
    path,
    summary.ratio.toFixed(2),
    `≥ ${GOALS[path]}`,
    summary.spread.map((one) => one.toFixed(2)).join('–'),
    summary.p50_ratio.toFixed(2),
    summary.p99_ratio.toFixed(2),
    summary.service_rps.toFixed(0),
    summary.baseline_rps.toFixed(0),
    `${summary.cpu_us.service.node} / ${summary.cpu_us.baseline.node}`,
    `${summary.cpu_us.service.database} / ${summary.cpu_us.baseline.database}`,
  ]);
  return `${grid(header, rows)}\n\nRatios are service to baseline (latencies: baseline to service), medians of the rounds; higher is better.\n`;
}

function grid(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((name, i) => Math.max(name.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd();
  const title = process.stdout.isTTY === true ? pc.bold(line(header)) : line(header);
  return [title, ...rows.map(line)].join('\n');
}

/** A bar chart of the ratios, with the baseline as a line at 1. */
export function plot(summaries: Readonly<Record<string, Summary>>): string {
  const [left, scale, step] = [70, 150, 44];
  const entries = Object.entries(summaries);
  const bars = entries.map(([path, { ratio, spread }], i) => {
    const y = 20 + i * step;
    return `<text x="${left - 8}" y="${y + 17}" text-anchor="end">${path}</text>
<rect x="${left}" y="${y}" width="${(ratio * scale).toFixed(1)}" height="24" rx="3" fill="#2a6f97"/>
<line x1="${left + spread[0] * scale}" x2="${left + spread[1] * scale}" y1="${y + 12}" y2="${y + 12}" stroke="#012a4a" stroke-width="2"/>
<text x="${(left + Math.max(ratio, spread[1]) * scale + 8).toFixed(1)}" y="${y + 17}">${ratio.toFixed(2)}</text>`;
  });
  const height = 20 + entries.length * step + 24;
  const widest = Math.max(1, ...entries.map(([, { ratio, spread }]) => Math.max(ratio, spread[1])));
  const width = Math.ceil(left + widest * scale + 60);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="14">
<title>Responses per second, service divided by baseline</title>
<rect width="${width}" height="${height}" fill="#fff"/>
${bars.join('\n')}
<line x1="${left + scale}" x2="${left + scale}" y1="10" y2="${height - 22}" stroke="#d00000" stroke-dasharray="4 3"/>
<text x="${left + scale}" y="${height - 6}" text-anchor="middle" fill="#d00000">the baseline</text>
</svg>
`;
}
