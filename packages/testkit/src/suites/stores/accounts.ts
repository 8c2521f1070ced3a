import { describe, expect, test } from '@jest/globals';
import { DAY, HOUR, type Svcid } from '@svc/domain';
import type { Bench } from '../../bench.ts';
import { refusalOf } from '../../faults.ts';

export function accountsBehaviour(bench: () => Bench): void {
  describe('accounts', () => {
    test('an account is read back as it was made, also with gaps', async () => {
      const { newAdjuster, stores } = bench();
      const whole = await newAdjuster({ firstName: 'Zoë', lastName: "O'Brien-Ñáñez" });
      const bare = await newAdjuster({ firstName: null, lastName: null, email: null });
      const alsoBare = await newAdjuster({ firstName: null, lastName: null, email: null });
      for (const account of [whole, bare, alsoBare]) {
        expect(await stores.appReads.adjuster(account.svcId)).toEqual(account);
      }
    });

    test('an SVCID is taken once, letter for letter', async () => {
      const { newAdjuster } = bench();
      const { svcId } = await newAdjuster();
      await expect(newAdjuster({ svcId })).rejects.toThrow(svcId);
      await newAdjuster({ svcId: svcId.toLowerCase() as Svcid });
    });

    test('an e-mail address belongs to one account, whatever its capitals', async () => {
      const { newAdjuster, use } = bench();
      const first = await newAdjuster();
      const email = first.email?.toUpperCase() ?? '';
      expect(await refusalOf(newAdjuster({ email }))).toBe('email_taken');
      const { svcId } = await newAdjuster();
      expect(await refusalOf(use.updateProfile({ svcId }, { email }))).toBe('email_taken');
      // One's own address in other capitals is no other's.
      expect((await use.updateProfile({ svcId: first.svcId }, { email })).adjuster.email).toBe(email);
      await use.updateProfile({ svcId: first.svcId }, { email: `${first.svcId}@moved.example` });
      expect((await use.updateProfile({ svcId }, { email })).adjuster.email).toBe(email);
    });

    test('an account is found by its address in any capitals, a test account never', async () => {
      const { newFirm, newAdjuster, stores } = bench();
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
      const { newFirm, newAdjuster, use } = bench();
      const firm = await newFirm();
      const { svcId } = await newAdjuster();
      const signInSecret = firm.signInSecrets.manual;
      const opened = await use.signIn({ svcId: firm.accounts.manual, signInSecret });
      expect(opened.adjuster.svcId).toBe(firm.accounts.manual);
      for (const [account, secret] of [
        [svcId, signInSecret],
        [firm.accounts.accepts, signInSecret],
        [firm.accounts.manual, `${signInSecret}0`],
        [firm.accounts.manual, ''],
      ] as const) {
        expect(await refusalOf(use.signIn({ svcId: account, signInSecret: secret }))).toBe('sign_in_refused');
      }
    });

    test('a profile keeps what a change leaves out, and what it is not about', async () => {
      const { newFirm, use, stores } = bench();
      const firm = await newFirm();
      const svcId = firm.accounts.manual;
      const before = await stores.appReads.adjuster(svcId);
      await use.updateProfile({ svcId }, { lastName: 'Reyes' });
      expect(await stores.appReads.adjuster(svcId)).toEqual({ ...before, lastName: 'Reyes' });
      const signInSecret = firm.signInSecrets.manual;
      expect((await use.signIn({ svcId, signInSecret })).adjuster.lastName).toBe('Reyes');
    });
  });

  describe('sessions', () => {
    test('a session opens with its token, and ends when signed out, without ending others', async () => {
      const { newAdjuster, use } = bench();
      const { svcId } = await newAdjuster();
      const [one, two] = [await use.openSession(svcId), await use.openSession(svcId)];
      const signedIn = await use.sessionGate.authenticate(one.token);
      expect(signedIn?.svcId).toBe(svcId);
      await use.signOut(signedIn?.tokenHash ?? '');
      expect(await use.sessionGate.authenticate(one.token)).toBeNull();
      expect(await use.sessionGate.authenticate(two.token)).not.toBeNull();
      expect(await use.sessionGate.authenticate(`${two.token}x`)).toBeNull();
    });

    test('signing out everywhere ends every session and every device of this adjuster and no other', async () => {
      const { newAdjuster, use, stores } = bench();
      const [{ svcId }, { svcId: other }] = [await newAdjuster(), await newAdjuster()];
      const opened = [await use.openSession(svcId), await use.openSession(svcId)];
      const kept = await use.openSession(other);
      const subscription = { endpoint: 'https://push.example/1', keys: { p256dh: 'p', auth: 'a' } };
      for (const one of [svcId, other]) await use.putDevice({ svcId: one }, 'phone', subscription);
      await use.signOutEverywhere(svcId);
      for (const { token } of opened) expect(await use.sessionGate.authenticate(token)).toBeNull();
      expect((await use.sessionGate.authenticate(kept.token))?.svcId).toBe(other);
      expect(await stores.jobReads.devices(svcId)).toEqual([]);
      expect(await stores.jobReads.devices(other)).toHaveLength(1);
    });

    test('a session ends 90 days after its last use, to the millisecond', async () => {
      const { newAdjuster, use, clock, stores } = bench();
      const { svcId } = await newAdjuster();
      const { token } = await use.openSession(svcId);
      const noteUse = () =>
        stores.credentials.noteUse({ keys: new Map(), sessions: use.sessionGate.takeUses() });
      clock.advance(90 * DAY - 1);
      expect(await use.sessionGate.authenticate(token)).not.toBeNull();
      await noteUse();
      clock.advance(90 * DAY - 1);
      expect(await use.sessionGate.authenticate(token)).not.toBeNull();
      use.sessionGate.takeUses();
      clock.advance(1);
      expect(await use.sessionGate.authenticate(token)).toBeNull();
    });

    test('noting a use late never shortens a session, and never brings back one that was ended', async () => {
      const { newAdjuster, use, clock, stores } = bench();
      const { svcId } = await newAdjuster();
      const { token } = await use.openSession(svcId);
      const tokenHash = (await use.sessionGate.authenticate(token))?.tokenHash ?? '';
      const end = async () => (await stores.credentials.sessionByHash(tokenHash))?.expiresAt;
      const before = await end();
      const note = (at: number) =>
        stores.credentials.noteUse({ keys: new Map(), sessions: new Map([[tokenHash, at]]) });
      await note(clock.now() - DAY);
      expect(await end()).toBe(before);
      await note(clock.now() + DAY);
      expect(await end()).toBe((before ?? 0) + DAY);
      await use.signOut(tokenHash);
      await note(clock.now() + DAY);
      expect(await end()).toBeUndefined();
    });
  });

  describe('sign-in codes', () => {
    const code = { codeHash: 'a'.repeat(64), triesLeft: 5 };

    test('an address has one code: a new one replaces it, and it can be taken away', async () => {
      const { stores, clock } = bench();
      const emailKey = `one-${clock.now()}@example.net`;
      const expiresAt = clock.now() + HOUR;
      const held = () => stores.unitOfWork.run((tx) => tx.signInCodes.lock(emailKey));
      await stores.unitOfWork.run((tx) => tx.signInCodes.put({ ...code, emailKey, expiresAt }));
      expect(await held()).toEqual({ ...code, emailKey, expiresAt });
      const next = { codeHash: 'b'.repeat(64), triesLeft: 1, emailKey, expiresAt: expiresAt + 1 };
      await stores.unitOfWork.run((tx) => tx.signInCodes.put(next));
      expect(await held()).toEqual(next);
      await stores.unitOfWork.run((tx) => tx.signInCodes.remove(emailKey));
      expect(await held()).toBeNull();
    });

    test('of ten guesses at once five count, and then the right code is too late', async () => {
      const { newAdjuster, use, outside } = bench();
      const email = (await newAdjuster()).email ?? '';
      await use.requestSignInCode(email);
      const right = outside.mails.at(-1)?.code ?? '';
      const wrong = right === '000000' ? '000001' : '000000';
      const guesses = await Promise.allSettled(
        Array.from({ length: 10 }, () => use.signIn({ email, code: wrong })),
      );
      for (const guess of guesses) expect(guess).toMatchObject({ status: 'rejected' });
      expect(await refusalOf(use.signIn({ email, code: right }))).toBe('sign_in_refused');
    });

    test('a code opens one session, also when used by ten at once', async () => {
      const { newAdjuster, use, outside } = bench();
      const email = (await newAdjuster()).email ?? '';
      await use.requestSignInCode(email);
      const right = outside.mails.at(-1)?.code ?? '';
      const opened = await Promise.allSettled(
        Array.from({ length: 10 }, () => use.signIn({ email, code: right })),
      );
      expect(opened.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });
  });

  describe('devices', () => {
    const at = (n: number) => ({
      endpoint: `https://push.example/${n}`,
      keys: { p256dh: `p${n}`, auth: `a${n}` },
    });

    test('a device is told once, under its last address, until it is taken away', async () => {
      const { newAdjuster, use, stores } = bench();
      const [{ svcId }, { svcId: other }] = [await newAdjuster(), await newAdjuster()];
      await use.putDevice({ svcId }, 'phone', at(1));
      await use.putDevice({ svcId }, 'tablet', at(2));
      await use.putDevice({ svcId }, 'phone', at(3));
      await use.putDevice({ svcId: other }, 'phone', at(4));
      const devices = async (of: Svcid) =>
        [...(await stores.jobReads.devices(of))].sort((a, b) => (a.deviceId < b.deviceId ? -1 : 1));
      expect(await devices(svcId)).toEqual([
        { deviceId: 'phone', subscription: at(3) },
        { deviceId: 'tablet', subscription: at(2) },
      ]);
      await use.removeDevice({ svcId }, 'phone');
      await use.removeDevice({ svcId }, 'phone');
      expect(await devices(svcId)).toEqual([{ deviceId: 'tablet', subscription: at(2) }]);
      expect(await devices(other)).toEqual([{ deviceId: 'phone', subscription: at(4) }]);
    });
  });
}
