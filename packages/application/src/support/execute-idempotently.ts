import { DomainError } from '@svc/domain';
import type { FirmActor } from '../actors.ts';
import type { ClaimView, FirmReads } from '../ports/reads.ts';
import type { Attempt, IdempotencySlot, SingleFlight } from '../ports/single-flight.ts';
import type { Tx, UnitOfWork } from '../ports/unit-of-work.ts';

/** How a client names a request that it may have to repeat. */
export interface IdempotentRequest {
  readonly idempotencyKey: string;
  /** SHA-256 over method, path and canonical body, hexadecimal. */
  readonly fingerprint: string;
}

export interface SentClaim {
  readonly claim: ClaimView;
  /** True when an earlier request with this key did the work; the claim is then as it is now. */
  readonly replayed: boolean;
}

/** A request that must take effect once: where its key is kept and what the whole request amounts to. */
export interface OnceOnly {
  readonly slot: IdempotencySlot;
  /** SHA-256 over method, path and canonical body, hexadecimal. */
  readonly fingerprint: string;
}

/**
 * Has a request take effect once, however often and wherever it comes in.
 *
 * @param work does it, and returns the claim as it has become; or the replay it found instead.
 */
export async function executeIdempotently(
  deps: { uow: UnitOfWork; twins: SingleFlight; reads: FirmReads },
  { firmId, environment }: FirmActor,
  { idempotencyKey, fingerprint }: IdempotentRequest,
  work: (tx: Tx, once: OnceOnly) => Promise<ClaimView | Attempt>,
): Promise<SentClaim> {
  const once: OnceOnly = { slot: { firmId, environment, key: idempotencyKey }, fingerprint };
  let done: ClaimView | null = null;
  const { claimId, replayed } = await deps.twins.run(once.slot, fingerprint, () =>
    deps.uow.run(async (tx) => {
      const outcome = await work(tx, once);
      if ('replayed' in outcome) return outcome;
      done = outcome;
      return { claimId: outcome.id, replayed: false };
    }),
  );
  const claim = (replayed ? null : done) ?? (await deps.reads.claim(firmId, environment, claimId));
  if (claim === null)
    throw new Error(`the claim ${claimId} that an Idempotency-Key is bound to does not exist`);
  return { claim, replayed };
}

/**
 * The last look before a refusal. Since the first one a twin may have been committed; then what stands in the way
 * (the duplicate, the offer that was accepted) is this very request's own work, and the answer is a replay.
 */
export async function replayInsteadOf(
  refusal: unknown,
  tx: Tx,
  once: OnceOnly,
  now: number,
): Promise<Attempt> {
  const replay = refusal instanceof DomainError ? await replayOf(tx, once, now) : null;
  if (replay === null) throw refusal;
  return replay;
}

/** What this key did before within the window; throws when that was a different request. */
export async function replayOf(
  tx: Tx,
  { slot, fingerprint }: OnceOnly,
  now: number,
): Promise<Attempt | null> {
  const bound = await tx.idempotency.find(slot, now);
  if (bound === null) return null;
  if (bound.fingerprint !== fingerprint) {
    throw new DomainError(
      'idempotency_key_reused',
      'This Idempotency-Key was used in the last 24 hours for a different request.',
    );
  }
  return { claimId: bound.claimId, replayed: true };
}
