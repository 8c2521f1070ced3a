import type { Instant, Svcid } from '@svc/domain';

/** A WebAuthn credential of an account. */
export interface Passkey {
  /** Public, unlike the credential's id. */
  readonly id: string;
  /** In base64url, as the authenticator sent it. */
  readonly credentialId: string;
  readonly svcId: Svcid;
  readonly name: string;
  /** COSE key in base64url. */
  readonly publicKey: string;
  /** The authenticator's counter; 0: it has none. */
  readonly signCount: number;
  /** How browsers reach the authenticator, as they reported it. */
  readonly transports: readonly string[];
  readonly createdAt: Instant;
  readonly lastUsedAt: Instant | null;
}

export interface Passkeys {
  /** False if the credential is registered already, for any account. */
  add(passkey: Passkey): Promise<boolean>;
  /** Oldest first. */
  of(svcId: Svcid): Promise<Passkey[]>;
  /** Oldest first. Locks them until the transaction ends. */
  lockOf(svcId: Svcid): Promise<Passkey[]>;
  /** Locks the passkey until the transaction ends. */
  lockByCredential(credentialId: string): Promise<Passkey | null>;
  /** Saves name, counter and last use. */
  save(passkey: Passkey): Promise<void>;
  remove(svcId: Svcid, id: string): Promise<void>;
  /** @returns how many there were. */
  removeAllOf(svcId: Svcid): Promise<number>;
}

/** Challenges that were answered. They are signed, so only used ones are stored. */
export interface UsedChallenges {
  /** False if it was used before. Two concurrent uses: one is true. */
  use(challenge: string, expiresAt: Instant): Promise<boolean>;
}

/** What a browser returns for a new credential. Binary values in base64url. */
export interface PasskeyAttestation {
  readonly credentialId: string;
  readonly clientData: string;
  readonly attestationObject: string;
  readonly transports: readonly string[];
}

/** What a browser returns for an existing credential. Binary values in base64url. */
export interface PasskeyAssertion {
  readonly credentialId: string;
  readonly clientData: string;
  readonly authenticatorData: string;
  readonly signature: string;
}

/** Options for the browser's WebAuthn API, in the JSON format of the W3C. */
export type PasskeyOptions = Readonly<Record<string, unknown>>;

type IsExpected = (challenge: string) => boolean;

/** WebAuthn for one site. */
export interface PasskeyVerifier {
  registrationOptions(request: {
    readonly challenge: string;
    readonly user: { readonly id: string; readonly name: string; readonly displayName: string };
    /** Credentials that the account has. */
    readonly existing: readonly Pick<Passkey, 'credentialId' | 'transports'>[];
  }): Promise<PasskeyOptions>;
  signInOptions(challenge: string): Promise<PasskeyOptions>;
  /** Null when the response is not valid for this site and challenge. */
  verifyRegistration(
    response: PasskeyAttestation,
    isExpected: IsExpected,
  ): Promise<Pick<Passkey, 'credentialId' | 'publicKey' | 'signCount'> | null>;
  /** Null when the response is not valid for this site, challenge and passkey, or its counter went back. */
  verifySignIn(
    response: PasskeyAssertion,
    passkey: Pick<Passkey, 'credentialId' | 'publicKey' | 'signCount'>,
    isExpected: IsExpected,
  ): Promise<Pick<Passkey, 'signCount'> | null>;
}
