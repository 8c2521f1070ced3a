import type { FieldErrorCode } from './vocabulary.ts';

/** Each is a code of the API, or mapped to one there; the compiler reports one that is neither. */
export type DomainErrorCode =
  | FieldErrorCode
  | 'not_found'
  | 'insufficient_scope'
  | 'missing_permission'
  | 'account_removed'
  | 'not_in_plan'
  | 'duplicate_claim'
  | 'claim_already_accepted'
  | 'claim_closed'
  | 'claim_changed'
  | 'clocks_changed'
  | 'already_member'
  | 'invitation_pending'
  | 'idempotency_key_reused'
  | 'unknown_svcid'
  | 'adjuster_not_in_firm'
  | 'adjuster_not_accepting'
  | 'environment_mismatch'
  | 'offer_not_pending'
  | 'work_changed'
  | 'credentials_changed'
  | 'profile_incomplete'
  | 'code_not_requested'
  | 'sign_in_refused'
  | 'passkey_required'
  | 'too_many_passkeys'
  | 'last_admin';

/**
 * A rule, which `code` identifies, does not allow the operation; the message is public text. Thrown inside a unit of work,
 * it rolls the unit back.
 */
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

/** The value, or the error `not_found` if there is none. */
export function existing<T>(value: T | null | undefined, detail: string): T {
  if (value == null) throw new DomainError('not_found', detail);
  return value;
}
