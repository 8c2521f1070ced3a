import type { Passkey, PasskeyAssertion, PasskeyAttestation, PasskeyOptions } from '../model/passkey.ts';

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
