import { expect, test } from '@jest/globals';
import { assertionFor, attestationFor, createTestPasskeyVerifier, errorCodeOf } from '@svc/testkit';
import { memoryFixture } from './memory-fixture.ts';

test('a passkey is refused if a sign-in in between shows a copy of it, or if another account has registered it', async () => {
  const { use, newAdjuster, newSession, useWithPasskeyVerifier } = memoryFixture();
  const [{ svcId }, { svcId: other }] = [await newAdjuster(), await newAdjuster()];
  const register = async (by: typeof svcId) => {
    const session = { tokenHash: (await newSession(by)).tokenHash, mayOnlyAddPasskey: false };
    const options = await use.startPasskeyRegistration({ svcId: by }, session);
    const response = attestationFor(options, 'credential');
    return use.registerPasskey({ svcId: by }, session, { name: 'Phone', response });
  };
  const { id } = await register(svcId);
  /** Others sign in while the response is verified. */
  const signIn = async (signCount: number, between: readonly number[] = [], act = async () => {}) => {
    const slow = useWithPasskeyVerifier({
      ...createTestPasskeyVerifier(),
      async verifySignIn({ clientData }, _, isExpected) {
        for (const count of between) await signIn(count);
        await act();
        return isExpected(clientData) ? { signCount } : null;
      },
    });
    const passkey = assertionFor(await slow.startPasskeySignIn('browser'), 'credential', signCount);
    const signingIn = slow.signIn({ passkey, clientSecret: 'browser' });
    return signingIn.then(
      (): string => 'ok',
      ({ code }): string => code,
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
  const move = async () => {
    await use.removePasskey({ svcId }, id);
    await register(other);
  };
  expect([await signIn(0, [], move), await signIn(0)]).toEqual([refused, 'ok']);
  // A client that has to pause, after three failures above, costs no verification.
  const unknown = { ...attestationFor({ challenge: 'x' }, 'none'), authenticatorData: '', signature: '' };
  for (let n = 3; n < 20; n += 1)
    await errorCodeOf(use.signIn({ passkey: unknown, clientSecret: 'browser' }));
  const verified: number[] = [];
  expect([await signIn(0, [], async () => void verified.push(1)), verified]).toEqual([undefined, []]);
});
