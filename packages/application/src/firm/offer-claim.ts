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
import { auditEvent, byFirm, claimObject } from '../audit/events.ts';
import type { QueuedJob } from '../model/job.ts';
import type { ClaimWrites } from '../ports/claim-writes.ts';
import {
  executeIdempotently,
  type IdempotentDeps,
  type IdempotentRequest,
  type IdempotentResult,
} from './execute-idempotently.ts';
import { jobsOfOffer } from './jobs-of-offer.ts';

interface OfferClaimCommand extends IdempotentRequest {
  readonly claimId: ClaimId;
  readonly adjuster: Svcid;
}

/** Offers a claim to another adjuster. Safe to repeat with the same Idempotency-Key. */
export const makeOfferClaim =
  (deps: IdempotentDeps & { claimWrites: ClaimWrites }) =>
  (actor: FirmActor, command: OfferClaimCommand): Promise<IdempotentResult> =>
    executeIdempotently(deps, actor, command, async (request) => {
      const { firmId, environment } = actor;
      const { adjuster, claimId } = command;
      const { at } = request;
      const saved = await deps.claimWrites.offer({ ...request, adjuster, claimId }, ({ claim, ...known }) => {
        if (!isClaimVisible(claim, environment)) throw noClaim();
        checkOfferable(claim, environment);
        const before = claim.assignment;
        const isPending = before.status === 'pending_acceptance';
        // An offer that is repeated to the same adjuster does not add one.
        const pendingOffers = isPending && before.adjuster === adjuster ? 0 : known.pendingOffers;
        const addressee = checkAddressee({ ...known, pendingOffers, firmId, environment, at });
        const offered = offerClaim(claim, { adjuster, at });
        const withdrawn: QueuedJob[] =
          isPending && before.adjuster !== adjuster
            ? [{ job: { kind: 'notify_offer_withdrawn', firmId, claimId: claim.id, svcId: before.adjuster } }]
            : [];
        return {
          assignment: offered.assignment,
          jobs: [...withdrawn, ...jobsOfOffer(offered, addressee)],
          event: auditEvent(firmId, byFirm(actor), {
            at,
            action: 'claim.offer',
            object: claimObject(claim.id),
          }),
        };
      });
      if (saved === null) throw noClaim();
      return saved;
    });

const noClaim = (): DomainError => new DomainError('not_found', 'No such claim.');
