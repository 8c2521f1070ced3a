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

type Used = ReturnType<ReturnType<typeof createSoftwareAuthenticator>['get']>;

const signedIn = (
  { credential_id: credentialId, client_data: clientData, ...used }: Used,
  passkey: Parameters<typeof verifier.verifySignIn>[1],
) =>
  verifier.verifySignIn(
    { credentialId, clientData, authenticatorData: used.authenticator_data, signature: used.signature },
    passkey,
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

  test.each([
    ['in a page that another one embeds', options, { ...SITE, embedded: { crossOrigin: true } }],
    ['in a page of another site', options, { ...SITE, embedded: { topOrigin: 'https://evil.example' } }],
    ['in a page within its own', options, { ...SITE, embedded: { topOrigin: BASE_URL } }],
    ['for another challenge', { challenge: Buffer.from('another').toString('base64url') }, SITE],
    ['at another port', options, { ...SITE, origin: `${BASE_URL}:8443` }],
    ['for another site', options, { ...SITE, rpId: 'example' }],
  ])('is neither registered nor used %s', async (_, asked, site) => {
    const authenticator = createSoftwareAuthenticator();
    expect(await registered(authenticator.create(asked, site))).toBeNull();
    const passkey = await registered(authenticator.create(options, SITE));
    if (passkey === null) throw new Error('expected a passkey');
    expect(await signedIn(authenticator.get(asked, site), passkey)).toBeNull();
    expect(await signedIn(authenticator.get(options, SITE), passkey)).not.toBeNull();
  });

  test('signs in whom its device has verified, with its own key, and once with each number of uses', async () => {
    const [authenticator, other] = [createSoftwareAuthenticator(), createSoftwareAuthenticator()];
    const passkey = await registered(authenticator.create(options, SITE));
    if (passkey === null) throw new Error('expected a passkey');
    const used = authenticator.get(options, SITE);
    expect(await signedIn(used, passkey)).toEqual({ signCount: 1 });
    expect(await signedIn(used, { ...passkey, signCount: 1 })).toBeNull();
    expect(await signedIn(authenticator.get(options, SITE, false), passkey)).toBeNull();
    const stolen = { ...other.get(options, SITE), credential_id: used.credential_id };
    expect(await signedIn(stolen, passkey)).toBeNull();
    expect(await signedIn(authenticator.get(options, SITE), passkey)).toEqual({ signCount: 3 });
  });

  test('is asked for with a verified user, at the address that the service has by then', async () => {
    const addresses = { baseUrl: 'http://127.0.0.1:0' };
    const ofLater = createPasskeyVerifier(addresses);
    addresses.baseUrl = `${BASE_URL}:8443/app`;
    const existing = [{ credentialId: 'AAAA', transports: ['internal', 'hybrid'] }];
    const user = { id: '00ff', name: 'ana@firm.example', displayName: 'Ana Reyes' };
    expect(await ofLater.registrationOptions({ challenge: 'a challenge', user, existing })).toMatchObject({
      ...options,
      rp: { id: 'claims.example', name: 'Claims' },
      user: { ...user, id: Buffer.from(user.id, 'hex').toString('base64url') },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      excludeCredentials: [{ id: 'AAAA', transports: ['internal', 'hybrid'] }],
    });
    const asked = { ...options, rpId: 'claims.example', userVerification: 'required' };
    expect(await ofLater.signInOptions('a challenge')).toMatchObject(asked);
  });
});
