import { performance } from 'node:perf_hooks';
import { cpuMs } from '../services/process-usage.ts';
import { type BenchRequest, Connection } from './connection.ts';

export type Measured = Awaited<ReturnType<typeof load>>;

const CONNECTIONS = 32;

/**
 * Sends requests on new connections for the given time, one at a time on each; throws unless all responses have the
 * expected status. The connections are opened before the measurement: Node accepts one per event loop turn, so many at once
 * would measure the accept queue, not the service.
 */
export async function load(url: string, next: () => BenchRequest, expected: number, seconds: number) {
  const clients = Array.from({ length: CONNECTIONS }, () => new Connection(url));
  for (const client of clients) await client.request({ method: 'GET', path: '/v1/health', headers: {} });
  const latencies: number[] = [];
  const started = performance.now();
  const end = started + seconds * 1000;
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() < end) {
        const request = next();
        const sentAt = performance.now();
        const status = await client.request(request);
        if (status !== expected)
          throw new Error(`${request.path} was answered with ${status}, not ${expected}`);
        latencies.push(performance.now() - sentAt);
      }
    }),
  );
  const elapsed = (performance.now() - started) / 1000;
  for (const client of clients) client.close();
  latencies.sort((a, b) => a - b);
  return {
    /** Expected responses per second. */
    rps: latencies.length / elapsed,
    /** Milliseconds. */
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    responses: latencies.length,
  };
}

/** Of sorted values; 0 when there are none. */
export const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

/** Measures two sides in turn. The order alternates, because the later one finds warmer caches. */
export async function alternately<Side, Result>(
  [first, second]: readonly [Side, Side],
  rounds: number,
  measure: (side: Side) => Promise<Result>,
  onRound: (found: readonly (readonly [Result, Result])[]) => void = () => {},
): Promise<(readonly [Result, Result])[]> {
  const found: (readonly [Result, Result])[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = round % 2 === 0 ? await measure(first) : null;
    const ofSecond = await measure(second);
    found.push([before ?? (await measure(first)), ofSecond]);
    onRound(found);
  }
  return found;
}

/**
 * Starts to measure the CPU time of these processes, listed again at the end, since PostgreSQL's come and go; 0 except on
 * Linux.
 * @returns the CPU seconds of each group since the start, of the processes that still run.
 */
export function measureCpu<Group extends string>(
  groups: Readonly<Record<Group, () => readonly number[]>>,
): () => Record<Group, number> {
  const all = Object.entries<() => readonly number[]>(groups);
  const before = new Map(all.flatMap(([, pids]) => pids().map((pid) => [pid, cpuSeconds(pid)])));
  return () =>
    Object.fromEntries(
      all.map(([name, pids]) => [
        name,
        pids().reduce((sum, pid) => sum + cpuSeconds(pid) - (before.get(pid) ?? 0), 0),
      ]),
    ) as Record<Group, number>;
}

function cpuSeconds(pid: number): number {
  try {
    return cpuMs(pid) / 1000;
  } catch {
    return 0;
  }
}
