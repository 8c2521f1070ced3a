import type { Instant } from '@svc/domain';

export interface Clock {
  now(): Instant;
}

export interface Ids {
  /** A new UUID; later ones sort after earlier ones of the same process, which keeps indexes dense. */
  next(): string;
}

/** What a secret is for; it shows in the secret's prefix. */
export type SecretKind = 'live_key' | 'test_key' | 'app_session' | 'sign_in_secret';

/** Makes and recognises secrets. Only the hash is ever kept. */
export interface Secrets {
  issue(kind: SecretKind): { readonly secret: string; readonly hash: string };
  /** The hash under which a well-formed secret of this kind is kept; null for junk, so that no store is asked. */
  hashOf(secret: string, kind: SecretKind): string | null;
  /**
   * Six digits for a sign-in mail, and the hash that is kept; bound to the address it was mailed to.
   * @param seed of an earlier code of this address: gives the same code again.
   */
  issueCode(
    email: string,
    seed?: string,
  ): { readonly code: string; readonly hash: string; readonly seed: string };
  hashOfCode(email: string, code: string): string;
  /** A keyed hash under which something is counted that must not be kept in the clear. */
  hashOfSubject(...parts: readonly string[]): string;
  /** Constant-time comparison of two hashes. */
  equal(one: string, other: string): boolean;
  /** The random part of a firm's test accounts' SVCIDs. */
  testAccountTag(): string;
}

export interface Mailer {
  /** Hands a sign-in code to the mail system, or to the log where there is none. Failure is the mailer's to report. */
  sendSignInCode(email: string, code: string): Promise<void>;
}

/** Refused before anything was looked at; the same attempt may be made again after the pause. */
export class TooManyAttempts extends Error {
  override readonly name = 'TooManyAttempts';
  constructor(readonly retryAfterMs: number) {
    super('Too many attempts.');
  }
}

/** A store could not be reached or did not answer in time. The client may try again. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
}
