import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { decodeAttestationObject, decodeClientDataJSON, isoBase64URL } from '@simplewebauthn/server/helpers';
import type { PasskeyOptions, PasskeyVerifier } from '@svc/application';

const APP_NAME = 'Claims';

const responseOf = <R>(credentialId: string, response: R) => ({
  id: credentialId,
  rawId: credentialId,
  type: 'public-key' as const,
  clientExtensionResults: {},
  response,
});

/** WebAuthn for the site at the base URL. The authenticator must verify the user, since a passkey is the only factor. */
export function createPasskeyVerifier(addresses: { readonly baseUrl: string }): PasskeyVerifier {
  // Read for each request: the port may be known only once the server listens.
  const site = () => {
    const { hostname, origin } = new URL(addresses.baseUrl);
    return { rpID: hostname, origin };
  };
  const expected = (isExpected: (challenge: string) => boolean) => {
    const { rpID, origin } = site();
    return {
      expectedOrigin: origin,
      expectedRPID: rpID,
      requireUserVerification: true,
      expectedChallenge: (encoded: string) => isExpected(Buffer.from(encoded, 'base64url').toString()),
    };
  };
  return {
    registrationOptions: async ({ challenge, user, existing }) =>
      (await generateRegistrationOptions({
        rpName: APP_NAME,
        rpID: site().rpID,
        challenge: new Uint8Array(Buffer.from(challenge)),
        userID: new Uint8Array(Buffer.from(user.id, 'hex')),
        userName: user.name,
        userDisplayName: user.displayName,
        attestationType: 'none',
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        excludeCredentials: existing.map(({ credentialId, transports }) => ({
          id: credentialId,
          transports: [...transports],
        })),
      })) as unknown as PasskeyOptions,

    signInOptions: async (challenge) =>
      (await generateAuthenticationOptions({
        rpID: site().rpID,
        challenge: new Uint8Array(Buffer.from(challenge)),
        userVerification: 'required',
      })) as unknown as PasskeyOptions,

    async verifyRegistration({ credentialId, clientData, attestationObject }, isExpected) {
      const verified = await withoutErrors(async () => {
        if (isCrossOrigin(clientData) || !isWithoutCertificates(attestationObject)) return null;
        return verifyRegistrationResponse({
          ...expected(isExpected),
          response: responseOf(credentialId, { clientDataJSON: clientData, attestationObject }),
        });
      });
      if (verified?.verified !== true) return null;
      const { id, publicKey, counter } = verified.registrationInfo.credential;
      return {
        credentialId: id,
        publicKey: Buffer.from(publicKey).toString('base64url'),
        signCount: counter,
      };
    },

    async verifySignIn({ credentialId, clientData, authenticatorData, signature }, passkey, isExpected) {
      const verified = await withoutErrors(async () => {
        if (isCrossOrigin(clientData)) return null;
        return verifyAuthenticationResponse({
          ...expected(isExpected),
          response: responseOf(credentialId, { clientDataJSON: clientData, authenticatorData, signature }),
          credential: {
            id: passkey.credentialId,
            publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
            counter: passkey.signCount,
          },
        });
      });
      return verified?.verified === true ? { signCount: verified.authenticationInfo.newCounter } : null;
    },
  };
}

/** Whether a page of another site embedded the one that asked. The app is never embedded, and not all browsers name the embedding page. */
function isCrossOrigin(clientData: string): boolean {
  const { crossOrigin = false, topOrigin } = decodeClientDataJSON(clientData);
  return crossOrigin !== false || topOrigin !== undefined;
}

/**
 * Whether the attestation is `none` or self attestation. The service requests none, and for statements with certificates
 * the library downloads revocation lists from addresses that the client chose.
 */
function isWithoutCertificates(attestationObject: string): boolean {
  const decoded = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject));
  const format = decoded.get('fmt');
  return format === 'none' || (format === 'packed' && decoded.get('attStmt').get('x5c') === undefined);
}

/** The library throws if a response is not valid. */
async function withoutErrors<T>(verify: () => Promise<T>): Promise<T | null> {
  try {
    return await verify();
  } catch {
    return null;
  }
}
