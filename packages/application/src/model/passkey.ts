import type { Instant } from '@svc/domain';
import type { AccountRef } from './account.ts';

/** A WebAuthn credential of an account. */
export interface Passkey {
  /** Public, unlike the credential's id. */
  readonly id: string;
  /** In base64url, as the authenticator sent it. */
  readonly credentialId: string;
  readonly account: AccountRef;
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
