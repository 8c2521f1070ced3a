import { DomainError } from '@svc/domain';
import type { Attempt, IdempotencySlot } from '../ports/twins.ts';
import type { Tx } from '../ports/unit-of-work.ts';

/** A request that must take effect once: where its key is kept and what the whole request amounts to. */
export interface OnceOnly {
  readonly slot: IdempotencySlot;
  /** SHA-256 over method, path and canonical body, hexadecimal. */
  readonly fingerprint: string;
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
