import { describe, expect, test } from '@jest/globals';
import { auditEntriesFrom, type PasskeyOptions, SERVICE_CHAIN } from '@svc/application';
import { MAX_PASSKEYS_PER_ACCOUNT, MINUTE, type Svcid } from '@svc/domain';
import { errorCodeOf } from '../../error-code.ts';
import type { Fixture } from '../../fixture.ts';
import { assertionFor, attestationFor, createTestPasskeyVerifier } from '../../test-passkeys.ts';

const CLIENT = 'a client secret';

export function passkeysBehavior(fixture: () => Fixture): void {
  let credentials = 0;
  const newCredential = (): string => {
    credentials += 1;
    return `credential-${credentials}-${fixture().clock.now()}`;
  };

  /** A signed-in session as the pipeline passes it to the use cases. */
  async function signedIn(svcId: Svcid, use = fixture().use) {
    const { token } = await use.openSession(svcId);
    const session = await use.sessionAuthenticator.authenticate(token);
    if (session === null) throw new Error('expected a session');
    return session;
  }

  /** An adjuster with a passkey. */
  async function withPasskey(profile: Parameters<Fixture['newAdjuster']>[0] = {}) {
    const { newAdjuster, use } = fixture();
    const { svcId, email } = await newAdjuster(profile);
    const session = await signedIn(svcId);
    const credentialId = newCredential();
    const options = await use.startPasskeyRegistration({ svcId }, session);
    const response = attestationFor(options, credentialId);
    const passkey = await use.registerPasskey({ svcId }, session, { name: 'Phone', response });
    return { svcId, email: email ?? '', session, credentialId, options, passkey };
  }

  const signIn = (
    options: PasskeyOptions,
    credentialId: string,
    { signCount = 1, clientSecret = CLIENT, use = fixture().use } = {},
  ) => use.signIn({ passkey: assertionFor(options, credentialId, signCount), clientSecret });

  /** Signs in with a code that was emailed. */
  async function signInByCode(email: string, use = fixture().use) {
    await use.requestSignInCode(email);
    return use.signIn({ email, code: fixture().external.mails.at(-1)?.code ?? '' });
  }

  describe('passkeys', () => {
    test('are listed by account, renamed and removed by their owner only', async () => {
      const { use, stores, newAdjuster } = fixture();
      const { svcId, passkey } = await withPasskey();
      const stranger = (await newAdjuster()).svcId;
      expect(passkey).toMatchObject({
        account: { svcId },
        name: 'Phone',
        signCount: 0,
        transports: ['internal'],
        lastUsedAt: null,
      });
      expect(await stores.accountReads.passkeys({ svcId })).toEqual([passkey]);
      expect(await stores.accountReads.passkeys({ svcId: stranger })).toEqual([]);
      expect(await errorCodeOf(use.renamePasskey({ svcId: stranger }, passkey.id, 'Mine'))).toBe('not_found');
      expect(await errorCodeOf(use.removePasskey({ svcId: stranger }, passkey.id))).toBe('not_found');
      const renamed = await use.renamePasskey({ svcId }, passkey.id, 'Old phone');
      expect(await stores.accountReads.passkeys({ svcId })).toEqual([renamed]);
      expect(renamed).toEqual({ ...passkey, name: 'Old phone' });
      await use.removePasskey({ svcId }, passkey.id);
      expect(await stores.accountReads.passkeys({ svcId })).toEqual([]);
    });

    test('are offered to authenticators under the name and address of the account, and an opaque id', async () => {
      const { use, newAdjuster } = fixture();
      const userOf = async (profile: Parameters<typeof newAdjuster>[0]) => {
        const account = await newAdjuster(profile);
        const session = await signedIn(account.svcId);
        const options = await use.startPasskeyRegistration({ svcId: account.svcId }, session);
        return { account, user: options.user as { id: string; name: string; displayName: string } };
      };
      const whole = await userOf({ firstName: 'Zoë', lastName: 'Reyes' });
      expect(whole.user).toMatchObject({ name: whole.account.email, displayName: 'Zoë Reyes' });
      const partly = await userOf({ firstName: null, lastName: 'Reyes' });
      expect(partly.user.displayName).toBe('Reyes');
      const bare = await userOf({ firstName: null, lastName: null, email: null });
      const { svcId } = bare.account;
      expect(bare.user).toMatchObject({ name: svcId, displayName: svcId });
      expect(bare.user.id).not.toContain(svcId);
      expect(new Set([whole.user.id, partly.user.id, bare.user.id]).size).toBe(3);
    });

    test('that are added or removed are reported to the address of the account', async () => {
      const { use, external, newAdjuster, newFirm } = fixture();
      const { svcId, email } = await newAdjuster();
      await signInByCode(email ?? '');
      const add = async (account: Svcid) => {
        const session = await signedIn(account);
        const response = attestationFor(
          await use.startPasskeyRegistration({ svcId: account }, session),
          newCredential(),
        );
        return use.registerPasskey({ svcId: account }, session, { name: 'Phone', response });
      };
      const notices = () => external.notices.filter((notice) => notice.email === email);
      const passkey = await add(svcId);
      expect(notices()).toEqual([{ email, event: 'passkey_added' }]);
      await use.renamePasskey({ svcId }, passkey.id, 'Old phone');
      await use.removePasskey({ svcId }, passkey.id);
      expect(notices().at(-1)).toEqual({ email, event: 'passkey_removed' });
      expect(notices()).toHaveLength(2);

      // An address that was not confirmed may be that of a stranger, and so may one of a test account.
      const before = external.notices.length;
      const stranger = `${svcId}@stranger.example`;
      const { svcId: unconfirmed } = await newAdjuster({ email: null });
      const { manual: tested } = (await newFirm()).accounts;
      for (const account of [unconfirmed, tested]) {
        await use.updateProfile({ svcId: account }, { email: stranger });
        await use.removePasskey({ svcId: account }, (await add(account)).id);
      }
      expect(external.notices).toHaveLength(before);
      await signInByCode(stranger);
      await add(unconfirmed);
      expect(external.notices.slice(before)).toEqual([{ email: stranger, event: 'passkey_added' }]);
    });

    test('are reported to one address at most twenty times a day', async () => {
      const { use, external } = fixture();
      const { svcId, email, session } = await withPasskey();
      await signInByCode(email);
      const add = async () => {
        const options = await use.startPasskeyRegistration({ svcId }, session);
        const response = attestationFor(options, newCredential());
        return use.registerPasskey({ svcId }, session, { name: 'Phone', response });
      };
      for (let n = 0; n < 15; n += 1) await use.removePasskey({ svcId }, (await add()).id);
      expect(external.notices.filter((notice) => notice.email === email)).toHaveLength(20);
    });

    test('open a session of their account, and count uses', async () => {
      const { use, stores, clock } = fixture();
      const { svcId, credentialId } = await withPasskey();
      const opened = await signIn(await use.startPasskeySignIn(CLIENT), credentialId, { signCount: 7 });
      expect(opened.account.svcId).toBe(svcId);
      const [stored] = await stores.accountReads.passkeys({ svcId });
      expect([stored?.signCount, stored?.lastUsedAt]).toEqual([7, clock.now()]);
      // A copied authenticator has an older counter.
      const again = signIn(await use.startPasskeySignIn(CLIENT), credentialId, { signCount: 7 });
      expect(await errorCodeOf(again)).toBe('sign_in_refused');
    });

    test('may answer a challenge again after a response that failed', async () => {
      const { use } = fixture();
      const { credentialId } = await withPasskey();
      const options = await use.startPasskeySignIn(CLIENT);
      const failed = signIn(options, credentialId, { signCount: 0 });
      expect(await errorCodeOf(failed)).toBe('sign_in_refused');
      await signIn(options, credentialId);
    });

    test('answer a challenge once, also with ten concurrent uses', async () => {
      const { use } = fixture();
      const { credentialId } = await withPasskey();
      const options = await use.startPasskeySignIn(CLIENT);
      const uses = Array.from({ length: 10 }, (_, n) => signIn(options, credentialId, { signCount: n + 1 }));
      const ends = await Promise.allSettled(uses);
      expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });

    test('answer only challenges of this client, for this purpose, within five minutes', async () => {
      const { use, clock } = fixture();
      const { credentialId, options: ofRegistration } = await withPasskey();
      const options = await use.startPasskeySignIn(CLIENT);
      for (const [given, clientSecret] of [
        [options, 'another client'],
        [ofRegistration, CLIENT],
        [{ challenge: `${String(options.challenge)}0` }, CLIENT],
        [{ challenge: '' }, CLIENT],
      ] as const)
        expect(await errorCodeOf(signIn(given, credentialId, { clientSecret }))).toBe('sign_in_refused');
      clock.advance(5 * MINUTE - 1);
      await signIn(options, credentialId);
      const late = await use.startPasskeySignIn(CLIENT);
      clock.advance(5 * MINUTE);
      expect(await errorCodeOf(signIn(late, credentialId, { signCount: 2 }))).toBe('sign_in_refused');
    });

    test('are verified without a lock, so that a slow verification delays no one', async () => {
      const { use, useWithPasskeyVerifier } = fixture();
      const { svcId, session, credentialId, passkey } = await withPasskey();
      const verifier = createTestPasskeyVerifier();
      const changed: unknown[] = [];
      const changeAccount = async () => {
        await use.updateProfile({ svcId }, { lastName: `Reyes ${changed.length}` });
        changed.push(await use.renamePasskey({ svcId }, passkey.id, `Phone ${changed.length}`));
      };
      const slow = useWithPasskeyVerifier({
        ...verifier,
        verifyRegistration: async (...given) => {
          await changeAccount();
          return verifier.verifyRegistration(...given);
        },
        verifySignIn: async (...given) => {
          await changeAccount();
          return verifier.verifySignIn(...given);
        },
      });
      const response = attestationFor(
        await slow.startPasskeyRegistration({ svcId }, session),
        newCredential(),
      );
      await slow.registerPasskey({ svcId }, session, { name: 'Tablet', response });
      await signIn(await slow.startPasskeySignIn(CLIENT), credentialId, { use: slow });
      expect(changed).toHaveLength(2);
    });

    test('open no session if they are removed while the response is verified', async () => {
      const { use, useWithPasskeyVerifier } = fixture();
      const { svcId, credentialId, passkey } = await withPasskey();
      const verifier = createTestPasskeyVerifier();
      const slow = useWithPasskeyVerifier({
        ...verifier,
        verifySignIn: async (...given) => {
          await use.removePasskey({ svcId }, passkey.id);
          return verifier.verifySignIn(...given);
        },
      });
      const end = signIn(await slow.startPasskeySignIn(CLIENT), credentialId, { use: slow });
      expect(await errorCodeOf(end)).toBe('sign_in_refused');
    });

    test('are added only in the session that asked, once per challenge and credential', async () => {
      const { use, newAdjuster } = fixture();
      const { svcId, session, credentialId, options } = await withPasskey();
      const other = (await newAdjuster()).svcId;
      const otherSession = await signedIn(other);
      const add = (
        by: Svcid,
        session: Awaited<ReturnType<typeof signedIn>>,
        options: PasskeyOptions,
        credential: string,
      ) => {
        const response = attestationFor(options, credential);
        return errorCodeOf(use.registerPasskey({ svcId: by }, session, { name: 'x', response }));
      };
      const fresh = await use.startPasskeyRegistration({ svcId }, session);
      expect(await add(svcId, session, options, newCredential())).toBe('passkey_refused');
      expect(await add(other, otherSession, fresh, newCredential())).toBe('passkey_refused');
      expect(await add(svcId, session, await use.startPasskeySignIn(CLIENT), newCredential())).toBe(
        'passkey_refused',
      );
      const ofOther = await use.startPasskeyRegistration({ svcId: other }, otherSession);
      expect(await add(other, otherSession, ofOther, credentialId)).toBe('passkey_refused');
    });

    test('an account has at most ten, also with concurrent registrations', async () => {
      const { use, stores } = fixture();
      const { svcId, session } = await withPasskey();
      const add = async () => {
        const options = await use.startPasskeyRegistration({ svcId }, session);
        const response = attestationFor(options, newCredential());
        return use.registerPasskey({ svcId }, session, { name: 'x', response });
      };
      await Promise.allSettled(Array.from({ length: MAX_PASSKEYS_PER_ACCOUNT + 2 }, add));
      expect(await stores.accountReads.passkeys({ svcId })).toHaveLength(MAX_PASSKEYS_PER_ACCOUNT);
      expect(await errorCodeOf(add())).toBe('too_many_passkeys');
    });

    test('of a disabled account open no session', async () => {
      const { use } = fixture();
      const { svcId, credentialId } = await withPasskey();
      await use.disableAdjuster(svcId);
      const end = signIn(await use.startPasskeySignIn(CLIENT), credentialId);
      expect(await errorCodeOf(end)).toBe('sign_in_refused');
    });

    test('are removed by the operator together with all sessions', async () => {
      const { use, stores, clock } = fixture();
      const { svcId, credentialId } = await withPasskey();
      expect(await use.removePasskeys(svcId)).toBe(1);
      expect(await stores.accountReads.passkeys({ svcId })).toEqual([]);
      expect(await stores.accountReads.sessions({ svcId }, clock.now())).toEqual([]);
      const end = signIn(await use.startPasskeySignIn(CLIENT), credentialId);
      expect(await errorCodeOf(end)).toBe('sign_in_refused');
    });

    test('removing them is recorded also if there were only passkeys, or only sessions', async () => {
      const { use, stores } = fixture();
      const { svcId: withoutSession } = await withPasskey();
      await use.endSessions(withoutSession);
      const { svcId: withoutPasskey } = await fixture().newAdjuster();
      await use.openSession(withoutPasskey);
      expect(await use.removePasskeys(withoutSession)).toBe(1);
      expect(await use.removePasskeys(withoutPasskey)).toBe(0);
      const rows = await stores.auditReads.latest(SERVICE_CHAIN, { limit: 50 });
      const removals = rows
        .flatMap(({ text }) => auditEntriesFrom(text))
        .filter(({ action }) => action === 'passkey.remove')
        .map(({ object }) => object);
      for (const svcId of [withoutSession, withoutPasskey]) expect(removals).toContain(`adjuster:${svcId}`);
    });
  });

  describe('where the operator requires passkeys', () => {
    test('a session opened with a code can only add a passkey, and has full access after that', async () => {
      const { newAdjuster, useWithPasskeysRequired: use } = fixture();
      const { svcId, email } = await newAdjuster();
      const { token } = await signInByCode(email ?? '', use);
      const session = await use.sessionAuthenticator.authenticate(token);
      if (session === null) throw new Error('expected a session');
      expect(session.mayOnlyAddPasskey).toBe(true);
      const options = await use.startPasskeyRegistration({ svcId }, session);
      const response = attestationFor(options, newCredential());
      await use.registerPasskey({ svcId }, session, { name: 'Phone', response });
      expect(await use.sessionAuthenticator.authenticate(token)).toMatchObject({ mayOnlyAddPasskey: false });
    });

    test('an account with a passkey cannot sign in with a code, and the passkey opens a full session', async () => {
      const { useWithPasskeysRequired: use } = fixture();
      const { email, credentialId } = await withPasskey();
      expect(await errorCodeOf(signInByCode(email, use))).toBe('passkey_required');
      const { token } = await signIn(await use.startPasskeySignIn(CLIENT), credentialId, { use });
      expect(await use.sessionAuthenticator.authenticate(token)).toMatchObject({ mayOnlyAddPasskey: false });
    });

    test('an earlier session opened with a code cannot add a passkey to an account that has one', async () => {
      const { newAdjuster, use: before, useWithPasskeysRequired: use } = fixture();
      const { svcId, email } = await newAdjuster();
      const { token } = await signInByCode(email ?? '', before);
      const owner = await signedIn(svcId);
      const options = await before.startPasskeyRegistration({ svcId }, owner);
      const response = attestationFor(options, newCredential());
      await before.registerPasskey({ svcId }, owner, { name: 'Phone', response });
      const session = await use.sessionAuthenticator.authenticate(token);
      if (session === null) throw new Error('expected a session');
      expect(session.mayOnlyAddPasskey).toBe(true);
      expect(await errorCodeOf(use.startPasskeyRegistration({ svcId }, session))).toBe('passkey_required');
    });

    test('one of two passkeys can be renamed and removed, and the other stays as it is', async () => {
      const { useWithPasskeysRequired: use, stores } = fixture();
      const { svcId, session, passkey: first } = await withPasskey();
      const options = await use.startPasskeyRegistration({ svcId }, session);
      const response = attestationFor(options, newCredential());
      const second = await use.registerPasskey({ svcId }, session, { name: 'Tablet', response });
      const renamed = await use.renamePasskey({ svcId }, second.id, 'Old tablet');
      expect(renamed).toEqual({ ...second, name: 'Old tablet' });
      await use.removePasskey({ svcId }, second.id);
      expect(await stores.accountReads.passkeys({ svcId })).toEqual([first]);
    });

    test('the last passkey cannot be removed, and test accounts need none', async () => {
      const { newFirm, useWithPasskeysRequired: use } = fixture();
      const { svcId, passkey } = await withPasskey();
      expect(await errorCodeOf(use.removePasskey({ svcId }, passkey.id))).toBe('passkey_required');
      const firm = await newFirm();
      const signInSecret = firm.signInSecrets.manual;
      const { token } = await use.signIn({ svcId: firm.accounts.manual, signInSecret });
      expect(await use.sessionAuthenticator.authenticate(token)).toMatchObject({ mayOnlyAddPasskey: false });
    });
  });
}
