import type { PasskeyAssertion, PasskeyAttestation, PasskeyOptions, PasskeyVerifier } from '@svc/application';

// Passkeys without cryptography, for tests of the use cases and stores: the "signature" names the key and the challenge.
// The verifier of the service is tested over HTTP with a software authenticator that signs.

const challengeOf = ({ challenge }: PasskeyOptions): string => String(challenge);

/** What an authenticator returns for the options of a registration. */
export const attestationFor = (options: PasskeyOptions, credentialId: string): PasskeyAttestation => ({
  credentialId,
  clientData: challengeOf(options),
  attestationObject: `key of ${credentialId}`,
  transports: ['internal'],
});

/** What an authenticator returns for the options of a sign-in. */
export const assertionFor = (
  options: PasskeyOptions,
  credentialId: string,
  signCount: number,
): PasskeyAssertion => ({
  credentialId,
  clientData: challengeOf(options),
  authenticatorData: String(signCount),
  signature: `key of ${credentialId}`,
});

export const createTestPasskeyVerifier = (): PasskeyVerifier => ({
  registrationOptions: async ({ challenge, user, existing }) => ({ challenge, user, existing }),
  signInOptions: async (challenge) => ({ challenge }),
  async verifyRegistration({ credentialId, clientData, attestationObject }, isExpected) {
    if (!isExpected(clientData) || attestationObject === '') return null;
    return { credentialId, publicKey: attestationObject, signCount: 0 };
  },
  async verifySignIn({ clientData, authenticatorData, signature }, { publicKey, signCount }, isExpected) {
    const count = Number(authenticatorData);
    return isExpected(clientData) && signature === publicKey && count > signCount
      ? { signCount: count }
      : null;
  },
});
