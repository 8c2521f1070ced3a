/** Why a rule refused. The edge turns each into one wire code and status; adding one here makes that table incomplete. */
export type DomainErrorCode =
  | 'not_found'
  | 'insufficient_scope'
  | 'not_in_plan'
  | 'duplicate_claim'
  | 'claim_already_accepted'
  | 'claim_closed'
  | 'already_member'
  | 'invitation_pending'
  | 'idempotency_key_reused'
  | 'unknown_svcid'
  | 'adjuster_not_in_firm'
  | 'adjuster_not_accepting'
  | 'environment_mismatch'
  | 'building_pair_refused'
  | 'policy_term_reversed'
  | 'offer_not_pending'
  | 'profile_incomplete'
  | 'email_taken'
  | 'sign_in_refused';

/** The one class of the domain: thrown by a rule, it rolls back whatever unit of work it flies through. */
export class DomainError extends Error {
  override readonly name = 'DomainError';

  /**
   * @param detail public text: it reaches the client, so it holds no personal data and nothing of another firm.
   * @param existingClaimId only for `duplicate_claim`: the claim in the way, which the caller may read.
   */
  constructor(
    readonly code: DomainErrorCode,
    detail: string,
    readonly existingClaimId?: string,
  ) {
    super(detail);
  }
}
