import {
  type Claim,
  type ClaimAsSent,
  type ClaimFacts,
  type ClaimId,
  checkAddressee,
  DomainError,
  type Svcid,
  sendClaim,
} from '@svc/domain';
import type { FirmActor } from '../actors.ts';
import type { FirmReads } from '../ports/reads.ts';
import type { SingleFlight } from '../ports/single-flight.ts';
import type { Clock, Ids } from '../ports/support.ts';
import type { UnitOfWork } from '../ports/unit-of-work.ts';
import {
  executeIdempotently,
  type IdempotentRequest,
  replayInsteadOf,
  replayOf,
  type SentClaim,
} from '../support/execute-idempotently.ts';
import { notifyOffer } from '../support/notify-offer.ts';

export interface SendClaimCommand extends IdempotentRequest {
  readonly adjuster: Svcid;
  readonly facts: ClaimFacts;
  readonly asSent: ClaimAsSent;
}

/** Creates a claim and offers it to an adjuster. Safe to repeat with the same Idempotency-Key. */
export const makeSendClaim =
  (deps: { uow: UnitOfWork; twins: SingleFlight; reads: FirmReads; clock: Clock; ids: Ids }) =>
  (actor: FirmActor, command: SendClaimCommand): Promise<SentClaim> =>
    executeIdempotently(deps, actor, command, async (tx, once) => {
      const { firmId, environment } = actor;
      const at = deps.clock.now();
      // Asked together, since each waits for the database alone; judged in the order that the interface promises.
      const [replay, duplicate, adjuster, membership] = await Promise.all([
        replayOf(tx, once, at),
        tx.claims.findDuplicate({ firmId, environment, ...command.facts }),
        tx.adjusters.find(command.adjuster),
        tx.memberships.lockShared(firmId, command.adjuster),
      ]);
      if (replay !== null) return replay;
      let claim: Claim;
      try {
        if (duplicate !== null) throw duplicateClaim(duplicate);
        checkAddressee({ adjuster, membership, firmId, environment, at });
        claim = sendClaim(command.facts, {
          id: deps.ids.next() as ClaimId,
          firmId,
          environment,
          adjuster: command.adjuster,
          asSent: command.asSent,
          at,
        });
      } catch (refusal) {
        return replayInsteadOf(refusal, tx, once, at);
      }
      await tx.idempotency.bind(once.slot, once.fingerprint, claim.id, at);
      await tx.carriers.merge(firmId, claim.carrier);
      if (adjuster !== null) await notifyOffer(tx.outbox, claim, adjuster);
      return tx.claims.add(claim);
    });

function duplicateClaim(found: { id: ClaimId; by: 'external_id' | 'claim_number' }): DomainError {
  const detail =
    found.by === 'external_id'
      ? 'A claim with this external_id exists already.'
      : 'An open claim with this claim_number exists already.';
  return new DomainError('duplicate_claim', detail, found.id);
}
