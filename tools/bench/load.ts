import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { Client } from 'undici';

export interface BenchRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

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
  const clients = Array.from({ length: connections }, () => new Client(url, { pipelining: 1 }));
  const latencies: number[] = [];
  let wrong = 0;
  const started = performance.now();
  const end = started + seconds * 1000;
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() < end) {
        const { method, path, headers, body } = next();
        const sentAt = performance.now();
        const response = await client.request({ method, path, headers, body: body ?? null });
        await response.body.arrayBuffer();
        latencies.push(performance.now() - sentAt);
        if (response.statusCode !== expected) wrong += 1;
      }
    }),
  );
  const elapsed = (performance.now() - started) / 1000;
  await Promise.all(clients.map((client) => client.close()));
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

/** CPU seconds used by these processes; 0 except on Linux. */
export function cpuSeconds(pids: readonly number[]): number {
  const TICKS_PER_SECOND = 100;
  let ticks = 0;
  for (const pid of pids) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ');
      ticks += Number(fields[11]) + Number(fields[12]);
    } catch {
      // The process has ended.
    }
  }
  return ticks / TICKS_PER_SECOND;
}

/** Child processes. */
export function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .trim()
      .split(' ')
      .filter(Boolean)
      .map(Number);
  } catch {
    return [];
  }
}
