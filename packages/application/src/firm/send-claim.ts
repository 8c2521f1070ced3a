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
import { auditEvent, byFirm, claimObject } from '../audit/events.ts';
import type { Needs } from '../ports/needs.ts';
import {
  executeIdempotently,
  type IdempotentDeps,
  type IdempotentRequest,
  type IdempotentResult,
} from './execute-idempotently.ts';
import { jobsOfOffer } from './jobs-of-offer.ts';

export interface SendClaimCommand extends IdempotentRequest {
  readonly adjuster: Svcid;
  readonly facts: ClaimFacts;
  readonly asSent: ClaimAsSent;
}

/** Creates a claim and offers it to an adjuster. Safe to repeat with the same Idempotency-Key. */
export const makeSendClaim =
  (deps: IdempotentDeps & Needs<'claimWrites' | 'ids'>) =>
  (actor: FirmActor, command: SendClaimCommand): Promise<IdempotentResult> =>
    executeIdempotently(deps, actor, command, (request) => {
      const { firmId, environment } = actor;
      const { adjuster, facts, asSent } = command;
      const { externalId, claimNumber } = facts;
      const { at } = request;
      return deps.claimWrites.send({ ...request, adjuster, externalId, claimNumber }, (known) => {
        // In the order the interface promises.
        if (known.duplicate !== null) throw duplicateClaim(known.duplicate);
        const addressee = checkAddressee({ ...known, firmId, environment, at });
        const id = deps.ids.next() as ClaimId;
        const caller = byFirm(actor);
        const claim = sendClaim(facts, { id, firmId, environment, adjuster, asSent, at, by: caller.actor });
        return {
          claim,
          jobs: jobsOfOffer(claim, addressee),
          event: auditEvent(firmId, caller, { at, action: 'claim.send', object: claimObject(id) }),
        };
      });
    });

export function duplicateClaim(found: { id: ClaimId; by: 'external_id' | 'claim_number' }): DomainError {
  const detail =
    found.by === 'external_id'
      ? 'A claim with this external_id exists already.'
      : 'An open claim with this claim_number exists already.';
  return new DomainError('duplicate_claim', detail, found.id);
}
