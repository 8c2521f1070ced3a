import { ClaimsApiError, type Client, type NewClaim, type RetryEvent } from '@svc/client';
import { type Failure, failureFrom } from '../failure.ts';
import type { Journal } from './journal.ts';
import type { Line } from './read-claims.ts';
import { hasContentOf, idempotencyKeyOf } from './same-content.ts';

/** The result for one line. */
export interface Outcome {
  readonly line: number;
  readonly external_id: string | null;
  readonly outcome: 'sent' | 'already_sent' | 'failed' | 'not_sent';
  readonly id?: string;
  readonly error?: Failure;
}

interface SendOptions {
  readonly concurrency: number;
  readonly journal: Journal | undefined;
  readonly signal: AbortSignal;
  readonly onRetry: (event: RetryEvent) => void;
}

/** Enough for a restart of the service. A 429 does not count. */
const MAX_RETRIES = 8;

/** Yields outcomes in the order of the lines, whatever the order of the responses. */
export async function* sendClaims(
  client: Client,
  lines: readonly Line[],
  { concurrency, journal, signal, onRetry }: SendOptions,
): AsyncGenerator<Outcome, void, undefined> {
  let stopped = false;
  const inFlight: Promise<Outcome>[] = [];

  for (const line of lines) {
    if (inFlight.length >= concurrency) yield await (inFlight.shift() as Promise<Outcome>);
    inFlight.push(outcomeOf(line));
  }
  for (const outcome of inFlight) yield await outcome;

  async function outcomeOf(line: Line): Promise<Outcome> {
    const base = { line: line.number, external_id: externalIdOf(line) };
    if ('problem' in line) {
      return { ...base, outcome: 'failed', error: { code: 'unreadable_line', detail: line.problem } };
    }
    if (stopped || signal.aborted) return { ...base, outcome: 'not_sent' };
    const key = idempotencyKeyOf(line.claim);
    const sentId = journal?.idOf(key);
    if (sentId !== undefined) return { ...base, outcome: 'already_sent', id: sentId };
    try {
      const { id, alreadySent } = await send(line.claim, key);
      await journal?.add(key, id);
      return { ...base, outcome: alreadySent ? 'already_sent' : 'sent', id };
    } catch (error) {
      // An interrupted claim may have been sent; the next run checks.
      if (signal.aborted) return { ...base, outcome: 'not_sent' };
      if (!affectsOneClaim(error)) stopped = true;
      return { ...base, outcome: 'failed', error: failureFrom(error) };
    }
  }

  async function send(
    claim: Readonly<Record<string, unknown>>,
    idempotencyKey: string,
  ): Promise<{ readonly id: string; readonly alreadySent: boolean }> {
    let alreadySent = false;
    try {
      const { id } = await client.claims.send(claim as unknown as NewClaim, {
        idempotencyKey,
        signal,
        maxRetries: MAX_RETRIES,
        onRetry,
        onResponse: ({ attempt, replayed }) => {
          // On a later attempt, the replay is of this run's own earlier attempt.
          alreadySent = replayed && attempt === 1;
        },
      });
      return { id, alreadySent };
    } catch (error) {
      const existing = error instanceof ClaimsApiError ? error.existingClaimId : null;
      if (existing === null) throw error;
      // Idempotency keys expire after 24 hours: the existing claim may be from an earlier run.
      const stored = await client.claims.get(existing, { signal }).catch(() => undefined);
      if (stored === undefined || !hasContentOf(stored, claim)) throw error;
      return { id: existing, alreadySent: true };
    }
  }
}

const externalIdOf = (line: Line): string | null => {
  const id = 'problem' in line ? line.externalId : line.claim.external_id;
  return typeof id === 'string' ? id : null;
};

/** Other errors, such as an invalid key or an unavailable service, would fail every claim. */
const affectsOneClaim = (error: unknown): boolean =>
  error instanceof ClaimsApiError && [400, 409, 413, 422].includes(error.status);
