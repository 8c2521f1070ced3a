import { type Claim, type Instant, offerStatus } from '@svc/domain';
import type { OfferEnd } from '../ports/offer-history.ts';

/** How the latest offer of a claim ends when the claim is offered again. */
export function offerEnd({ assignment, updatedAt }: Claim, offeredAgainAt: Instant): OfferEnd {
  const { respondedAt, rejectionReason, withdrawnBy } = assignment;
  const status = offerStatus(assignment);
  const isPending = status === 'pending_acceptance';
  return {
    status: isPending ? 'withdrawn' : status,
    respondedAt,
    rejectionReason,
    ...(withdrawnBy !== undefined && { withdrawnBy }),
    // The end of an unassigned offer was the claim's latest change.
    endedAt: isPending ? offeredAgainAt : (respondedAt ?? updatedAt),
  };
}
