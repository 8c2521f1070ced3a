import { describe, expect, test } from '@jest/globals';
import { DAY, PLAN_RETENTION, type Svcid } from '@svc/domain';
import { errorCodeOf } from '../../error-code.ts';
import type { Fixture } from '../../fixture.ts';

const PAGE = { after: null, limit: 50 } as const;

export function offBoardingBehavior(fixture: () => Fixture): void {
  /** A member of a firm with an accepted claim and a pending offer. */
  const setUp = async () => {
    const { newTeam, sendId, use } = fixture();
    const { firm, svcId } = await newTeam();
    const accepted = await sendId(firm.live, svcId);
    await use.acceptClaim({ svcId }, accepted);
    return { firm, svcId, accepted, pending: await sendId(firm.live, svcId) };
  };
  const statusOf = async ({ firm, pending }: Awaited<ReturnType<typeof setUp>>) =>
    (await fixture().stores.firmReads.claim(firm.id, 'live', pending))?.assignment.status;

  describe('off-boarding', () => {
    test('a former member reads accepted claims for the time that the plan allows, also after an invitation', async () => {
      const { use, stores, clock, invite } = fixture();
      const { firm, svcId, accepted } = await setUp();
      await use.leaveFirm({ svcId }, firm.id);
      const { readableAfterLeavingMs } = PLAN_RETENTION.standard;
      clock.advance(readableAfterLeavingMs - 8 * DAY);
      await invite(firm, svcId);
      clock.advance(8 * DAY - 1);
      const isListed = async () =>
        (await stores.appReads.claims(svcId, 'accepted', PAGE)).rows.some(({ id }) => id === accepted);
      expect(await stores.appReads.claim(svcId, accepted)).not.toBeNull();
      expect(await isListed()).toBe(true);
      clock.advance(1);
      expect(await stores.appReads.claim(svcId, accepted)).toBeNull();
      expect(await isListed()).toBe(false);
      expect(await errorCodeOf(use.recordWork({ svcId }, accepted, { notes: 'Late' }))).toBe('not_found');
      expect(await errorCodeOf(use.closeAcceptedClaim({ svcId }, accepted))).toBe('not_found');
      await use.addMember(firm.id, svcId);
      expect(await stores.appReads.claim(svcId, accepted)).not.toBeNull();
    });

    test('the operator removes a member as if they had left', async () => {
      const { use, stores, sendId, clock } = fixture();
      const begun = await setUp();
      const { firm, svcId, accepted } = begun;
      const closed = await sendId(firm.live, svcId);
      await use.closeClaimAsOperator(closed);
      await use.setPlan(firm.id, 'read_only');
      const left = { status: 'left', readableUntil: clock.now() + 30 * DAY };
      expect(await use.removeMember(firm.id, svcId)).toMatchObject(left);
      expect(await statusOf(begun)).toBe('unassigned');
      expect(await statusOf({ ...begun, pending: accepted })).toBe('accepted');
      expect(await statusOf({ ...begun, pending: closed })).toBe('pending_acceptance');
      expect(await stores.firmReads.adjuster(firm.id, svcId)).toBeNull();
      expect(await stores.appReads.claim(svcId, accepted)).not.toBeNull();
      await expect(use.removeMember(firm.id, svcId)).rejects.toThrow('not an active member');
    });

    test('a disabled account has no sessions, devices and offers, and cannot sign in until it is enabled', async () => {
      const { use, stores, send, sendId, external, newDevice, newFirm, clock, receiptOf } = fixture();
      const begun = await setUp();
      const { firm, svcId } = begun;
      const elsewhere = await newFirm();
      await use.addMember(elsewhere.id, svcId);
      const other = { ...begun, firm: elsewhere, pending: await sendId(elsewhere.live, svcId) };
      const { token } = await use.openSession(svcId);
      await newDevice(svcId, 'phone');
      const { email } = (await stores.appReads.adjuster(svcId)) ?? {};
      const signIn = async () => {
        await use.requestSignInCode(email ?? '', '203.0.113.77');
        const { code = '' } = external.mails.at(-1) ?? {};
        return use.signIn({ email: email ?? '', code }, '203.0.113.77');
      };

      expect((await use.disableAdjuster(svcId)).disabledAt).toBeDefined();
      expect(await use.sessionAuthenticator.authenticate(token)).toBeNull();
      expect(await stores.jobReads.devices(svcId, clock.now())).toEqual([]);
      expect([await statusOf(begun), await statusOf(other)]).toEqual(['unassigned', 'unassigned']);
      for (const { firm: of, pending } of [begun, other]) {
        const { seq, hash } = (await receiptOf(of.live, pending)).audit;
        const [row] = await stores.auditReads.rows(of.id, { after: seq - 1, limit: 1 });
        expect(row).toMatchObject({ hash, text: expect.stringContaining('"adjuster.disable"') });
      }
      const mails = external.mails.length;
      expect(await errorCodeOf(signIn())).toBe('sign_in_refused');
      expect(external.mails).toHaveLength(mails);
      await expect(use.openSession(svcId)).rejects.toThrow('disabled');
      expect(await errorCodeOf(send(firm.live, svcId))).toBe('adjuster_not_accepting');

      await use.enableAdjuster(svcId);
      expect(await stores.appReads.adjuster(svcId)).not.toHaveProperty('disabledAt');
      expect((await signIn()).account.svcId).toBe(svcId);
      expect((await send(firm.live, svcId)).claim.assignment.status).toBe('pending_acceptance');
    });

    test('disabling again records what it ended, and nothing where nothing was left to end', async () => {
      const { use, stores, clock, auditOf } = fixture();
      const begun = await setUp();
      const { firm, svcId } = begun;
      const recorded = async () =>
        (await auditOf(firm.id)).filter(({ action }) => action === 'adjuster.disable').length;
      // As an offer that was made while the account was being disabled leaves it.
      const disabledAt = clock.now();
      await stores.unitOfWork.run((tx) => tx.adjusters.setDisabled(svcId, disabledAt));
      clock.advance(1);
      expect((await use.disableAdjuster(svcId)).disabledAt).toBe(disabledAt);
      expect(await stores.appReads.adjuster(svcId)).toMatchObject({ disabledAt });
      expect(await statusOf(begun)).toBe('unassigned');
      expect(await recorded()).toBe(1);
      await use.disableAdjuster(svcId);
      expect(await recorded()).toBe(1);
      await use.enableAdjuster(svcId);
      await use.openSession(svcId);
      await stores.unitOfWork.run((tx) => tx.adjusters.setDisabled(svcId, disabledAt));
      await use.disableAdjuster(svcId);
      expect([await recorded(), await use.endSessions(svcId)]).toEqual([2, 0]);
    });

    test('disabling while claims and sign-ins arrive leaves neither a pending offer nor a session', async () => {
      const { use, stores, send, clock } = fixture();
      const { firm, svcId } = await setUp();
      await Promise.all([
        ...Array.from({ length: 5 }, () => send(firm.live, svcId).catch(() => {})),
        ...Array.from({ length: 5 }, () => use.openSession(svcId).catch(() => {})),
        use.disableAdjuster(svcId),
        ...Array.from({ length: 5 }, () => send(firm.live, svcId).catch(() => {})),
        ...Array.from({ length: 5 }, () => use.openSession(svcId).catch(() => {})),
      ]);
      const { rows } = await stores.firmReads.claims(firm.id, 'live', {}, PAGE);
      expect(rows.filter(({ assignment }) => assignment.status === 'pending_acceptance')).toEqual([]);
      expect(await stores.accountReads.sessions({ svcId }, clock.now())).toEqual([]);
    });

    test('ending all sessions ends those of this account only, and is counted', async () => {
      const { use, newAdjuster } = fixture();
      const [{ svcId }, { svcId: other }] = [await newAdjuster(), await newAdjuster()];
      const { token } = await use.openSession(svcId);
      await use.openSession(svcId);
      const kept = await use.openSession(other);
      expect(await use.endSessions(svcId)).toBe(2);
      expect(await use.endSessions(svcId)).toBe(0);
      expect(await use.sessionAuthenticator.authenticate(token)).toBeNull();
      expect(await use.sessionAuthenticator.authenticate(kept.token)).not.toBeNull();
      await expect(use.endSessions('nobody' as Svcid)).rejects.toThrow('nobody');
    });
  });

  describe('sessions of an account', () => {
    test('are listed with device and last use, latest use first, and ended one by one', async () => {
      const { use, stores, clock, newFirm } = fixture();
      const firm = await newFirm();
      const svcId = firm.accounts.manual;
      const { token: first } = await use.openSession(svcId);
      clock.advance(1000);
      const second = await use.signIn({ svcId, signInSecret: firm.signInSecrets.manual });
      const list = () => stores.accountReads.sessions({ svcId }, clock.now());
      const openedAt = (at: number) => ({
        ...{ account: { svcId }, createdAt: at, lastUsedAt: at },
        ...{ expiresAt: at + 90 * DAY, endsAt: at + 180 * DAY },
      });
      expect(await list()).toMatchObject([
        { ...openedAt(clock.now()), method: 'secret', deviceName: 'Test device' },
        { ...openedAt(clock.now() - 1000), method: 'operator', deviceName: 'Opened by the operator' },
      ]);
      clock.advance(1000);
      const signedIn = await use.sessionAuthenticator.authenticate(first);
      await stores.credentials.recordUse({
        keys: new Map(),
        sessions: use.sessionAuthenticator.takeUses(),
      });
      const [latest] = await list();
      expect(latest).toMatchObject({ id: signedIn?.sessionId, lastUsedAt: clock.now() });

      const { svcId: stranger } = await fixture().newAdjuster();
      expect(await errorCodeOf(use.endSession({ svcId: stranger }, latest?.id ?? ''))).toBe('not_found');
      await use.endSession({ svcId }, latest?.id ?? '');
      expect(await use.sessionAuthenticator.authenticate(first)).toBeNull();
      expect(await use.sessionAuthenticator.authenticate(second.token)).not.toBeNull();
      expect(await errorCodeOf(use.endSession({ svcId }, latest?.id ?? ''))).toBe('not_found');
    });

    test('end 180 days after they were opened, however often they are used', async () => {
      const { use, stores, clock, newAdjuster } = fixture();
      const { svcId } = await newAdjuster();
      const { token } = await use.openSession(svcId);
      const isOpen = async () => (await use.sessionAuthenticator.authenticate(token)) !== null;
      // The first use is not stored when the second one needs it.
      for (const days of [80, 80]) {
        clock.advance(days * DAY);
        expect(await isOpen()).toBe(true);
      }
      const sessions = use.sessionAuthenticator.takeUses();
      await stores.credentials.recordUse({ keys: new Map(), sessions });
      clock.advance(20 * DAY - 1);
      expect(await isOpen()).toBe(true);
      clock.advance(1);
      expect(await isOpen()).toBe(false);
      expect(await stores.accountReads.sessions({ svcId }, clock.now())).toEqual([]);
    });

    test('are at most ten: a further one ends the one that was not used for the longest time', async () => {
      const { use, clock, newAdjuster } = fixture();
      const { svcId } = await newAdjuster();
      const tokens: string[] = [];
      for (let n = 0; n < 12; n += 1) {
        tokens.push((await use.openSession(svcId)).token);
        clock.advance(1000);
      }
      const open = await Promise.all(tokens.map((token) => use.sessionAuthenticator.authenticate(token)));
      expect(open.map((session) => session !== null)).toEqual([false, false, ...Array(10).fill(true)]);
    });

    test('are checked for many open streams in one query, and listed until they expire', async () => {
      const { use, stores, clock, newAdjuster } = fixture();
      const { svcId } = await newAdjuster();
      const [one, two] = [await use.openSession(svcId), await use.openSession(svcId)];
      const hashOf = async (token: string) =>
        (await use.sessionAuthenticator.authenticate(token))?.tokenHash ?? '';
      const hashes = [await hashOf(one.token), await hashOf(two.token)];
      await use.signOut({ svcId }, hashes[0] ?? '');
      expect(await stores.credentials.openSessions([...hashes, 'unknown'], clock.now())).toEqual(
        new Map([[hashes[1], null]]),
      );
      expect(await stores.credentials.openSessions(hashes, clock.now() + 90 * DAY)).toEqual(new Map());
      const listed = async (at: number) => (await stores.accountReads.sessions({ svcId }, at)).length;
      expect([await listed(clock.now() + 90 * DAY - 1), await listed(clock.now() + 90 * DAY)]).toEqual([
        1, 0,
      ]);
    });
  });
}
