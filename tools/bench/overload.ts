import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { type BenchRequest, Connection } from './connection.ts';
import { quantile } from './load.ts';

export interface LoadResult {
  /** Of responses with the expected status. */
  readonly expectedPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Other responses by status. */
  readonly rejectedByStatus: Readonly<Record<number, number>>;
  readonly rejectedP99Ms: number;
}

/**
 * Opens persistent connections before the measurement: Node accepts one per event loop turn, so hundreds of new
 * connections would measure the accept queue, not the service.
 */
export async function connect(url: string, connections: number): Promise<readonly Connection[]> {
  const opened = Array.from({ length: connections }, () => new Connection(url));
  for (const connection of opened)
    await connection.request({ method: 'GET', path: '/v1/health', headers: {} });
  return opened;
}

/**
 * Sends requests on all connections at the same time, one at a time on each. After a rejection, a connection waits for
 * `pauseMs` and not for the `Retry-After` of the response.
 */
export async function overload(
  connections: readonly Connection[],
  next: () => BenchRequest,
  { expected, seconds, pauseMs }: { expected: number; seconds: number; pauseMs: number },
): Promise<LoadResult> {
  const latencies: number[] = [];
  const rejectionLatencies: number[] = [];
  const rejectedByStatus: Record<number, number> = {};
  const end = performance.now() + seconds * 1000;
  await Promise.all(
    connections.map(async (connection) => {
      while (performance.now() < end) {
        const request = next();
        const sentAt = performance.now();
        const status = await connection.request(request);
        const latencyMs = performance.now() - sentAt;
        if (status === expected) {
          latencies.push(latencyMs);
          continue;
        }
        rejectionLatencies.push(latencyMs);
        rejectedByStatus[status] = (rejectedByStatus[status] ?? 0) + 1;
        if (pauseMs > 0) await pause(pauseMs);
      }
    }),
  );
  return {
    expectedPerSecond: Math.round(latencies.length / seconds),
    p50Ms: quantileMs(latencies, 0.5),
    p99Ms: quantileMs(latencies, 0.99),
    rejectedByStatus,
    rejectedP99Ms: quantileMs(rejectionLatencies, 0.99),
  };
}

const quantileMs = (latencies: readonly number[], share: number): number =>
  Number(
    quantile(
      latencies.toSorted((a, b) => a - b),
      share,
    ).toFixed(2),
  );

/** Statuses of `/v1/health`, polled ten times a second until `isOver`. */
export async function watchHealth(url: string, isOver: () => boolean): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {};
  while (!isOver()) {
    const response = await fetch(`${url}/v1/health`);
    await response.arrayBuffer();
    statuses[response.status] = (statuses[response.status] ?? 0) + 1;
    await pause(100);
  }
  return statuses;
}
