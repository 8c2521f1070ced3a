import type { Assignment, ClaimId, Svcid } from '@svc/domain';
import type { AuditEvent } from './audit.ts';
import type { AppClaimView } from './reads.ts';
import type { OfferedClaim } from './unit-of-work.ts';

/** What an adjuster's response makes of an offer, and the event of it in the audit trail of the claim's firm. */
export interface OfferResponse {
  readonly assignment: Assignment;
  readonly event: AuditEvent;
}

/**
 * Decides on a claim that is locked, as {@link Claims.lockOfferedTo} locks it. If it throws, nothing changes. It may run
 * again, so it must have no effects.
 */
export type DecideResponse = (offered: OfferedClaim) => OfferResponse;

/** Responses to offers. Responses to several claims may share a transaction; each fails alone. */
export interface OfferResponses {
  /**
   * Commits the response together with its event, as a change that the firm can see (`Claims.save`).
   *
   * @returns the claim in that transaction: afterwards it may already be offered to another adjuster. Null unless its
   *   latest offer is to this adjuster.
   */
  save(svcId: Svcid, id: ClaimId, decide: DecideResponse): Promise<AppClaimView | null>;
}
