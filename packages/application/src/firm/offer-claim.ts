import {
  type ClaimId,
  checkAddressee,
  checkOfferable,
  DomainError,
  existing,
  type Instant,
  isClaimVisible,
  offerClaim,
  type Svcid,
} from '@svc/domain';
import type { FirmActor } from '../actors.ts';
import { auditEvent, byFirm, claimObject } from '../audit/events.ts';
import type { QueuedJob } from '../model/job.ts';
import type { Needs } from '../ports/needs.ts';
import { checkUnchanged, type NameReads, withChangeDescribed } from './claim-changed.ts';
import {
  executeIdempotently,
  type IdempotentDeps,
  type IdempotentRequest,
  type IdempotentResult,
} from './execute-idempotently.ts';
import { jobsOfOffer } from './jobs-of-offer.ts';

export interface OfferClaimCommand extends IdempotentRequest {
  readonly claimId: ClaimId;
  readonly adjuster: Svcid;
  /** The `updatedAt` of the claim that was seen: a claim that has changed since is not offered. */
  readonly seenUpdatedAt?: Instant | undefined;
}

/**
 * Offers a claim to another adjuster. Safe to repeat with the same Idempotency-Key. Where the claim has changed since it
 * was seen, the error says who offered it to whom.
 */
export const makeOfferClaim =
  (deps: IdempotentDeps & NameReads & Needs<'claimWrites'>) =>
  (actor: FirmActor, command: OfferClaimCommand): Promise<IdempotentResult> =>
    executeIdempotently(deps, actor, command, async (request) => {
      const { firmId, environment } = actor;
      const { adjuster, claimId, seenUpdatedAt } = command;
      const { at } = request;
      const caller = byFirm(actor);
      const saved = await deps.claimWrites.offer({ ...request, adjuster, claimId }, ({ claim, ...known }) => {
        if (!isClaimVisible(claim, environment)) throw new DomainError('not_found', NO_CLAIM);
        checkUnchanged(claim, seenUpdatedAt);
        checkOfferable(claim, environment);
        const before = claim.assignment;
        const isPending = before.status === 'pending_acceptance';
        // An offer that is repeated to the same adjuster does not add one.
        const pendingOffers = isPending && before.adjuster === adjuster ? 0 : known.pendingOffers;
        const addressee = checkAddressee({ ...known, pendingOffers, firmId, environment, at });
        const offered = offerClaim(claim, { adjuster, at, by: caller.actor });
        const withdrawn: QueuedJob[] =
          isPending && before.adjuster !== adjuster
            ? [{ job: { kind: 'notify_offer_withdrawn', firmId, claimId: claim.id, svcId: before.adjuster } }]
            : [];
        return {
          assignment: offered.assignment,
          jobs: [...withdrawn, ...jobsOfOffer(offered, addressee)],
          event: auditEvent(firmId, caller, {
            at,
            action: 'claim.offer',
            object: claimObject(claim.id),
          }),
        };
      });
      return existing(saved, NO_CLAIM);
    }).catch(withChangeDescribed(deps, actor.firmId));

const NO_CLAIM = 'No such claim.';
