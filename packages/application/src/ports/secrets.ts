/** How each kind of secret starts. */
export const SECRET_PREFIXES = {
  live_key: 'svc_live_',
  test_key: 'svc_test_',
  app_session: 'svc_app_',
  staff_session: 'svc_staff_',
  sign_in_secret: 'svc_signin_',
  client_secret: 'svc_client_',
  sign_in_ticket: 'svc_ticket_',
} as const;

export type SecretKind = keyof typeof SECRET_PREFIXES;

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
  /** Signs webhooks: `whsec_` and 32 random bytes in base64. Stored, since both sides need it. */
  webhookSecret(): string;
  /** The random part of a firm's test accounts' SVCIDs. */
  testAccountTag(): string;
}
