import type { Adjuster, Assignment, Claim, ClaimId, Membership, Svcid } from '@svc/domain';
import type { AuditEvent } from '../model/audit.ts';
import type { AppClaimView, OfferedClaim } from '../model/claim-views.ts';
import type { KeyedRequest, KeyedResult } from '../model/idempotency.ts';
import type { QueuedJob } from '../model/job.ts';

/** What is written with a change of a claim. */
interface WithChange {
  readonly jobs: readonly QueuedJob[];
  /** In the audit trail of the claim's firm. */
  readonly event: AuditEvent;
}

export interface NewClaim extends WithChange {
  readonly claim: Claim;
}

/** What an offer makes of a claim. */
export interface AssignmentChange extends WithChange {
  readonly assignment: Assignment;
}

/** What a response makes of a claim. It has no jobs: a group may leave a response out after its jobs are written. */
export type ResponseChange = Omit<AssignmentChange, 'jobs'>;

export interface SendRequest extends KeyedRequest {
  readonly adjuster: Svcid;
  readonly externalId: string;
  readonly claimNumber: string;
}

export interface OfferRequest extends KeyedRequest {
  readonly adjuster: Svcid;
  readonly claimId: ClaimId;
}

/** The membership cannot change before the commit. */
interface AddresseeFacts {
  readonly adjuster: Adjuster | null;
  readonly membership: Membership | null;
  /** Pending offers of all firms to the adjuster; counted only where the adjuster set a limit. */
  readonly pendingOffers: number;
}

export interface SendFacts extends AddresseeFacts {
  /** The claim that conflicts with a new one: by external id first, then an open one by claim number. */
  readonly duplicate: { readonly id: ClaimId; readonly by: 'external_id' | 'claim_number' } | null;
}

export interface OfferFacts extends AddresseeFacts {
  readonly claim: Claim;
}

/**
 * Each change of an assignment, as one that the firm can see, committed with its jobs and event; of requests that share a
 * transaction, one that fails does not affect the others. A decision may run more than once, so it must have no effects,
 * and does not run for a repeat: no rule fails on the result of an earlier one.
 */
export interface ClaimWrites {
  /**
   * Also binds the Idempotency-Key, and merges the carrier into the firm's book.
   *
   * @returns the claim as saved, or the result of an earlier request with the same key and fingerprint.
   */
  send(request: SendRequest, decide: (facts: SendFacts) => NewClaim): Promise<Claim | KeyedResult>;
  /** As `send`. Null: the firm has no such claim. */
  offer(
    request: OfferRequest,
    decide: (facts: OfferFacts) => AssignmentChange,
  ): Promise<Claim | KeyedResult | null>;
  /**
   * @returns the claim in that transaction: afterwards it may already be offered to another adjuster. Null unless its
   *   latest offer is to this adjuster.
   */
  respond(
    svcId: Svcid,
    id: ClaimId,
    decide: (offered: OfferedClaim) => ResponseChange,
  ): Promise<AppClaimView | null>;
}
