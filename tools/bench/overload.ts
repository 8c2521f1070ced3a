import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { type BenchRequest, Connection } from './connection.ts';
import { quantile } from './load.ts';

export interface Overloaded {
  /** Of responses with the expected status. */
  readonly admitted: number;
  readonly p50: number;
  readonly p99: number;
  /** Other responses by status. */
  readonly rejected: Readonly<Record<number, number>>;
  readonly p99Rejected: number;
}

/**
 * Opens connections, as a client keeps them. Node accepts one per turn of the event loop, so that hundreds of new ones
 * wait for each other, whatever the service does.
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
): Promise<Overloaded> {
  const admitted: number[] = [];
  const rejections: number[] = [];
  const rejected: Record<number, number> = {};
  const end = performance.now() + seconds * 1000;
  await Promise.all(
    connections.map(async (connection) => {
      while (performance.now() < end) {
        const request = next();
        const sentAt = performance.now();
        const status = await connection.request(request);
        const took = performance.now() - sentAt;
        if (status === expected) {
          admitted.push(took);
          continue;
        }
        rejections.push(took);
        rejected[status] = (rejected[status] ?? 0) + 1;
        if (pauseMs > 0) await pause(pauseMs);
      }
    }),
  );
  return {
    admitted: Math.round(admitted.length / seconds),
    p50: at(admitted, 0.5),
    p99: at(admitted, 0.99),
    rejected,
    p99Rejected: at(rejections, 0.99),
  };
}

const at = (latencies: readonly number[], share: number): number =>
  Number(
    quantile(
      latencies.toSorted((a, b) => a - b),
      share,
    ).toFixed(2),
  );

/** Statuses of `/v1/health`, asked ten times a second until `isOver`. */
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
