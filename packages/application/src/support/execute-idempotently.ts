import { type Claim, DomainError, type Instant } from '@svc/domain';
import type { FirmActor } from '../actors.ts';
import type { ClaimView, FirmReads } from '../ports/reads.ts';
import type { Attempt, IdempotencySlot, SingleFlight } from '../ports/single-flight.ts';
import type { Clock } from '../ports/support.ts';
import type { Tx, UnitOfWork } from '../ports/unit-of-work.ts';

/** A request that its client may repeat. */
export interface IdempotentRequest {
  readonly idempotencyKey: string;
  /** SHA-256 over method, path and canonical body, hexadecimal. */
  readonly fingerprint: string;
}

export interface SentClaim {
  readonly claim: ClaimView;
  /** True when an earlier request with this key created the result; the claim is then shown in its current state. */
  readonly replayed: boolean;
}

/** A change that the rules allow, not written yet. */
export interface ClaimChange {
  readonly claim: Claim;
  readonly save: () => Promise<Claim>;
}

export interface IdempotentDeps {
  readonly uow: UnitOfWork;
  readonly singleFlight: SingleFlight;
  readonly reads: FirmReads;
  readonly clock: Clock;
}

/**
 * Runs a request at most once per Idempotency-Key; a repeat returns the claim of the first run.
 *
 * @param decide reads and checks, without writing: it also runs for repeats.
 */
export async function executeIdempotently(
  deps: IdempotentDeps,
  { firmId, environment }: FirmActor,
  { idempotencyKey, fingerprint }: IdempotentRequest,
  decide: (tx: Tx, at: Instant) => Promise<ClaimChange>,
): Promise<SentClaim> {
  const slot: IdempotencySlot = { firmId, environment, key: idempotencyKey };
  let saved: ClaimView | null = null;
  const { claimId, replayed } = await deps.singleFlight.run(slot, fingerprint, () =>
    deps.uow.run(async (tx) => {
      const at = deps.clock.now();
      // One round trip: the lookup is sent together with the reads of `decide`.
      const [lookup, decision] = await Promise.allSettled([
        findReplay(tx, slot, fingerprint, at),
        decide(tx, at),
      ]);
      if (lookup.status === 'rejected') throw lookup.reason;
      if (lookup.value !== null) return lookup.value;
      if (decision.status === 'rejected') {
        // The same request may have committed since the lookup: the rule then failed on its own result.
        const replay = canBeOwnResult(decision.reason) ? await findReplay(tx, slot, fingerprint, at) : null;
        if (replay === null) throw decision.reason;
        return replay;
      }
      const { claim, save } = decision.value;
      await tx.idempotency.bind(slot, fingerprint, claim.id, at);
      saved = await save();
      return { claimId: claim.id, replayed: false };
    }),
  );
  const claim = (replayed ? null : saved) ?? (await deps.reads.claim(firmId, environment, claimId));
  if (claim === null) throw new Error(`Idempotency-Key refers to claim ${claimId}, which does not exist`);
  return { claim, replayed };
}

/** Claims are never deleted, so no request makes its own repeat fail with `not_found`. */
const canBeOwnResult = (error: unknown): boolean =>
  error instanceof DomainError && error.code !== 'not_found';

/** The result of an earlier request with this key; throws when that request was a different one. */
async function findReplay(
  tx: Tx,
  slot: IdempotencySlot,
  fingerprint: string,
  now: Instant,
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
