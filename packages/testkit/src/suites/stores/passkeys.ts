import { describe, expect, test } from '@jest/globals';
import {
  type AccountRef,
  accountRef,
  auditEntriesFrom,
  type PasskeyOptions,
  SERVICE_CHAIN,
  type SignInProof,
} from '@svc/application';
import { MAX_PASSKEYS_PER_ACCOUNT, MINUTE, type Svcid } from '@svc/domain';
import { errorCodeOf } from '../../error-code.ts';
import type { Fixture, UseCases } from '../../fixture.ts';
import { assertionFor, attestationFor, createTestPasskeyVerifier } from '../../test-passkeys.ts';

const CLIENT = 'a client secret';
interface Session {
  readonly tokenHash: string;
  readonly mayOnlyAddPasskey: boolean;
}

interface Person {
  readonly of: AccountRef;
  readonly email: string;
  /** Of a session that the operator opened. */
  readonly token: string;
}

/** Each with a client, so that failed attempts do not count against those of other tests. */
const KINDS = [
  {
    who: 'adjusters',
    address: '192.0.2.3',
    useOf: (use: UseCases) => use,
    find: (use: UseCases, token: string) => use.sessionAuthenticator.authenticate(token),
    async newPerson({ newAdjuster, use }: Fixture): Promise<Person> {
      const { svcId, email } = await newAdjuster();
      return { of: { svcId }, email: email ?? '', token: (await use.openSession(svcId)).token };
    },
  },
  {
    who: 'staff',
    address: '192.0.2.4',
    useOf: ({ desk }: UseCases) => desk,
    find: (use: UseCases, token: string) => use.sessionAuthenticator.authenticateStaff(token),
    async newPerson({ newFirm, newStaff, use }: Fixture): Promise<Person> {
      const member = await newStaff(await newFirm());
      const { token } = await use.openStaffSession(member);
      return { of: accountRef(member), email: member.email, token };
    },
  },
] as const;
type Kind = (typeof KINDS)[number];
const [ADJUSTERS] = KINDS;

/** The passkeys of one kind of people. */
function passkeysOf(
  { address, useOf, find, newPerson }: Kind,
  fixture: () => Fixture,
  newCredential: () => string,
) {
  /** A session as the pipeline passes it to the use cases. */
  async function sessionOf(token: string, all = fixture().use): Promise<Session> {
    const session = await find(all, token);
    if (session === null) throw new Error('expected a session');
    return session;
  }

  /** Adds a passkey with what an authenticator returns for the options. */
  async function add(
    of: AccountRef,
    session: Session,
    {
      credentialId = newCredential(),
      name = 'Phone',
      options,
      all = fixture().use,
    }: { credentialId?: string; name?: string; options?: PasskeyOptions; all?: UseCases } = {},
  ) {
    const use = useOf(all);
    const asked = options ?? (await use.startPasskeyRegistration(of, session));
    return use.registerPasskey(of, session, { name, response: attestationFor(asked, credentialId) });
  }

  async function withPasskey() {
    const person = await newPerson(fixture());
    const session = await sessionOf(person.token);
    const credentialId = newCredential();
    const options = await useOf(fixture().use).startPasskeyRegistration(person.of, session);
    const passkey = await add(person.of, session, { credentialId, options });
    return { ...person, session, credentialId, options, passkey };
  }

  async function open(all: UseCases, proof: SignInProof, from?: string) {
    const opened = await useOf(all).signIn(proof, from);
    if ('ticket' in opened) throw new Error('expected a session');
    return opened;
  }

  const signIn = (
    options: PasskeyOptions,
    credentialId: string,
    { signCount = 1, clientSecret = CLIENT, all = fixture().use } = {},
  ) => open(all, { passkey: assertionFor(options, credentialId, signCount), clientSecret }, address);

  /** Signs in with a code that was emailed. */
  async function signInByCode(email: string, all = fixture().use) {
    await useOf(all).requestSignInCode(email);
    return open(all, { email, code: fixture().external.mails.at(-1)?.code ?? '' });
  }

  return { sessionOf, add, withPasskey, signIn, signInByCode };
}

