import { ClaimsApiError, type Client, type NewClaim, type RetryEvent } from '@svc/client';
import { type Failure, failureFrom } from '../failure.ts';
import type { Journal } from './journal.ts';
import type { Line } from './read-claims.ts';
import { holds, idempotencyKeyOf } from './same-content.ts';

/** What became of a line. */
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

/** Enough for a service that restarts; what lasts longer is for the next run. A 429 does not count. */
const MAX_RETRIES = 8;

/** Outcomes in the order of the lines, whatever the order in which the answers come. */
export async function* sendClaims(
  client: Client,
  lines: readonly Line[],
  { concurrency, journal, signal, onRetry }: SendOptions,
): AsyncGenerator<Outcome, void, undefined> {
  let stopped = false;
  const underWay: Promise<Outcome>[] = [];

  for (const line of lines) {
    if (underWay.length >= concurrency) yield await (underWay.shift() as Promise<Outcome>);
    underWay.push(outcomeOf(line));
  }
  for (const outcome of underWay) yield await outcome;

  async function outcomeOf(line: Line): Promise<Outcome> {
    const told = { line: line.number, external_id: externalIdOf(line) };
    if ('fault' in line) {
      return { ...told, outcome: 'failed', error: { code: 'unreadable_line', detail: line.fault } };
    }
    if (stopped || signal.aborted) return { ...told, outcome: 'not_sent' };
    const key = idempotencyKeyOf(line.claim);
    const known = journal?.idOf(key);
    if (known !== undefined) return { ...told, outcome: 'already_sent', id: known };
    try {
      const { id, before } = await send(line.claim, key);
      await journal?.note(key, id);
      return { ...told, outcome: before ? 'already_sent' : 'sent', id };
    } catch (error) {
      // Whether an interrupted claim arrived is not known; the next run will find out.
      if (signal.aborted) return { ...told, outcome: 'not_sent' };
      if (!concernsThisClaimOnly(error)) stopped = true;
      return { ...told, outcome: 'failed', error: failureFrom(error) };
    }
  }

  async function send(
    claim: Readonly<Record<string, unknown>>,
    idempotencyKey: string,
  ): Promise<{ readonly id: string; readonly before: boolean }> {
    let before = false;
    try {
      const { id } = await client.claims.send(claim as unknown as NewClaim, {
        idempotencyKey,
        signal,
        maxRetries: MAX_RETRIES,
        onRetry,
        onResponse: ({ attempt, replayed }) => {
          // On a later attempt it is this run's own earlier attempt that is replayed.
          before = replayed && attempt === 1;
        },
      });
      return { id, before };
    } catch (error) {
      const existing = error instanceof ClaimsApiError ? error.existingClaimId : null;
      if (existing === null) throw error;
      // The service remembers requests for a day, and claims for ever: it may be an earlier run's.
      const held = await client.claims.get(existing, { signal }).catch(() => undefined);
      if (held === undefined || !holds(held, claim)) throw error;
      return { id: existing, before: true };
    }
  }
}

const externalIdOf = (line: Line): string | null => {
  const id = 'fault' in line ? line.externalId : line.claim.external_id;
  return typeof id === 'string' ? id : null;
};

/** Anything else would meet the next claim as well: a key that is refused, a service that does not answer. */
const concernsThisClaimOnly = (error: unknown): boolean =>
  error instanceof ClaimsApiError && [400, 409, 413, 422].includes(error.status);
