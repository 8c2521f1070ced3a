import {
  ClaimsError,
  type Client,
  contentKey,
  type NewClaim,
  type RetryEvent,
  type SendOutcome,
} from '@svc/client';
import { type Failure, failureFrom } from '../failure.ts';
import type { Journal } from './journal.ts';
import type { Line } from './read-claims.ts';

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

/** Yields outcomes in the order of the lines. Lines that are invalid or in the journal are not sent. */
export async function* sendClaims(
  client: Client,
  lines: readonly Line[],
  { concurrency, journal, signal, onRetry }: SendOptions,
): AsyncGenerator<Outcome, void, undefined> {
  /** By line number, until their outcome has been yielded. */
  const sentEarlier = new Map<number, string>();
  const sending: { readonly line: Line; readonly key: string }[] = [];

  async function* toSend(): AsyncGenerator<NewClaim> {
    for (const line of lines) {
      if ('problem' in line) continue;
      const key = await contentKey(line.claim);
      const id = journal?.idOf(key);
      if (id === undefined) {
        sending.push({ line, key });
        // Validated by the service.
        yield line.claim as unknown as NewClaim;
      } else {
        sentEarlier.set(line.number, id);
      }
    }
  }

  const outcomes = client.claims.sendMany(toSend(), {
    concurrency,
    signal,
    maxRetries: MAX_RETRIES,
    onRetry,
    idempotencyKey: (_, index) => sending[index]?.key ?? '',
  });
  let next = await nextOutcome();
  for (const line of lines) {
    const base = { line: line.number, external_id: externalIdOf(line) };
    if ('problem' in line) {
      yield { ...base, outcome: 'failed', error: { code: 'unreadable_line', detail: line.problem } };
      continue;
    }
    const { key, line: sentLine } = (next && sending[next.index]) ?? {};
    if (next === undefined || key === undefined || sentLine !== line) {
      const id = sentEarlier.get(line.number);
      yield id === undefined ? { ...base, outcome: 'not_sent' } : { ...base, outcome: 'already_sent', id };
      continue;
    }
    if (next.status === 'failed') {
      yield { ...base, outcome: 'failed', error: failureFrom(next.error) };
    } else {
      await journal?.add(key, next.claim.id);
      yield { ...base, outcome: next.status, id: next.claim.id };
    }
    next = await nextOutcome();
  }

  /** Undefined at the end, and after an error that stops the run: the remaining lines are not sent. */
  async function nextOutcome(): Promise<SendOutcome | undefined> {
    try {
      return (await outcomes.next()).value ?? undefined;
    } catch (error) {
      // The error is the outcome of a line, or the interruption.
      if (error instanceof ClaimsError || signal.aborted) return undefined;
      throw error;
    }
  }
}

const externalIdOf = (line: Line): string | null => {
  const id = 'problem' in line ? line.externalId : line.claim.external_id;
  return typeof id === 'string' ? id : null;
};