/** What adjusters and the staff of firms have alike. */
function sharedBehavior(kind: Kind, fixture: () => Fixture, passkeys: ReturnType<typeof passkeysOf>): void {
  const { sessionOf, add, withPasskey, signIn, signInByCode } = passkeys;
  const { useOf, newPerson } = kind;

  describe(`passkeys of ${kind.who}`, () => {
    test('are listed by account, renamed and removed by their owner only', async () => {
      const { stores, clock } = fixture();
      const use = useOf(fixture().use);
      const { of, passkey, credentialId } = await withPasskey();
      const stranger = (await newPerson(fixture())).of;
      expect(passkey).toEqual({
        ...{ id: expect.any(String), account: of, name: 'Phone' },
        ...{ credentialId, publicKey: `key of ${credentialId}`, signCount: 0, transports: ['internal'] },
        ...{ createdAt: clock.now(), lastUsedAt: null },
      });
      expect(await stores.accountReads.passkeys(of)).toEqual([passkey]);
      expect(await stores.accountReads.passkeys(stranger)).toEqual([]);
      expect(await errorCodeOf(use.renamePasskey(stranger, passkey.id, 'Mine'))).toBe('not_found');
      expect(await errorCodeOf(use.removePasskey(stranger, passkey.id))).toBe('not_found');
      const renamed = await use.renamePasskey(of, passkey.id, 'Old phone');
      expect(await stores.accountReads.passkeys(of)).toEqual([renamed]);
      expect(renamed).toEqual({ ...passkey, name: 'Old phone' });
      await use.removePasskey(of, passkey.id);
      expect(await stores.accountReads.passkeys(of)).toEqual([]);
    });

    test('are reported to one address at most twenty times a day', async () => {
      const { external } = fixture();
      const use = useOf(fixture().use);
      const { of, email, session } = await withPasskey();
      await signInByCode(email);
      for (let n = 0; n < 15; n += 1) await use.removePasskey(of, (await add(of, session)).id);
      expect(external.notices.filter((notice) => notice.email === email && isOfPasskey(notice))).toHaveLength(
        20,
      );
    });

    test('open a session of their account, and count uses', async () => {
      const { stores, clock } = fixture();
      const use = useOf(fixture().use);
      const { of, credentialId } = await withPasskey();
      const opened = await signIn(await use.startPasskeySignIn(CLIENT), credentialId, { signCount: 7 });
      expect(accountRef(opened.account)).toEqual(of);
      const [stored] = await stores.accountReads.passkeys(of);
      expect([stored?.signCount, stored?.lastUsedAt]).toEqual([7, clock.now()]);
      // A copied authenticator has an older counter.
      const again = signIn(await use.startPasskeySignIn(CLIENT), credentialId, { signCount: 7 });
      expect(await errorCodeOf(again)).toBe('sign_in_refused');
    });

    test('may answer a challenge again after a response that failed', async () => {
      const use = useOf(fixture().use);
      const { credentialId } = await withPasskey();
      const options = await use.startPasskeySignIn(CLIENT);
      const failed = signIn(options, credentialId, { signCount: 0 });
      expect(await errorCodeOf(failed)).toBe('sign_in_refused');
      await signIn(options, credentialId);
    });

    test('answer a challenge once, also with ten concurrent uses', async () => {
      const use = useOf(fixture().use);
      const { credentialId } = await withPasskey();
      const options = await use.startPasskeySignIn(CLIENT);
      const uses = Array.from({ length: 10 }, (_, n) => signIn(options, credentialId, { signCount: n + 1 }));
      const ends = await Promise.allSettled(uses);
      expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });

    test('answer only challenges of this client, for this purpose, within five minutes', async () => {
      const { clock } = fixture();
      const use = useOf(fixture().use);
      const { credentialId, options: ofRegistration } = await withPasskey();
      const options = await use.startPasskeySignIn(CLIENT);
      const [id, end, signature] = String(options.challenge).split('.');
      for (const [given, clientSecret] of [
        [options, 'another client'],
        [ofRegistration, CLIENT],
        [{ challenge: `${id}.${end}.${signature}0` }, CLIENT],
        [{ challenge: `${id}.${Number(end) + 1}.${signature}` }, CLIENT],
        [{ challenge: `${id}0.${end}.${signature}` }, CLIENT],
        [{ challenge: '' }, CLIENT],
      ] as const)
        expect(await errorCodeOf(signIn(given, credentialId, { clientSecret }))).toBe('sign_in_refused');
      clock.advance(5 * MINUTE - 1);
      await signIn(options, credentialId);
      const late = await use.startPasskeySignIn(CLIENT);
      clock.advance(5 * MINUTE);
      expect(await errorCodeOf(signIn(late, credentialId, { signCount: 2 }))).toBe('sign_in_refused');
    });

    test('open no session if they are removed while the response is verified', async () => {
      const { use, useWithPasskeyVerifier } = fixture();
      const { of, credentialId, passkey } = await withPasskey();
      const verifier = createTestPasskeyVerifier();
      const slow = useWithPasskeyVerifier({
        ...verifier,
        verifySignIn: async (...given) => {
          await useOf(use).removePasskey(of, passkey.id);
          return verifier.verifySignIn(...given);
        },
      });
      const end = signIn(await useOf(slow).startPasskeySignIn(CLIENT), credentialId, { all: slow });
      expect(await errorCodeOf(end)).toBe('sign_in_refused');
    });

    test('are added only in the session that asked, once per challenge and credential', async () => {
      const use = useOf(fixture().use);
      const { of, session, credentialId, options } = await withPasskey();
      const other = await newPerson(fixture());
      const otherSession = await sessionOf(other.token);
      const fresh = await use.startPasskeyRegistration(of, session);
      const ofSignIn = await use.startPasskeySignIn(CLIENT);
      for (const refused of [
        () => add(of, session, { options }),
        () => add(other.of, otherSession, { options: fresh }),
        () => add(of, session, { options: ofSignIn }),
        () => add(other.of, otherSession, { credentialId }),
      ])
        expect(await errorCodeOf(refused())).toBe('passkey_refused');
    });

    test('are at most ten of an account, also with concurrent registrations', async () => {
      const { of, session } = await withPasskey();
      await Promise.allSettled(Array.from({ length: MAX_PASSKEYS_PER_ACCOUNT + 2 }, () => add(of, session)));
      expect(await fixture().stores.accountReads.passkeys(of)).toHaveLength(MAX_PASSKEYS_PER_ACCOUNT);
      expect(await errorCodeOf(add(of, session))).toBe('too_many_passkeys');
    });
  });

  describe(`where the operator requires passkeys of ${kind.who}`, () => {
    test('an earlier session opened with a code cannot add a passkey to an account that has one', async () => {
      const { useWithPasskeysRequired: all } = fixture();
      const { of, email, token: ofOperator } = await newPerson(fixture());
      const { token } = await signInByCode(email);
      const session = await sessionOf(token, all);
      expect(session.mayOnlyAddPasskey).toBe(true);
      const options = await useOf(all).startPasskeyRegistration(of, session);
      await add(of, await sessionOf(ofOperator));
      for (const attempt of [
        () => useOf(all).startPasskeyRegistration(of, session),
        () => add(of, session, { options, all }),
        () => signInByCode(email, all),
      ])
        expect(await errorCodeOf(attempt())).toBe('passkey_required');
    });

    test('one of two passkeys can be renamed and removed, and the other stays as it is, also in the list and as the last one', async () => {
      const { useWithPasskeysRequired: all, stores, clock } = fixture();
      const use = useOf(all);
      const { of, session, passkey: first } = await withPasskey();
      clock.advance(-1);
      const second = await add(of, session, { name: 'Tablet', all });
      const renamed = await use.renamePasskey(of, second.id, 'Old tablet');
      expect(renamed).toEqual({ ...second, name: 'Old tablet' });
      expect(await stores.accountReads.passkeys(of)).toEqual([renamed, first]);
      await use.removePasskey(of, second.id);
      expect(await errorCodeOf(use.removePasskey(of, first.id))).toBe('passkey_required');
      expect(await stores.accountReads.passkeys(of)).toEqual([first]);
    });
  });
}

