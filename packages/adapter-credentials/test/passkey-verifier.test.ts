import { describe, expect, test } from '@jest/globals';
import { createPasskeyVerifier } from '../src/passkey-verifier.ts';
import { createSoftwareAuthenticator } from './software-authenticator.ts';

const BASE_URL = 'https://claims.example';
const SITE = { origin: BASE_URL, rpId: 'claims.example' };
const verifier = createPasskeyVerifier({ baseUrl: BASE_URL });
const options = { challenge: Buffer.from('a challenge').toString('base64url') };
const isExpected = (challenge: string): boolean => challenge === 'a challenge';

type Created = ReturnType<ReturnType<typeof createSoftwareAuthenticator>['create']>;

const registered = ({ credential_id, client_data, attestation_object, transports }: Created) =>
  verifier.verifyRegistration(
    {
      credentialId: credential_id,
      clientData: client_data,
      attestationObject: attestation_object,
      transports,
    },
    isExpected,
  );

describe('a passkey', () => {
  test.each(['none', 'packed'])(
    'is registered with the attestation %s without certificates',
    async (format) => {
      const created = createSoftwareAuthenticator().create(options, SITE, { format });
      expect(await registered(created)).toMatchObject({ credentialId: created.credential_id, signCount: 0 });
    },
  );

  test.each([{ crossOrigin: true }, { topOrigin: 'https://evil.example' }, { topOrigin: BASE_URL }])(
    'is neither registered nor used in a page that another page embeds (%j)',
    async (embedded) => {
      const authenticator = createSoftwareAuthenticator();
      const site = { ...SITE, embedded };
      expect(await registered(authenticator.create(options, site))).toBeNull();

      const passkey = await registered(authenticator.create(options, SITE));
      if (passkey === null) throw new Error('expected a passkey');
      const signIn = (at: Parameters<typeof authenticator.get>[1]) => {
        const { credential_id, client_data, authenticator_data, signature } = authenticator.get(options, at);
        return verifier.verifySignIn(
          {
            credentialId: credential_id,
            clientData: client_data,
            authenticatorData: authenticator_data,
            signature,
          },
          passkey,
          isExpected,
        );
      };
      expect(await signIn(site)).toBeNull();
      expect(await signIn(SITE)).not.toBeNull();
    },
  );
});
