import type { Instant } from '@svc/domain';

export interface Clock {
  now(): Instant;
}

export interface Ids {
  /** A new UUID; sorts after earlier ones of the same process, which keeps indexes dense. */
  next(): string;
}

/** Determines the prefix of the secret. */
export type SecretKind = 'live_key' | 'test_key' | 'app_session' | 'sign_in_secret' | 'client_secret';

/** Issues and verifies secrets. Only the hash is stored. */
export interface Secrets {
  issue(kind: SecretKind): { readonly secret: string; readonly hash: string };
  /** Hash of a well-formed secret of this kind; null otherwise, so that malformed input causes no query. */
  hashOf(secret: string, kind: SecretKind): string | null;
  /**
   * A six-digit sign-in code and the hash to store; bound to the email address.
   * @param seed of an earlier code of this address: returns the same code.
   */
  issueCode(
    email: string,
    seed?: string,
  ): { readonly code: string; readonly hash: string; readonly seed: string };
  hashOfCode(email: string, code: string): string;
  /** Keyed hash that identifies a counter without storing personal data. */
  hashOfSubject(...parts: readonly string[]): string;
  /** Constant-time comparison of two hashes. */
  equal(one: string, other: string): boolean;
  /** The random part of a firm's test accounts' SVCIDs. */
  testAccountTag(): string;
}

export type AccountEvent = 'email_requested' | 'email_changed' | 'passkey_added' | 'passkey_removed';

export interface Mailer {
  /** Mails a sign-in code, or logs it when no mail server is configured. The mailer reports its own errors. */
  sendSignInCode(email: string, code: string): Promise<void>;
  /** Mails the code that confirms a new address to that address. */
  sendEmailCode(email: string, code: string): Promise<void>;
  /** Tells the owner of an account what was changed in how to sign in; of an email address, at the old one. */
  sendAccountNotice(email: string, event: AccountEvent): Promise<void>;
}

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

/** Counts sign-ins that failed, for metrics and alerts. Holds nothing about accounts or clients. */
export interface SignInMonitor {
  count(failure: SignInFailure): void;
}

/** Rejected before any check; the same attempt may be made again after `retryAfterMs`. */
export class TooManyAttempts extends Error {
  override readonly name = 'TooManyAttempts';
  constructor(
    readonly retryAfterMs: number,
    message = 'Too many sign-in attempts.',
  ) {
    super(message);
  }
}

/** Why something could not be done now. */
export type UnavailableReason =
  /** The process is shutting down. */
  | 'draining'
  /** The request took longer than its deadline. */
  | 'deadline'
  /** No connection to the database, or it was lost. */
  | 'database_unreachable'
  /** The database rejected the connection: a changed password, a missing database. */
  | 'database_rejected'
  /** No connection of the pool became free in time. */
  | 'database_pool'
  /** A statement, or its wait for a lock, took too long, or the database lacks resources. */
  | 'database_busy'
  /** Concurrent transactions changed the same rows again and again. */
  | 'conflicts'
  /** More requests than the process or the database can process: rejected before any work. */
  | 'overload'
  /** Requests in flight hold as much memory as they may. */
  | 'memory'
  | 'other';

/** A store was unreachable or timed out. The client may retry. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
  constructor(
    message: string,
    readonly reason: UnavailableReason = 'other',
  ) {
    super(message);
  }
}
