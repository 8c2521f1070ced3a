import { expect, test } from '@jest/globals';
import { assertionFor, attestationFor, createTestPasskeyVerifier } from '@svc/testkit';
import { memoryFixture } from './memory-fixture.ts';

test('a counter that is not above that of a sign-in in between shows a copy of the passkey', async () => {
  const { use, newAdjuster, newSession, useWithPasskeyVerifier } = memoryFixture();
  const { svcId } = await newAdjuster();
  const session = { tokenHash: (await newSession(svcId)).tokenHash, mayOnlyAddPasskey: false };
  const response = attestationFor(await use.startPasskeyRegistration({ svcId }, session), 'credential');
  await use.registerPasskey({ svcId }, session, { name: 'Phone', response });
  /** Others sign in while the response is verified. */
  const signIn = async (signCount: number, between: readonly number[] = []): Promise<string> => {
    const slow = useWithPasskeyVerifier({
      ...createTestPasskeyVerifier(),
      async verifySignIn({ clientData }, _, isExpected) {
        for (const count of between) await signIn(count);
        return isExpected(clientData) ? { signCount } : null;
      },
    });
    const passkey = assertionFor(await slow.startPasskeySignIn('browser'), 'credential', signCount);
    const signingIn = slow.signIn({ passkey, clientSecret: 'browser' });
    return signingIn.then(
      () => 'ok',
      ({ code }) => code,
    );
  };
  const refused = 'sign_in_refused';
  expect([await signIn(4, [5]), await signIn(6, [6]), await signIn(8, [7])]).toEqual([
    refused,
    refused,
    'ok',
  ]);
  // An authenticator that does not count.
  expect([await signIn(0), await signIn(0), await signIn(0, [0])]).toEqual(['ok', 'ok', 'ok']);
});
