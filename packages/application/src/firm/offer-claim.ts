import {
  type ClaimId,
  checkAddressee,
  checkOfferable,
  DomainError,
  isClaimVisible,
  offerClaim,
  type Svcid,
} from '@svc/domain';
import type { FirmActor } from '../actors.ts';
import type { UnitOfWork } from '../ports/unit-of-work.ts';
import { byFirm, claimObject, recordAction } from '../support/audit.ts';
import {
  attemptInTransaction,
  executeIdempotently,
  type IdempotentDeps,
  type IdempotentRequest,
  type SentClaim,
} from '../support/execute-idempotently.ts';
import { jobsOfOffer } from '../support/jobs-of-offer.ts';
import { countPendingOffers } from '../support/pending-offers.ts';

export interface OfferClaimCommand extends IdempotentRequest {
  readonly claimId: ClaimId;
  readonly adjuster: Svcid;
}

/** Offers a claim to another adjuster. Safe to repeat with the same Idempotency-Key. */
export const makeOfferClaim =
  (deps: IdempotentDeps & { uow: UnitOfWork }) =>
  (actor: FirmActor, command: OfferClaimCommand): Promise<SentClaim> =>
    executeIdempotently(deps, actor, command, (request) =>
      attemptInTransaction(deps.uow, request, async (tx) => {
        const { at } = request;
        const { firmId, environment } = actor;
        // The membership is locked before the claim, the lock order of an adjuster who leaves the firm.
        const [membership, adjuster, current] = await Promise.all([
          tx.memberships.lockShared(firmId, command.adjuster),
          tx.adjusters.find(command.adjuster),
          tx.claims.lock(firmId, command.claimId),
        ]);
        if (current === null || !isClaimVisible(current, environment)) {
          throw new DomainError('not_found', 'No such claim.');
        }
        checkOfferable(current, environment);
        // An offer that is repeated to the same adjuster does not add one.
        const { status, adjuster: offeredTo } = current.assignment;
        const isRepeated = status === 'pending_acceptance' && offeredTo === command.adjuster;
        const pendingOffers = isRepeated ? 0 : await countPendingOffers(tx, adjuster);
        const addressee = checkAddressee({ adjuster, membership, firmId, environment, pendingOffers, at });
        const claim = offerClaim(current, { adjuster: command.adjuster, at });

        const save = async () => {
          const before = current.assignment;
          if (before.status === 'pending_acceptance' && before.adjuster !== command.adjuster) {
            const svcId = before.adjuster;
            await tx.outbox.add({ kind: 'notify_offer_withdrawn', firmId, claimId: claim.id, svcId });
          }
          for (const { job, runAt } of jobsOfOffer(claim, addressee)) await tx.outbox.add(job, runAt);
          await recordAction(tx, firmId, byFirm(actor), {
            at,
            action: 'claim.offer',
            object: claimObject(claim.id),
          });
          return tx.claims.saveAndCommit(claim);
        };
        return { claim, save };
      }),
    );
