import type { Attempts, Instant, StaffRef, Svcid } from '@svc/domain';

export type AccountEvent = 'email_requested' | 'email_changed' | 'passkey_added' | 'passkey_removed';

/** What happens while someone guesses at codes, secrets or passkeys. */
export type SignInFailure =
  /** A wrong or expired code, secret or passkey; or a right code where a passkey is required. */
  | 'refused'
  /** A code of another client. */
  | 'not_requested_here'
  /** Over a limit, and therefore not checked. */
  | 'paused'
  /** A code that was not emailed, since too many were requested. */
  | 'code_not_mailed';

export interface SignInCode {
  /** A hash of the email address, which may also bind the code to one client. */
  readonly slot: string;
  readonly codeHash: string;
  readonly expiresAt: Instant;
  /** Derives the same code again. */
  readonly seed: string;
}

/** Of a person of several firms who has signed in, and has not chosen one of them yet. */
export interface SignInTicket {
  /** A hash of the ticket, which binds it to the client that signed in. */
  readonly slot: string;
  readonly accounts: readonly StaffRef[];
  /** How the person signed in. */
  readonly method: 'code' | 'passkey';
  readonly expiresAt: Instant;
}

/** A new email address that does not count before its code is confirmed. */
export interface EmailChange {
  readonly svcId: Svcid;
  readonly email: string;
  readonly codeHash: string;
  readonly expiresAt: Instant;
  readonly triesLeft: number;
}

/** Sign-in attempts, counted across all processes. */
export interface CountedAttempts extends Attempts {
  readonly subject: string;
}
