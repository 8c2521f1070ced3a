import {
  type Claim,
  type ClaimId,
  checkAddressee,
  checkOfferable,
  DomainError,
  offerClaim,
  type Svcid,
} from '@svc/domain';
import type { FirmActor } from '../actors.ts';
import type { FirmReads } from '../ports/reads.ts';
import type { SingleFlight } from '../ports/single-flight.ts';
import type { Clock } from '../ports/support.ts';
import type { UnitOfWork } from '../ports/unit-of-work.ts';
import {
  executeIdempotently,
  type IdempotentRequest,
  replayInsteadOf,
  replayOf,
  type SentClaim,
} from '../support/execute-idempotently.ts';
import { notifyOffer } from '../support/notify-offer.ts';

export interface OfferClaimCommand extends IdempotentRequest {
  readonly claimId: ClaimId;
  readonly adjuster: Svcid;
}

/** Offers a claim again, to another adjuster. Safe to repeat with the same Idempotency-Key. */
export const makeOfferClaim =
  (deps: { uow: UnitOfWork; twins: SingleFlight; reads: FirmReads; clock: Clock }) =>
  (actor: FirmActor, command: OfferClaimCommand): Promise<SentClaim> =>
    executeIdempotently(deps, actor, command, async (tx, once) => {
      const { firmId, environment } = actor;
      const at = deps.clock.now();
      // Asked together. The membership is locked before the claim, as by an adjuster who leaves.
      const [replay, adjuster, membership, claim] = await Promise.all([
        replayOf(tx, once, at),
        tx.adjusters.find(command.adjuster),
        tx.memberships.lockShared(firmId, command.adjuster),
        tx.claims.lock(firmId, command.claimId),
      ]);
      if (replay !== null) return replay;
      const visible = claim !== null && (environment === 'live' || claim.environment === 'test');
      if (!visible) throw new DomainError('not_found', 'No such claim.');
      let next: Claim;
      try {
        checkOfferable(claim, environment);
        checkAddressee({ adjuster, membership, firmId, environment, at });
        next = offerClaim(claim, { adjuster: command.adjuster, at });
      } catch (refusal) {
        return replayInsteadOf(refusal, tx, once, at);
      }

      await tx.idempotency.bind(once.slot, once.fingerprint, claim.id, at);
      const before = claim.assignment;
      if (before.status === 'pending_acceptance' && before.adjuster !== command.adjuster) {
        const svcId = before.adjuster;
        await tx.outbox.add({ kind: 'notify_offer_withdrawn', firmId, claimId: claim.id, svcId });
      }
      if (adjuster !== null) await notifyOffer(tx.outbox, next, adjuster);
      return tx.claims.save(next);
    });
