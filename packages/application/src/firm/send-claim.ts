import {
  type ClaimAsSent,
  type ClaimFacts,
  type ClaimId,
  checkAddressee,
  DomainError,
  type Svcid,
  sendClaim,
} from '@svc/domain';
import type { FirmActor } from '../actors.ts';
import type { Ids } from '../ports/support.ts';
import { byFirm, claimObject, recordAction } from '../support/audit.ts';
import {
  executeIdempotently,
  type IdempotentDeps,
  type IdempotentRequest,
  type SentClaim,
} from '../support/execute-idempotently.ts';
import { notifyOffer } from '../support/notify-offer.ts';
import { countPendingOffers } from '../support/pending-offers.ts';

export interface SendClaimCommand extends IdempotentRequest {
  readonly adjuster: Svcid;
  readonly facts: ClaimFacts;
  readonly asSent: ClaimAsSent;
}

/** Creates a claim and offers it to an adjuster. Safe to repeat with the same Idempotency-Key. */
export const makeSendClaim =
  (deps: IdempotentDeps & { ids: Ids }) =>
  (actor: FirmActor, command: SendClaimCommand): Promise<SentClaim> =>
    executeIdempotently(deps, actor, command, async (tx, at) => {
      const { firmId, environment } = actor;
      // Read together to save round trips; checked in the order the interface promises.
      // The account after the lock on the membership, which the operator takes to disable it.
      const [duplicate, membership, adjuster] = await Promise.all([
        tx.claims.findDuplicate({ firmId, environment, ...command.facts }),
        tx.memberships.lockShared(firmId, command.adjuster),
        tx.adjusters.find(command.adjuster),
      ]);
      if (duplicate !== null) throw duplicateClaim(duplicate);
      const pendingOffers = await countPendingOffers(tx, adjuster);
      checkAddressee({ adjuster, membership, firmId, environment, pendingOffers, at });
      const claim = sendClaim(command.facts, {
        id: deps.ids.next() as ClaimId,
        firmId,
        environment,
        adjuster: command.adjuster,
        asSent: command.asSent,
        at,
      });

      const save = async () => {
        await tx.carriers.merge(firmId, claim.carrier);
        if (adjuster !== null) await notifyOffer(tx.outbox, claim, adjuster);
        await recordAction(tx, firmId, byFirm(actor), {
          at,
          action: 'claim.send',
          object: claimObject(claim.id),
        });
        return tx.claims.addAndCommit(claim);
      };
      return { claim, save };
    });

function duplicateClaim(found: { id: ClaimId; by: 'external_id' | 'claim_number' }): DomainError {
  const detail =
    found.by === 'external_id'
      ? 'A claim with this external_id exists already.'
      : 'An open claim with this claim_number exists already.';
  return new DomainError('duplicate_claim', detail, found.id);
}
