import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { endpoints, type Problem, type SendClaimBody } from '@svc/contract';

export type Delivery =
  | { readonly outcome: 'sent' | 'already_there' }
  | { readonly outcome: 'refused'; readonly problem: Rejection }
  /** Retries are exhausted; the claim may or may not exist. */
  | { readonly outcome: 'undelivered'; readonly reason: string };

export interface Rejection {
  readonly status: number;
  readonly code: string | null;
  readonly detail: string;
  readonly errors: readonly { readonly where: string; readonly detail: string }[];
}

/** An error that every further claim would get as well. */
export class FatalError extends Error {}

export interface SenderOptions {
  readonly url: string;
  readonly key: string;
  /** Attempts per claim that may end in a lost connection or a 5xx. */
  readonly maxAttempts?: number;
  /** First backoff; doubles up to `longestPauseMs`. */
  readonly pauseMs?: number;
  readonly longestPauseMs?: number;
  readonly timeoutMs?: number;
  /** For a 429 without Retry-After, which the edge limit sends. */
  readonly edgeBlockMs?: number;
  readonly onWait?: (milliseconds: number, reason: string) => void;
}

const FATAL_CODES: ReadonlySet<string> = new Set([
  'invalid_key',
  'insufficient_scope',
  'not_in_plan',
  'unknown_osaid',
  'adjuster_not_in_firm',
  'adjuster_not_accepting',
  'environment_mismatch',
]);

/**
 * The same claim always gets the same key, so that repeated runs create no duplicates. The key depends on the body,
 * because the service rejects a key that is reused with another body.
 */
export const idempotencyKey = (body: SendClaimBody): string =>
  `openfema-${createHash('sha256')
    .update(`${body.external_id}\n${JSON.stringify(body)}`)
    .digest('hex')
    .slice(0, 40)}`;

export function makeSender(options: SenderOptions): (body: SendClaimBody) => Promise<Delivery> {
  const { maxAttempts = 8, pauseMs = 500, longestPauseMs = 30_000, timeoutMs = 30_000 } = options;
  const { edgeBlockMs = 60_000, onWait = () => {} } = options;
  const { method, path, success } = endpoints.sendClaim;
  const address = new URL(path.slice(1), options.url.endsWith('/') ? options.url : `${options.url}/`);
  // Rate limits apply to the key, so all requests wait.
  let pausedUntil = 0;

  return async (body) => {
    const text = JSON.stringify(body);
    const headers = {
      authorization: `Bearer ${options.key}`,
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey(body),
    };
    let reached = false;
    let failures = 0;
    for (;;) {
      await waitUntilOpen();
      let reason: string;
      let requestedMs = 0;
      try {
        const response = await fetch(address, {
          method,
          headers,
          body: text,
          redirect: 'error',
          signal: AbortSignal.timeout(timeoutMs),
        });
        const responseText = await response.text();
        const waitMs = secondsOf(response) * 1000;
        if (response.status === success.status) {
          // Replayed on the first attempt: created by an earlier run.
          const repeated = response.headers.get('idempotent-replayed') === 'true' && !reached;
          return { outcome: repeated ? 'already_there' : 'sent' };
        }
        if (response.status === 429) {
          pauseAll(waitMs || edgeBlockMs, waitMs ? 'the limit of the key' : 'the limit of this address');
          continue;
        }
        if (response.status < 500) return deliveryOf(response.status, responseText);
        reason = `${response.status} ${response.statusText}`.trim();
        requestedMs = waitMs;
      } catch (error) {
        if (error instanceof FatalError) throw error;
        reason = reasonOf(error);
      }
      reached = true;
      failures += 1;
      if (failures >= maxAttempts) return { outcome: 'undelivered', reason: `${reason}, ${failures} times` };
      const longest = Math.min(longestPauseMs, pauseMs * 2 ** (failures - 1));
      // Jitter keeps failed requests from retrying at the same time.
      await sleep(Math.max(requestedMs, longest * (0.5 + Math.random() / 2)));
    }
  };

  async function waitUntilOpen(): Promise<void> {
    for (let left = pausedUntil - Date.now(); left > 0; left = pausedUntil - Date.now()) await sleep(left);
  }

  function pauseAll(milliseconds: number, reason: string): void {
    const until = Date.now() + milliseconds;
    if (until <= pausedUntil) return;
    pausedUntil = until;
    onWait(milliseconds, reason);
  }
}

function deliveryOf(status: number, responseText: string): Delivery {
  const problem = readProblem(responseText);
  const detail = problem.detail ?? problem.title ?? `The response was ${status} without details.`;
  const code = problem.code ?? null;
  if (code === 'duplicate_claim') return { outcome: 'already_there' };
  if (status === 401 || status === 403 || (code !== null && FATAL_CODES.has(code)))
    throw new FatalError(`${detail} (${code ?? status})`);
  if (status === 404 || status === 405)
    throw new FatalError(`This URL does not accept claims: ${status}. ${detail}`);
  return {
    outcome: 'refused',
    problem: {
      status,
      code,
      detail,
      errors: (problem.errors ?? []).map((error) => ({
        where:
          'pointer' in error ? error.pointer : 'header' in error ? error.header : (error.parameter ?? ''),
        detail: error.detail,
      })),
    },
  };
}

function readProblem(responseText: string): Partial<Problem> {
  try {
    const problem: unknown = JSON.parse(responseText);
    return typeof problem === 'object' && problem !== null ? problem : {};
  } catch {
    return {};
  }
}

/** Integer seconds; 0 without the header. */
function secondsOf(response: Response): number {
  const seconds = Number(response.headers.get('retry-after') ?? '0');
  return Number.isFinite(seconds) && seconds > 0 ? seconds : 0;
}

function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Partial<Error> & { cause?: { code?: string; message?: string } };
  if (name === 'TimeoutError') return 'no response in time';
  // The message of fetch is always "fetch failed"; the reason is in its cause.
  const why = cause?.code ?? cause?.message;
  return why ? `${message} (${why})` : (message ?? String(error));
}