const isOfPasskey = ({ event }: { readonly event: string }): boolean => event.startsWith('passkey_');

export function passkeysBehavior(fixture: () => Fixture): void {
  let credentials = 0;
  const newCredential = (): string => {
    credentials += 1;
    return `credential-${credentials}-${fixture().clock.now()}`;
  };

  for (const kind of KINDS) sharedBehavior(kind, fixture, passkeysOf(kind, fixture, newCredential));
  const passkeys = passkeysOf(ADJUSTERS, fixture, newCredential);
  const { add, signIn, signInByCode } = passkeys;

  /** Of an adjuster. */
  const signedIn = async (svcId: Svcid): Promise<Session> =>
    passkeys.sessionOf((await fixture().use.openSession(svcId)).token);
  async function withPasskey() {
    const { of, ...others } = await passkeys.withPasskey();
    if (!('svcId' in of)) throw new Error('expected an adjuster');
    return { ...others, svcId: of.svcId };
  }

  describe('passkeys', () => {
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
      const addTo = async (account: Svcid) => add({ svcId: account }, await signedIn(account));
      const notices = () => external.notices.filter((notice) => notice.email === email);
      const passkey = await addTo(svcId);
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
        await use.removePasskey({ svcId: account }, (await addTo(account)).id);
      }
      expect(external.notices).toHaveLength(before);
      await signInByCode(stranger);
      await addTo(unconfirmed);
      expect(external.notices.slice(before)).toEqual([{ email: stranger, event: 'passkey_added' }]);
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
      await add({ svcId }, session, { name: 'Tablet', all: slow });
      await signIn(await slow.startPasskeySignIn(CLIENT), credentialId, { all: slow });
      expect(changed).toHaveLength(2);
      const [kept] = await fixture().stores.accountReads.passkeys({ svcId });
      expect(kept).toMatchObject({ id: passkey.id, name: 'Phone 1', signCount: 1 });
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
      const [{ svcId, credentialId }, other] = [await withPasskey(), await withPasskey()];
      expect(await use.removePasskeys(svcId)).toBe(1);
      expect(await stores.accountReads.passkeys({ svcId })).toEqual([]);
      expect(await stores.accountReads.passkeys({ svcId: other.svcId })).toEqual([other.passkey]);
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

    test('are not needed by test accounts where they are required', async () => {
      const { newFirm, useWithPasskeysRequired: use } = fixture();
      const firm = await newFirm();
      const signInSecret = firm.signInSecrets.manual;
      const { token } = await use.signIn({ svcId: firm.accounts.manual, signInSecret });
      expect(await use.sessionAuthenticator.authenticate(token)).toMatchObject({ mayOnlyAddPasskey: false });
    });
  });
}
