import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@svc/testkit/eventually';
import { listAll } from '../../../tools/chaos/chaos.ts';
import type { Cluster } from '../../../tools/cluster/index.ts';
import { type ApiResponse, callHttp, claimBody, type TestFirm } from './service-under-test.ts';

// Helpers for tests with several processes.

/** Sends `count` concurrent requests, round-robin over the processes. */
export const sendConcurrently = <T>(
  urls: readonly string[],
  count: number,
  request: (url: string, n: number) => Promise<T>,
): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => request(urls[n % urls.length] ?? '', n)));

/** The outcome of one request: a response, or how its connection failed. */
export interface Outcome {
  readonly write: boolean;
  readonly process: number;
  /** 0 when there was no response. */
  readonly status: number;
  readonly code: string;
  readonly retryAfter: string | null;
  /** The body of a write. */
  readonly body: Record<string, unknown> | null;
}

export type Load = ReturnType<typeof startLoad>;

/** Clients that alternate between reads and sends, round-robin over `urls`, and continue after failures. */
export function startLoad(
  urls: readonly string[],
  firm: TestFirm,
  { clients = 6, pauseMs = 5 }: { clients?: number; pauseMs?: number } = {},
) {
  const outcomes: Outcome[] = [];
  let stopping = false;
  const client = async (number: number): Promise<void> => {
    for (let n = number; !stopping; n += 1) {
      const write = n % 2 === 0;
      const body = write ? claimBody(firm.account.manual) : undefined;
      const process = n % urls.length;
      const end = (status: number, code: string, retryAfter: string | null): void =>
        void outcomes.push({ write, process, status, code, retryAfter, body: body ?? null });
      try {
        // A short page: the claims of a long one take most of the time of the load.
        const path = write ? '/v1/claims' : '/v1/claims?limit=5';
        const response = await callHttp(urls[process] ?? '', write ? 'POST' : 'GET', path, {
          as: firm.test,
          ...(write && { body, headers: { 'Idempotency-Key': String(body?.external_id) } }),
        });
        end(response.status, String(response.json?.code ?? ''), response.headers.get('retry-after'));
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        end(0, code ?? message, null);
      }
      await sleep(pauseMs);
    }
  };
  const done = Promise.all(Array.from({ length: clients }, (_, n) => client(n)));
  return {
    outcomes,
    /** Waits for the requests in flight and starts no new ones. */
    async stop() {
      stopping = true;
      await done;
      return outcomes;
    },
  };
}

/** The number of outcomes for each status and code. */
export function countByOutcome(outcomes: readonly Outcome[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, code } of outcomes) {
    const name = `${status} ${code}`.trim();
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** Retries a send with its original Idempotency-Key, and again while the response is 503. */
export async function retrySend(url: string, firm: TestFirm, { body }: Outcome): Promise<ApiResponse> {
  for (const end = performance.now() + TIMEOUT_MS; ; await sleep(250)) {
    const response = await callHttp(url, 'POST', '/v1/claims', {
      as: firm.test,
      body,
      headers: { 'Idempotency-Key': String(body?.external_id) },
    });
    if (response.status !== 503 || performance.now() > end) return response;
  }
}

/** The number of claims for each external id, over all pages; a duplicate counts as 2. */
export async function claimsOf(cluster: Cluster, firm: TestFirm): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const { externalId } of await listAll(cluster.url, firm.test))
    found.set(externalId, (found.get(externalId) ?? 0) + 1);
  return found;
}

/** Bounds retry loops, so that they end before their test times out. */
const TIMEOUT_MS = 60_000;

/** Polls until the condition holds. */
export const until = (condition: () => Promise<boolean> | boolean, everyMs = 10): Promise<unknown> =>
  eventually(condition, undefined, everyMs);
