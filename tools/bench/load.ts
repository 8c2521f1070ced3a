import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { cpuMs } from '../services/process-usage.ts';
import { type BenchRequest, Connection } from './connection.ts';

export interface Measured {
  /** Expected responses per second. */
  readonly rps: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly responses: number;
  /** Other responses by status. */
  readonly rejected: Readonly<Record<number, number>>;
  readonly rejectedP99: number;
}

export type Clients = readonly Connection[];

const CONNECTIONS = 32;

/**
 * Opens persistent connections before the measurement: Node accepts one per event loop turn, so hundreds of new
 * connections would measure the accept queue, not the service.
 */
export async function connect(url: string, connections = CONNECTIONS): Promise<Clients> {
  const opened = Array.from({ length: connections }, () => new Connection(url));
  for (const connection of opened)
    await connection.request({ method: 'GET', path: '/v1/health', headers: {} });
  return opened;
}

/** Sends requests on new connections for the given time; throws unless all responses have the expected status. */
export async function load(
  url: string,
  next: () => BenchRequest,
  expected: number,
  seconds: number,
): Promise<Measured> {
  const clients = await connect(url);
  const measured = await loadWith(clients, next, { expected, seconds });
  for (const client of clients) client.close();
  const { path } = next();
  if (Object.keys(measured.rejected).length > 0)
    throw new Error(
      `Responses to requests such as ${path} were not ${expected}: ${JSON.stringify(measured.rejected)}`,
    );
  return measured;
}

/**
 * Sends requests on all connections at the same time, one at a time on each. After another status than the expected one,
 * a connection waits for `pauseMs` and not for the `Retry-After` of the response.
 */
export async function loadWith(
  clients: Clients,
  next: () => BenchRequest,
  { expected, seconds, pauseMs = 0 }: { expected: number; seconds: number; pauseMs?: number },
): Promise<Measured> {
  const latencies: number[] = [];
  const ofRejected: number[] = [];
  const rejected: Record<number, number> = {};
  const started = performance.now();
  const end = started + seconds * 1000;
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() < end) {
        const request = next();
        const sentAt = performance.now();
        const status = await client.request(request);
        const latency = performance.now() - sentAt;
        if (status === expected) {
          latencies.push(latency);
          continue;
        }
        ofRejected.push(latency);
        rejected[status] = (rejected[status] ?? 0) + 1;
        if (pauseMs > 0) await pause(pauseMs);
      }
    }),
  );
  const elapsed = (performance.now() - started) / 1000;
  for (const found of [latencies, ofRejected]) found.sort((a, b) => a - b);
  return {
    rps: latencies.length / elapsed,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    responses: latencies.length,
    rejected,
    rejectedP99: quantile(ofRejected, 0.99),
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
 *
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
