import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { Client } from 'undici';

/** One request of a load. */
export interface Shot {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

export interface Measured {
  /** Answers a second. */
  readonly rps: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly answers: number;
  /** Answers that were not the expected status; a round with any of them does not count. */
  readonly wrong: number;
}

const CONNECTIONS = 32;

/** Keeps connections busy, one request at a time on each, for as long as asked. */
export async function load(
  url: string,
  next: () => Shot,
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
        const answer = await client.request({ method, path, headers, body: body ?? null });
        await answer.body.arrayBuffer();
        latencies.push(performance.now() - sentAt);
        if (answer.statusCode !== expected) wrong += 1;
      }
    }),
  );
  const elapsed = (performance.now() - started) / 1000;
  await Promise.all(clients.map((client) => client.close()));
  latencies.sort((a, b) => a - b);
  const at = (share: number): number =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
  return { rps: latencies.length / elapsed, p50: at(0.5), p99: at(0.99), answers: latencies.length, wrong };
}

/** Processor time in seconds that these processes have used so far. Linux only; elsewhere 0. */
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
      // a backend that ended meanwhile
    }
  }
  return ticks / TICKS_PER_SECOND;
}

/** The processes that a process has started. */
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
