/** Each is mapped to a wire code and status in the API; the compiler reports a code that is not mapped. */
export type DomainErrorCode =
  | 'not_found'
  | 'insufficient_scope'
  | 'missing_permission'
  | 'account_removed'
  | 'import_environment_differs'
  | 'not_in_plan'
  | 'duplicate_claim'
  | 'claim_already_accepted'
  | 'claim_closed'
  | 'claim_changed'
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
  | 'work_changed'
  | 'contact_log_full'
  | 'profile_incomplete'
  | 'email_taken'
  | 'code_refused'
  | 'code_not_requested'
  | 'sign_in_refused'
  | 'passkey_refused'
  | 'passkey_required'
  | 'too_many_passkeys'
  | 'webhook_url_refused'
  | 'too_many_webhooks'
  | 'key_revoked'
  | 'already_rolled'
  | 'too_many_keys'
  | 'staff_exists'
  | 'too_many_staff'
  | 'last_admin';

/** A rule does not allow the operation. Thrown inside a unit of work, it rolls the unit back. */
export class DomainError extends Error {
  override readonly name = 'DomainError';

  /**
   * @param detail public text sent to the client: no personal data, nothing about another firm.
   * @param existingClaimId only for `duplicate_claim`: the existing claim, which the caller may read.
   */
  constructor(
    readonly code: DomainErrorCode,
    detail: string,
    readonly existingClaimId?: string,
  ) {
    super(detail);
  }
}
