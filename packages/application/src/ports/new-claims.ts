import type { Adjuster, Claim, ClaimId, Instant, Membership, Svcid } from '@svc/domain';
import type { AuditEvent } from './audit.ts';
import type { Job } from './jobs.ts';
import type { Attempt, KeyedRequest } from './single-flight.ts';

/** A request to send a claim. */
export interface NewClaimRequest extends KeyedRequest {
  readonly adjuster: Svcid;
  readonly externalId: string;
  readonly claimNumber: string;
}

/** What the decision depends on. The membership cannot change before the commit. */
export interface NewClaimFacts {
  /** As `Claims.findDuplicate`. */
  readonly duplicate: { readonly id: ClaimId; readonly by: 'external_id' | 'claim_number' } | null;
  readonly adjuster: Adjuster | null;
  readonly membership: Membership | null;
  /** Pending offers of all firms to the adjuster; counted only where the adjuster set a limit. */
  readonly pendingOffers: number;
}

/** A claim that the rules allow, and what is written with it. */
export interface NewClaim {
  readonly claim: Claim;
  readonly jobs: readonly QueuedJob[];
  readonly event: AuditEvent;
}

export interface QueuedJob {
  readonly job: Job;
  /** Absent: as soon as possible. */
  readonly runAt?: Instant;
}

/** May run more than once, so it must have no side effects. If it throws, nothing is written. */
export type DecideNewClaim = (facts: NewClaimFacts) => NewClaim;

/** Claims that firms send. Several may share a transaction; one that fails does not affect the others. */
export interface NewClaims {
  /**
   * Commits the claim with its carrier, jobs and event, and binds the Idempotency-Key to it.
   *
   * @returns the claim as saved, or the attempt of an earlier request with the same key and fingerprint.
   */
  add(request: NewClaimRequest, decide: DecideNewClaim): Promise<Claim | Attempt>;
}
