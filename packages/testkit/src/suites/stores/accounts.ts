import { describe, expect, test } from '@jest/globals';
import { TooManyAttempts } from '@svc/application';
import { DAY, DomainError, HOUR, MINUTE, SIGN_IN_CODE_LIFETIME_MS, type Svcid } from '@svc/domain';
import { errorCodeOf } from '../../error-code.ts';
import type { Fixture } from '../../fixture.ts';
import { assertionFor, attestationFor } from '../../test-passkeys.ts';

const wrongCodeFor = (code: string): string => (code === '000000' ? '000001' : '000000');

/** Result of a sign-in that must fail: rejected, or milliseconds until another attempt is allowed. */
async function signInOutcome(signIn: Promise<unknown>): Promise<'rejected' | number> {
  try {
    await signIn;
  } catch (error) {
    if (error instanceof TooManyAttempts) return error.retryAfterMs;
    if (error instanceof DomainError && error.code === 'sign_in_refused') return 'rejected';
    throw error;
  }
  throw new Error('expected the sign-in to fail');
}

export function accountsBehavior(fixture: () => Fixture): void {
  let clients = 0;
  /** An IP address that no other test uses. */
  const clientAddress = (): string => {
    clients += 1;
    return `198.18.${clients >> 8}.${clients & 255}`;
  };

  describe('accounts', () => {
    test('an account is returned as created, with or without missing fields', async () => {
      const { newAdjuster, stores } = fixture();
      const complete = await newAdjuster({ firstName: 'Zoë', lastName: "O'Brien-Ñáñez" });
      const withoutFields = await newAdjuster({ firstName: null, lastName: null, email: null });
      const alsoWithoutFields = await newAdjuster({ firstName: null, lastName: null, email: null });
      for (const account of [complete, withoutFields, alsoWithoutFields]) {
        expect(await stores.appReads.adjuster(account.svcId)).toEqual(account);
      }
    });

    test('an SVCID is unique and case-sensitive', async () => {
      const { newAdjuster } = fixture();
      const { svcId } = await newAdjuster();
      await expect(newAdjuster({ svcId })).rejects.toThrow(svcId);
      await newAdjuster({ svcId: svcId.toLowerCase() as Svcid });
    });

    test('an email address belongs to one account, without regard to case', async () => {
      const { newAdjuster, use } = fixture();
      const first = await newAdjuster();
      const email = first.email?.toUpperCase() ?? '';
      expect(await errorCodeOf(newAdjuster({ email }))).toBe('email_taken');
      const { svcId } = await newAdjuster();
      const { adjuster } = await use.updateProfile({ svcId }, { email });
      expect(adjuster.email).not.toBe(email);
      // An account may change the case of its own address.
      expect((await use.updateProfile({ svcId: first.svcId }, { email })).adjuster.email).toBe(email);
    });

    test('an account is found by its email in any case, a test account never', async () => {
      const { newFirm, newAdjuster, stores } = fixture();
      const firm = await newFirm();
      const { svcId, email } = await newAdjuster();
      const account = await stores.appReads.adjuster(firm.accounts.manual);
      await stores.unitOfWork.run(async (tx) => {
        expect((await tx.adjusters.findByEmail(email?.toUpperCase() ?? ''))?.svcId).toBe(svcId);
        expect((await tx.adjusters.findByEmail(email?.toLowerCase() ?? ''))?.svcId).toBe(svcId);
        expect(await tx.adjusters.findByEmail(account?.email ?? '')).toBeNull();
        expect(await tx.adjusters.findByEmail('%')).toBeNull();
      });
    });

    test('only test accounts have a sign-in secret', async () => {
      const { newFirm, newAdjuster, use } = fixture();
      const firm = await newFirm();
      const { svcId } = await newAdjuster();
      const signInSecret = firm.signInSecrets.manual;
      const opened = await use.signIn({ svcId: firm.accounts.manual, signInSecret });
      expect(opened.account.svcId).toBe(firm.accounts.manual);
      for (const [account, secret] of [
        [svcId, signInSecret],
        [svcId, ''],
        ['Erased-0' as Svcid, ''],
        [firm.accounts.accepts, signInSecret],
        [firm.accounts.manual, `${signInSecret}0`],
        [firm.accounts.manual, ''],
      ] as const) {
        expect(await errorCodeOf(use.signIn({ svcId: account, signInSecret: secret }))).toBe(
          'sign_in_refused',
        );
      }
      const { accepts: svcIdOfDisabled } = firm.accounts;
      await use.setAvailability({ svcId: svcIdOfDisabled }, { maxOpenOffers: 1 });
      const proof = { svcId: svcIdOfDisabled, signInSecret: firm.signInSecrets.accepts };
      await use.signIn(proof);
      await use.disableAdjuster(svcIdOfDisabled);
      expect(await errorCodeOf(use.signIn(proof))).toBe('sign_in_refused');
    });

    test('one client gets twenty attempts at the secrets of all test accounts, then growing pauses', async () => {
      const { newFirm, use, clock } = fixture();
      const { accounts, signInSecrets } = await newFirm();
      const [address, signInSecret] = [clientAddress(), signInSecrets.accepts];
      const attempt = () => signInOutcome(use.signIn({ svcId: accounts.manual, signInSecret }, address));
      const outcomes = [];
      for (let n = 0; n < 22; n += 1) outcomes.push(await attempt());
      expect(outcomes).toEqual([...Array(20).fill('rejected'), MINUTE, MINUTE]);
      clock.advance(MINUTE);
      expect([await attempt(), await attempt()]).toEqual(['rejected', 2 * MINUTE]);
      const elsewhere = { svcId: accounts.manual, signInSecret: signInSecrets.manual };
      expect((await use.signIn(elsewhere, clientAddress())).account.svcId).toBe(accounts.manual);
    });

    test('that were erased can no longer be read or changed in an open session', async () => {
      const { use } = fixture();
      const actor = { svcId: 'Erased-0' as Svcid };
      const session = { tokenHash: 'h', mayOnlyAddPasskey: false };
      const response = attestationFor({ challenge: 'x' }, 'credential');
      for (const attempt of [
        () => use.readProfile(actor),
        () => use.updateProfile(actor, { firstName: 'Zoë' }),
        () => use.setAvailability(actor, { acceptingAssignments: false }),
        () => use.readCredentials(actor),
        () => use.saveCredentials(actor, { licenses: [] }),
        () => use.signOutEverywhere(actor),
        () => use.startPasskeyRegistration(actor, session),
        () => use.registerPasskey(actor, session, { name: 'Phone', response }),
      ])
        await expect(attempt()).rejects.toMatchObject({ code: 'account_removed' });
      expect(await errorCodeOf(use.confirmEmail(actor, '000000'))).toBe('code_refused');
    });
  });

  describe('a new email address', () => {
    const latestCode = (email: string): string =>
      fixture().external.mails.findLast((mail) => mail.email === email)?.code ?? '';
    const noticesTo = (email: string | null) =>
      fixture()
        .external.notices.filter((notice) => notice.email === email)
        .map(({ event }) => event);

    test('takes effect at once for an account without an address', async () => {
      const { newAdjuster, use } = fixture();
      const { svcId } = await newAdjuster({ email: null });
      const email = `${svcId}@first.example`;
      expect((await use.updateProfile({ svcId }, { email })).adjuster.email).toBe(email);
      expect(latestCode(email)).toBe('');
    });

    test('takes effect when its code is confirmed, and the old address is notified', async () => {
      const { newAdjuster, newFirm, use, stores, clock } = fixture();
      const account = await newAdjuster();
      const { svcId, email: old } = account;
      await use.requestSignInCode(old ?? '', clientAddress());
      await use.signIn({ email: old ?? '', code: latestCode(old ?? '') }, clientAddress());
      const email = `${svcId}@new.example`;
      const stored = async () => (await stores.appReads.adjuster(svcId))?.email;
      const { id: firmId } = await newFirm();
      await use.addMember(firmId, svcId);
      const { adjuster, firms } = await use.updateProfile({ svcId }, { email, firstName: 'Zoë' });
      expect([adjuster.email, adjuster.firstName]).toEqual([old, 'Zoë']);
      expect(await stored()).toBe(old);
      expect(noticesTo(old)).toEqual(['email_requested']);
      const mailed = fixture().external.mails.filter((mail) => [old, email].includes(mail.email));
      expect(mailed.map((mail) => [mail.email, mail.of])).toEqual([
        [old, 'sign_in'],
        [email, 'new_address'],
      ]);
      const code = latestCode(email);
      clock.advance(10 * MINUTE - 1);
      expect(await errorCodeOf(use.confirmEmail({ svcId }, wrongCodeFor(code)))).toBe('code_refused');
      expect(firms).toMatchObject([{ firmId }]);
      const changed = await use.confirmEmail({ svcId }, code);
      expect(changed).toMatchObject({ adjuster: { email }, firms });
      expect(await use.readProfile({ svcId })).toEqual(changed);
      expect(await stored()).toBe(email);
      await use.setAvailability({ svcId }, { maxOpenOffers: 3 });
      const seen = await stores.firmReads.adjuster(firmId, svcId);
      expect(seen?.adjuster).toEqual({ ...account, firstName: 'Zoë', email });
      expect(noticesTo(old)).toEqual(['email_requested', 'email_changed']);
      const { svcId: unconfirmed } = await newAdjuster();
      await use.updateProfile({ svcId: unconfirmed }, { email: `${unconfirmed}@first.example` });
      expect(await errorCodeOf(use.confirmEmail({ svcId }, code))).toBe('code_refused');
      const first = `${unconfirmed}@first.example`;
      await use.confirmEmail({ svcId: unconfirmed }, latestCode(first));
      expect(fixture().external.notices.map(({ email }) => email)).not.toContain(null);
      // The new address is confirmed, also where the old one was not.
      for (const by of [svcId, unconfirmed])
        await use.updateProfile({ svcId: by }, { email: `${by}@newer.example` });
      expect([email, first].map(noticesTo)).toEqual([['email_requested'], ['email_requested']]);
      // The old one is free.
      expect((await newAdjuster({ email: old })).email).toBe(old);
      expect(await errorCodeOf(use.confirmEmail({ svcId }, code))).toBe('code_refused');
    });

    test('is not confirmed by an expired code, one of another account, or after five attempts', async () => {
      const { newAdjuster, use, clock } = fixture();
      const { svcId } = await newAdjuster();
      const { svcId: other } = await newAdjuster();
      const email = `${svcId}@late.example`;
      const begin = async (): Promise<string> => {
        await use.updateProfile({ svcId }, { email });
        return latestCode(email);
      };
      const firstCode = await begin();
      expect(await errorCodeOf(use.confirmEmail({ svcId: other }, firstCode))).toBe('code_refused');
      clock.advance(10 * MINUTE);
      expect(await errorCodeOf(use.confirmEmail({ svcId }, firstCode))).toBe('code_refused');
      const secondCode = await begin();
      for (let n = 0; n < 5; n += 1)
        expect(await errorCodeOf(use.confirmEmail({ svcId }, wrongCodeFor(secondCode)))).toBe('code_refused');
      expect(await errorCodeOf(use.confirmEmail({ svcId }, secondCode))).toBe('code_refused');
    });

    test('does not reveal whether another account has it, and is never taken from that account', async () => {
      const { newAdjuster, use, external, stores } = fixture();
      const { svcId: owner, email: taken } = await newAdjuster();
      const { svcId, email: old } = await newAdjuster();
      const { svcId: withoutEmail } = await newAdjuster({ email: null });
      const free = `${svcId}@free.example`;
      const inCapitals = taken?.toUpperCase() ?? '';
      const results: unknown[] = [];
      for (const email of [free, taken ?? '', inCapitals])
        results.push(await use.updateProfile({ svcId }, { email }));
      expect(results).toEqual(results.map(() => results[0]));
      expect(external.mails.filter(({ email }) => email === taken)).toEqual([]);
      for (const code of ['000000', '123456'])
        expect(await errorCodeOf(use.confirmEmail({ svcId }, code))).toBe('code_refused');
      expect((await use.updateProfile({ svcId: withoutEmail }, { email: taken })).adjuster.email).toBeNull();
      expect((await stores.appReads.adjuster(svcId))?.email).toBe(old);
      expect((await stores.appReads.adjuster(owner))?.email).toBe(taken);
      const ofOwner = await use.updateProfile({ svcId: owner }, { email: inCapitals });
      expect(ofOwner.adjuster.email).toBe(inCapitals);
    });

    test('of a test account may equal that of a real account, so it does not reveal whether one exists', async () => {
      const { newFirm, newAdjuster, use, stores } = fixture();
      const { svcId: owner, email: taken } = await newAdjuster();
      const { accounts, signInSecrets } = await newFirm();
      for (const email of [`${owner}@free.example`, taken]) {
        const { adjuster } = await use.updateProfile({ svcId: accounts.manual }, { email });
        expect(adjuster.email).toBe(email);
      }
      await stores.unitOfWork.run(async (tx) => {
        expect((await tx.adjusters.findByEmail(taken ?? ''))?.svcId).toBe(owner);
      });
      const signInSecret = signInSecrets.manual;
      await use.signIn({ svcId: accounts.manual, signInSecret }, clientAddress());
      // No mail is sent, so there is no limit.
      for (let n = 0; n < 6; n += 1) await use.updateProfile({ svcId: accounts.manual }, { email: taken });
    });

    test('that is null keeps the address of an account that has one', async () => {
      const { newAdjuster, use, external } = fixture();
      const { svcId, email } = await newAdjuster();
      const before = external.mails.length;
      expect((await use.updateProfile({ svcId }, { email: null })).adjuster.email).toBe(email);
      expect(external.mails).toHaveLength(before);
    });

    test('can be tried at most 30 times by an account without an address', async () => {
      const { newAdjuster, use } = fixture();
      const taken = await Promise.all(Array.from({ length: 31 }, () => newAdjuster()));
      const { svcId: withoutEmail } = await newAdjuster({ email: null });
      const attempts = [];
      for (const { email } of taken)
        attempts.push(
          await use.updateProfile({ svcId: withoutEmail }, { email }).then(
            ({ adjuster }) => adjuster.email,
            (error: unknown) => error instanceof TooManyAttempts,
          ),
        );
      expect(attempts).toEqual([...Array(30).fill(null), true]);
    });

    test('receives at most five codes, in whatever case it is entered', async () => {
      const { newAdjuster, use } = fixture();
      const { svcId } = await newAdjuster();
      const email = `${svcId}@flooded.example`;
      const request = (n: number) =>
        use.updateProfile({ svcId }, { email: n % 2 === 0 ? email : email.toUpperCase() });
      for (let n = 0; n < 5; n += 1) await request(n);
      await expect(request(5)).rejects.toThrow(TooManyAttempts);
    });
  });

  describe('sessions', () => {
    test('have the method by which they were opened, and that of a passkey once one is added', async () => {
      const { newFirm, newAdjuster, use, stores, external } = fixture();
      const { svcId, email } = await newAdjuster();
      const sessionOf = async (token: string) => {
        const session = await use.sessionAuthenticator.authenticate(token);
        if (session === null) throw new Error('expected a session');
        return session;
      };
      const methodOf = async ({ token }: { token: string }) =>
        (await stores.credentials.sessionByHash((await sessionOf(token)).tokenHash))?.method;
      await use.requestSignInCode(email ?? '', clientAddress());
      const code = external.mails.at(-1)?.code ?? '';
      const byCode = await use.signIn({ email: email ?? '', code }, clientAddress());
      const methods = [await methodOf(byCode), await methodOf(await use.openSession(svcId))];
      const options = await use.startPasskeyRegistration({ svcId }, await sessionOf(byCode.token));
      const response = attestationFor(options, `credential of ${svcId}`);
      await use.registerPasskey({ svcId }, await sessionOf(byCode.token), { name: 'Phone', response });
      methods.push(await methodOf(byCode));
      const passkey = assertionFor(await use.startPasskeySignIn('client'), `credential of ${svcId}`, 1);
      methods.push(await methodOf(await use.signIn({ passkey, clientSecret: 'client' }, clientAddress())));
      const firm = await newFirm();
      const { manual: signInSecret } = firm.signInSecrets;
      methods.push(
        await methodOf(await use.signIn({ svcId: firm.accounts.manual, signInSecret }, clientAddress())),
      );
      expect(methods).toEqual(['code', 'operator', 'passkey', 'passkey', 'secret']);
    });

    test('a late use never shortens a session and never restores an ended one', async () => {
      const { newAdjuster, newSession, use, clock, stores } = fixture();
      const { svcId } = await newAdjuster();
      const { tokenHash } = await newSession(svcId);
      const { tokenHash: otherHash } = await newSession(svcId);
      const expiry = async () => (await stores.credentials.sessionByHash(tokenHash))?.expiresAt;
      const before = await expiry();
      const recordUseAt = (at: number) => {
        const sessions = new Map([otherHash, tokenHash].map((hash, n) => [hash, at + n] as const));
        return stores.credentials.recordUse({ keys: new Map(), sessions });
      };
      await recordUseAt(clock.now() - DAY);
      expect(await expiry()).toBe(before);
      const lastUsedAt = clock.now() + DAY + 1;
      await recordUseAt(lastUsedAt - 1);
      const listed = await stores.accountReads.sessions({ svcId }, clock.now());
      const kept = {
        ...{ id: listed[0]?.id, account: { svcId }, method: 'operator', lastUsedAt },
        ...{ expiresAt: (before ?? 0) + DAY + 1, endsAt: clock.now() + 180 * DAY },
      };
      expect(await stores.credentials.sessionByHash(tokenHash)).toEqual(kept);
      expect(listed).toEqual([
        { ...kept, tokenHash, deviceName: 'Opened by the operator', createdAt: clock.now() },
        expect.objectContaining({ tokenHash: otherHash, lastUsedAt: lastUsedAt - 1 }),
      ]);
      await use.signOut({ svcId }, tokenHash);
      await recordUseAt(clock.now() + DAY);
      expect(await expiry()).toBeUndefined();
    });
  });

  describe('sign-in codes', () => {
    test('of ten concurrent guesses five are checked, then the correct code fails', async () => {
      const { newAdjuster, use, external } = fixture();
      const email = (await newAdjuster()).email ?? '';
      const address = clientAddress();
      await use.requestSignInCode(email, address);
      const correctCode = external.mails.at(-1)?.code ?? '';
      const guesses = await Promise.allSettled(
        Array.from({ length: 10 }, () => use.signIn({ email, code: wrongCodeFor(correctCode) }, address)),
      );
      for (const guess of guesses) expect(guess).toMatchObject({ status: 'rejected' });
      expect(await errorCodeOf(use.signIn({ email, code: correctCode }, address))).toBe('sign_in_refused');
    });

    test('a code is mailed again while it is valid, and opens one session, also with ten concurrent uses', async () => {
      const { newAdjuster, use, external, clock } = fixture();
      const email = (await newAdjuster()).email ?? '';
      const address = clientAddress();
      const codes: string[] = [];
      for (const passedMs of [0, SIGN_IN_CODE_LIFETIME_MS, SIGN_IN_CODE_LIFETIME_MS - 1]) {
        clock.advance(passedMs);
        await use.requestSignInCode(email, address);
        codes.push(external.mails.at(-1)?.code ?? '');
      }
      const [expired, valid, correctCode = ''] = codes;
      expect([expired === valid, valid]).toEqual([false, correctCode]);
      clock.advance(SIGN_IN_CODE_LIFETIME_MS - 1);
      const opened = await Promise.allSettled(
        Array.from({ length: 10 }, () => use.signIn({ email, code: correctCode }, address)),
      );
      expect(opened.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });

    test('are emailed to the address on file, never to a similar one', async () => {
      const { newAdjuster, use, external, clock } = fixture();
      const tag = clock.now();
      const email = `Kim.Strasse.${tag}@Example.net`;
      await newAdjuster({ email });
      const mailedTo = async (typed: string) => {
        const before = external.mails.length;
        await use.requestSignInCode(typed, clientAddress());
        return external.mails.slice(before).map((mail) => mail.email);
      };
      expect(await mailedTo(email.toUpperCase())).toEqual([email]);
      for (const [letter, other] of [
        ['K', '\u212A'],
        ['i', '\u0131'],
        ['i', '\u0130'],
        ['ss', '\u00DF'],
      ] as const)
        expect(await mailedTo(email.replace(letter, other))).toEqual([]);
      // Different addresses, which other accounts may have.
      const kelvin = email.replace('K', '\u212A');
      await newAdjuster({ email: kelvin });
      expect(await mailedTo(kelvin)).toEqual([kelvin]);
      expect(await mailedTo(email.toLowerCase())).toEqual([email]);
    });

    test('strangers together get ten guesses at one account, then growing pauses', async () => {
      const { newAdjuster, use, external, clock } = fixture();
      const email = (await newAdjuster()).email ?? '';
      await use.requestSignInCode(email, clientAddress());
      const correctCode = external.mails.at(-1)?.code ?? '';
      for (const target of [email, `nobody-${clock.now()}@example.net`]) {
        const outcomes = await Promise.all(
          Array.from({ length: 30 }, () =>
            signInOutcome(use.signIn({ email: target, code: wrongCodeFor(correctCode) }, clientAddress())),
          ),
        );
        expect(outcomes.filter((outcome) => outcome === 'rejected')).toHaveLength(10);
        expect(outcomes.filter((outcome) => outcome === MINUTE)).toHaveLength(20);
      }
    });

    test('limits do not reveal whether an account exists', async () => {
      const { newAdjuster, use, external, clock } = fixture();
      const known = (await newAdjuster()).email ?? '';
      const unknown = `never-${clock.now()}@example.net`;
      const failedAttempts = async (email: string) => {
        const [caller, other] = [clientAddress(), clientAddress()];
        const outcomes: unknown[] = [];
        for (let n = 0; n < 7; n++) await use.requestSignInCode(email, caller);
        const code = wrongCodeFor(external.mails.at(-1)?.code ?? '');
        for (const address of [caller, other])
          for (let n = 0; n < 25; n++)
            outcomes.push(await signInOutcome(use.signIn({ email, code }, address)));
        return outcomes;
      };
      expect(await failedAttempts(unknown)).toEqual(await failedAttempts(known));
    });

    test('one recipient gets at most ten emails at once, then one every 15 minutes, from any clients', async () => {
      const { newAdjuster, use, external, clock } = fixture();
      const email = (await newAdjuster()).email ?? '';
      const emailed = async (times: number) => {
        const before = external.mails.length;
        await Promise.all(Array.from({ length: times }, () => use.requestSignInCode(email, clientAddress())));
        return external.mails.length - before;
      };
      expect(await emailed(25)).toBe(10);
      for (const pause of [1, 2, 4, 8, 15, 15]) {
        clock.advance(pause * MINUTE - 1);
        expect(await emailed(3)).toBe(0);
        clock.advance(1);
        expect(await emailed(3)).toBe(1);
      }
    });
  });

  describe('devices', () => {
    const at = (endpoint: string) => ({
      endpoint: `https://push.example/${endpoint}`,
      keys: { p256dh: 'p', auth: 'a' },
    });
    const devicesOf = async (svcId: Svcid) => {
      const { stores, clock } = fixture();
      const found = await stores.jobReads.devices(svcId, clock.now());
      return found.map(({ deviceId, subscription }) => [deviceId, subscription.endpoint.split('/').at(-1)]);
    };
    /** A signed-in adjuster with a device. */
    const signedIn = async (svcId: Svcid, deviceId: string, endpoint: string) => {
      const { newSession, use } = fixture();
      const { token, tokenHash } = await newSession(svcId);
      await use.putDevice({ svcId }, tokenHash, deviceId, at(endpoint));
      return { token, tokenHash };
    };
    const idOf = async (token: string): Promise<string> =>
      (await fixture().use.sessionAuthenticator.authenticate(token))?.sessionId ?? '';

    test('an account has at most ten devices; a further one replaces the one whose last registration is the first', async () => {
      const { newAdjuster, newSession, use, clock } = fixture();
      const { svcId } = await newAdjuster();
      const { tokenHash } = await newSession(svcId);
      for (const n of [...Array(12).keys(), 2, 12]) {
        clock.advance(1);
        await use.putDevice({ svcId }, tokenHash, `device-${10 + n}`, at(`ten-${n}`));
      }
      const kept = (await devicesOf(svcId)).map(([deviceId]) => deviceId);
      expect(kept).toEqual([2, 4, 5, 6, 7, 8, 9, 10, 11, 12].map((n) => `device-${10 + n}`));
    });

    test('a device has one subscription, the latest, until it is removed', async () => {
      const { newAdjuster, newSession, use } = fixture();
      const [{ svcId }, { svcId: other }] = [await newAdjuster(), await newAdjuster()];
      const { tokenHash } = await newSession(svcId);
      await use.putDevice({ svcId }, tokenHash, 'tablet', at('two'));
      await use.putDevice({ svcId }, tokenHash, 'phone', at('one'));
      await use.putDevice({ svcId }, tokenHash, 'phone', at('three'));
      await signedIn(other, 'phone', 'four');
      expect(await devicesOf(svcId)).toEqual([
        ['phone', 'three'],
        ['tablet', 'two'],
      ]);
      await use.removeDevice({ svcId }, 'phone');
      await use.removeDevice({ svcId }, 'phone');
      expect(await devicesOf(svcId)).toEqual([['tablet', 'two']]);
      expect(await devicesOf(other)).toEqual([['phone', 'four']]);
    });

    test('a push endpoint belongs to the device that registered it last, of any account', async () => {
      const { newAdjuster, use } = fixture();
      const [{ svcId }, { svcId: other }] = [await newAdjuster(), await newAdjuster()];
      const { tokenHash } = await signedIn(svcId, 'before', 'shared');
      await use.putDevice({ svcId }, tokenHash, 'phone', at('own'));
      await use.putDevice({ svcId }, tokenHash, 'tablet', at('shared'));
      expect(await devicesOf(svcId)).toEqual([
        ['phone', 'own'],
        ['tablet', 'shared'],
      ]);
      await signedIn(other, 'tablet', 'shared');
      expect(await devicesOf(svcId)).toEqual([['phone', 'own']]);
      expect(await devicesOf(other)).toEqual([['tablet', 'shared']]);
    });

    test('a push endpoint that several accounts register at once belongs to one of them', async () => {
      const { newAdjuster } = fixture();
      const accounts = await Promise.all(Array.from({ length: 5 }, () => newAdjuster()));
      await Promise.all(accounts.map(({ svcId }) => signedIn(svcId, 'tablet', 'race')));
      const found = await Promise.all(accounts.map(({ svcId }) => devicesOf(svcId)));
      expect(found.flat()).toEqual([['tablet', 'race']]);
    });

    test('a device ends with the session that registered it last, however that session ends', async () => {
      const { newAdjuster, newSession, use, clock, stores } = fixture();
      const { svcId } = await newAdjuster();
      const endSessionBy: Readonly<
        Record<string, (session: { token: string; tokenHash: string }) => unknown>
      > = {
        'signed out': ({ tokenHash }) => use.signOut({ svcId }, tokenHash),
        'ended elsewhere': async ({ token }) => use.endSession({ svcId }, await idOf(token)),
        'signed out everywhere': () => use.signOutEverywhere({ svcId }),
        'ended by the operator': () => use.endSessions(svcId),
        'replaced by ten later ones': async () => {
          for (let n = 0; n < 10; n += 1) {
            clock.advance(1);
            await newSession(svcId);
          }
        },
        expired: () => clock.advance(90 * 24 * HOUR),
      };
      const devicesBeforeAndAfter: Record<string, unknown> = {};
      for (const [how, end] of Object.entries(endSessionBy)) {
        const session = await signedIn(svcId, 'phone', how);
        const before = await devicesOf(svcId);
        await end(session);
        const kept = await stores.unitOfWork.run((tx) => tx.devices.lock(svcId, 'phone'));
        const isRemoved = kept === null || how === 'expired';
        devicesBeforeAndAfter[how] = [before.length, await devicesOf(svcId), isRemoved];
      }
      expect(devicesBeforeAndAfter).toEqual(
        Object.fromEntries(Object.keys(endSessionBy).map((how) => [how, [1, [], true]])),
      );
    });

    test('a device that signs in again stays when its earlier session ends, and others stay too', async () => {
      const { newAdjuster, newSession, use } = fixture();
      const { svcId } = await newAdjuster();
      const first = await signedIn(svcId, 'phone', 'again');
      await signedIn(svcId, 'tablet', 'kept');
      const second = await newSession(svcId);
      await use.putDevice({ svcId }, second.tokenHash, 'phone', at('again'));
      await use.signOut({ svcId }, first.tokenHash);
      expect(await devicesOf(svcId)).toEqual([
        ['phone', 'again'],
        ['tablet', 'kept'],
      ]);
      await use.endSession({ svcId }, await idOf(second.token));
      expect(await devicesOf(svcId)).toEqual([['tablet', 'kept']]);
    });

    test('a device keeps its preferences when it is registered again', async () => {
      const { newAdjuster, newSession, use, stores, clock } = fixture();
      const [{ svcId }, { svcId: other }] = [await newAdjuster(), await newAdjuster()];
      await signedIn(svcId, 'phone', 'quiet');
      await signedIn(svcId, 'tablet', 'loud');
      await signedIn(other, 'phone', 'other');
      const preferences = { timeZone: 'UTC', quietHours: null, deadlineReminders: false };
      await use.setDevicePreferences({ svcId }, 'phone', preferences);
      const state = { preferences, reminderAt: clock.now() + DAY };
      await stores.unitOfWork.run((tx) => tx.devices.saveState(svcId, 'phone', state));
      const { tokenHash } = await newSession(svcId);
      await use.putDevice({ svcId }, tokenHash, 'phone', at('quiet'));
      expect(await stores.unitOfWork.run((tx) => tx.devices.lock(svcId, 'phone'))).toEqual(state);
      const held = [svcId, other].map((account) => stores.jobReads.devices(account, clock.now()));
      const wished = (await Promise.all(held)).flat().map((device) => device.preferences);
      expect(wished).toEqual([preferences, null, null]);
    });
  });
}
