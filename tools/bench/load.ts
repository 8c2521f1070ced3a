import { performance } from 'node:perf_hooks';
import { cpuMs } from '../services/process-usage.ts';
import { type BenchRequest, Connection } from './connection.ts';

export interface Measured {
  /** Responses per second. */
  readonly rps: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly responses: number;
  /** Responses with an unexpected status, which invalidate the round. */
  readonly wrong: number;
}

const CONNECTIONS = 32;

/** Sends requests on all connections, one at a time on each, for the given time. */
export async function load(
  url: string,
  next: () => BenchRequest,
  expected: number,
  seconds: number,
  connections: number = CONNECTIONS,
): Promise<Measured> {
  const open = Array.from({ length: connections }, () => new Connection(url));
  const latencies: number[] = [];
  let wrong = 0;
  const started = performance.now();
  const end = started + seconds * 1000;
  await Promise.all(
    open.map(async (connection) => {
      while (performance.now() < end) {
        const request = next();
        const sentAt = performance.now();
        const status = await connection.request(request);
        latencies.push(performance.now() - sentAt);
        if (status !== expected) wrong += 1;
      }
    }),
  );
  const elapsed = (performance.now() - started) / 1000;
  for (const connection of open) connection.close();
  latencies.sort((a, b) => a - b);
  return {
    rps: latencies.length / elapsed,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    responses: latencies.length,
    wrong,
  };
}

/** Of sorted values; 0 when there are none. */
export const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

/** Processes whose CPU time is measured; listed again at the end, since PostgreSQL's come and go. */
export type CpuGroups = Readonly<Record<string, () => readonly number[]>>;

/**
 * Starts to measure the CPU time of these processes; 0 except on Linux.
 *
 * @returns the CPU seconds of each group since the start, of the processes that still run.
 */
export function measureCpu(groups: CpuGroups): () => Record<string, number> {
  const before = new Map(
    Object.values(groups).flatMap((pids) => pids().map((pid) => [pid, cpuSeconds(pid)])),
  );
  return () =>
    Object.fromEntries(
      Object.entries(groups).map(([name, pids]) => [
        name,
        pids().reduce((sum, pid) => sum + cpuSeconds(pid) - (before.get(pid) ?? 0), 0),
      ]),
    );
}

function cpuSeconds(pid: number): number {
  try {
    return cpuMs(pid) / 1000;
  } catch {
    return 0;
  }
}
