import { describe, expect, test } from '@jest/globals';
import { type ClaimId, DAY, NO_NOTES, SHARES_NOTHING, type Svcid, statusAt } from '@svc/domain';
import { errorCodeOf } from '../../error-code.ts';
import { everyPage, type Fixture, type TestFirm } from '../../fixture.ts';

export function membershipsBehavior(fixture: () => Fixture): void {
  const statusOf = async (firm: TestFirm, svcId: Svcid) => {
    const record = await fixture().stores.firmReads.adjuster(firm.id, svcId);
    return record === null ? null : statusAt(record.membership, fixture().clock.now());
  };
  const listed = (firm: TestFirm, environment: 'live' | 'test' = 'live') =>
    everyPage((page) => fixture().stores.firmReads.adjusters(firm.id, environment, page), 2);

  describe('memberships', () => {
    test('an accepted invitation becomes active and keeps its times and notes', async () => {
      const { newFirm, newAdjuster, invite, use, clock, stores } = fixture();
      const firm = await newFirm();
      const adjuster = await newAdjuster();
      const { svcId } = adjuster;
      const notes = { invitedAs: 'Renée', invitedBy: 'Kim', purpose: 'Helene', note: '“call” first' };
      const at = clock.advance(1);
      const invited = await invite(firm, svcId, notes);
      const record = await stores.firmReads.adjuster(firm.id, svcId);
      expect(record).toEqual(invited);
      expect(record).toEqual({
        adjuster,
        membership: {
          firmId: firm.id,
          svcId,
          status: 'pending',
          firstKnownAt: at,
          invitedAt: at,
          expiresAt: at + 7 * DAY,
          respondedAt: null,
          seenAt: null,
          remindedAt: null,
          notes,
          canAcceptClaims: true,
          acceptingAssignments: true,
          readableUntil: null,
          sharing: SHARES_NOTHING,
        },
      });
      clock.advance(5);
      expect(await errorCodeOf(use.setAcceptingAssignments({ svcId }, firm.id, false))).toBe('not_found');
      expect(await use.acceptInvitation({ svcId }, firm.id)).toEqual({
        firmId: firm.id,
        firmName: firm.name,
        canAcceptClaims: true,
        acceptingAssignments: true,
        sharing: SHARES_NOTHING,
      });
      expect((await stores.firmReads.adjuster(firm.id, svcId))?.membership).toMatchObject({
        status: 'active',
        invitedAt: at,
        expiresAt: null,
        respondedAt: at + 5,
        notes,
      });
    });

    test('an invitation can be accepted or declined for exactly seven days', async () => {
      const { newFirm, newAdjuster, invite, use, clock, stores } = fixture();
      const firm = await newFirm();
      const [{ svcId: inTime }, { svcId: tooLate }] = [await newAdjuster(), await newAdjuster()];
      await invite(firm, inTime);
      await invite(firm, tooLate);
      clock.advance(7 * DAY - 1);
      await use.acceptInvitation({ svcId: inTime }, firm.id);
      expect(await statusOf(firm, tooLate)).toBe('pending');
      clock.advance(1);
      expect(await statusOf(firm, tooLate)).toBe('expired');
      expect(await errorCodeOf(use.acceptInvitation({ svcId: tooLate }, firm.id))).toBe('not_found');
      expect(await errorCodeOf(use.withdrawInvitation(firm.live, tooLate))).toBe('not_found');
      const page = { after: null, limit: 10 };
      expect((await stores.appReads.invitations(tooLate, clock.now(), page)).rows).toEqual([]);
      expect((await stores.appReads.invitations(tooLate, clock.now() - 1, page)).rows).toHaveLength(1);
      const again = await invite(firm, tooLate, { invitedAs: 'A', invitedBy: 'B', purpose: 'C', note: 'D' });
      expect(await stores.firmReads.adjuster(firm.id, tooLate)).toEqual(again);
    });

    test('leaving removes the adjuster from the list, keeps accepted claims and unassigns pending offers, visible to the firm', async () => {
      const { newTeam, sendId, offer, use, clock, stores } = fixture();
      const { firm, svcId } = await newTeam();
      const [accepted, rejected, one, two] = [
        await sendId(firm.live, svcId),
        await sendId(firm.live, svcId),
        await sendId(firm.live, svcId),
        await sendId(firm.live, svcId),
      ];
      await use.acceptClaim({ svcId }, accepted);
      await use.rejectClaim({ svcId }, rejected, 'no');
      clock.advance(1);
      await offer(firm.live, one, svcId);
      const at = clock.advance(1_000);
      await use.leaveFirm({ svcId }, firm.id);

      expect(await stores.firmReads.adjuster(firm.id, svcId)).toBeNull();
      expect((await listed(firm)).map(({ membership }) => membership.svcId)).not.toContain(svcId);
      expect(await stores.appReads.memberships(svcId)).toEqual([]);

      const claim = async (id: typeof one) => {
        const view = await stores.firmReads.claim(firm.id, 'live', id);
        return { status: view?.assignment.status, adjuster: view?.assignment.adjuster, at: view?.updatedAt };
      };
      const unassigned = [await claim(one), await claim(two)];
      expect(unassigned.map(({ status }) => status)).toEqual(['unassigned', 'unassigned']);
      expect(unassigned.map(({ adjuster }) => adjuster)).toEqual([svcId, svcId]);
      // In the order of the offers.
      expect(unassigned.map((each) => each.at)).toEqual([at + 1, at]);
      expect(await claim(rejected)).toMatchObject({ status: 'rejected' });
      expect(await claim(accepted)).toMatchObject({ status: 'accepted' });
      expect((await use.readClaim({ svcId }, accepted)).assignment.status).toBe('accepted');
      expect(await errorCodeOf(use.readClaim({ svcId }, one))).toBe('not_found');
      expect(await errorCodeOf(use.leaveFirm({ svcId }, firm.id))).toBe('not_found');
    });

    test('removing the permission unassigns only pending offers, visible to the firm', async () => {
      const { newFirm, newMember, sendId, use, stores, clock } = fixture();
      const [firm, elsewhere] = [await newFirm(), await newFirm()];
      const [svcId, other] = [await newMember(firm), await newMember(firm)];
      await use.addMember(elsewhere.id, svcId);
      const actor = { svcId };
      const [first, second, taken, turned] = [
        await sendId(firm.live, svcId),
        await sendId(firm.live, svcId),
        await sendId(firm.live, svcId),
        await sendId(firm.live, svcId),
      ];
      await use.acceptClaim(actor, taken);
      await use.rejectClaim(actor, turned, null);
      const kept = [await sendId(firm.live, other), await sendId(elsewhere.live, svcId)];
      const seen = (id: ClaimId, at = firm) => stores.firmReads.claim(at.id, 'live', id);
      const untouched = () =>
        Promise.all([
          seen(taken),
          seen(turned),
          seen(kept[0] as ClaimId),
          seen(kept[1] as ClaimId, elsewhere),
        ]);
      const before = await untouched();
      const waiting = [await seen(first), await seen(second)];
      clock.advance(1);
      await use.setMember(firm.id, svcId, true);
      expect([await seen(first), await seen(second)]).toEqual(waiting);
      await use.setMember(firm.id, svcId, false);
      for (const [n, id] of [first, second].entries()) {
        const unassigned = await seen(id);
        expect(unassigned?.assignment).toEqual({ ...waiting[n]?.assignment, status: 'unassigned' });
        expect(unassigned?.updatedAt).toBeGreaterThan(waiting[n]?.updatedAt ?? 0);
        expect(await errorCodeOf(use.acceptClaim(actor, id))).toBe('offer_not_pending');
        expect(await errorCodeOf(use.readClaim(actor, id))).toBe('not_found');
      }
      expect(await untouched()).toEqual(before);
      await use.setMember(firm.id, svcId, true);
      expect((await seen(first))?.assignment.status).toBe('unassigned');
    });

    test('accepting a pending offer without the permission unassigns it', async () => {
      const { newOffer, use, stores, clock } = fixture();
      const { firm, svcId, id } = await newOffer();
      const before = await stores.firmReads.claim(firm.id, 'live', id);
      // A state that no use case leaves: permission removed, offer still pending.
      await stores.unitOfWork.run(async (tx) => {
        const membership = await tx.memberships.lock(firm.id, svcId);
        if (membership !== null) await tx.memberships.save({ ...membership, canAcceptClaims: false });
      });
      clock.advance(1);
      expect(await errorCodeOf(use.acceptClaim({ svcId }, id))).toBe('offer_not_pending');
      const after = await stores.firmReads.claim(firm.id, 'live', id);
      expect(after?.assignment).toEqual({ ...before?.assignment, status: 'unassigned' });
      expect(after?.updatedAt).toBeGreaterThan(before?.updatedAt ?? 0);
    });

    test('the permission can only be set for an active member; otherwise nothing is written', async () => {
      const { newFirm, newAdjuster, newMember, invite, use, stores } = fixture();
      const firm = await newFirm();
      const [stranger, invited, left] = [
        (await newAdjuster()).svcId,
        (await newAdjuster()).svcId,
        await newMember(firm),
      ];
      await invite(firm, invited);
      await use.leaveFirm({ svcId: left }, firm.id);
      const held = () =>
        stores.unitOfWork.run((tx) =>
          Promise.all([stranger, invited, left].map((svcId) => tx.memberships.lock(firm.id, svcId))),
        );
      const before = await held();
      for (const svcId of [stranger, invited, left]) {
        for (const allowed of [true, false])
          await expect(use.setMember(firm.id, svcId, allowed)).rejects.toThrow(
            `${svcId} is not an active member`,
          );
      }
      expect(await held()).toEqual(before);
    });

    test('what a member shares is off at first, changes one by one, and concerns one firm', async () => {
      const { newFirm, newMember, use, stores, clock } = fixture();
      const [firm, elsewhere] = [await newFirm(), await newFirm()];
      const svcId = await newMember(firm);
      const actor = { svcId };
      await use.addMember(elsewhere.id, svcId);
      expect(await use.readSharing(actor, firm.id)).toEqual(SHARES_NOTHING);
      const before = await stores.appReads.revisions([svcId]);
      clock.advance(1);
      await use.setSharing(actor, firm.id, { clocks: true });
      expect(await stores.appReads.revisions([svcId])).not.toEqual(before);
      await use.setSharing(actor, firm.id, { credentials: true });
      await use.setSharing(actor, firm.id, { workArea: true });
      await use.setSharing(actor, firm.id, { clocks: false });
      const shared = { clocks: false, credentials: true, workArea: true };
      expect(await use.setSharing(actor, firm.id, {})).toEqual(shared);
      expect(await use.readSharing(actor, firm.id)).toEqual(shared);
      expect((await stores.firmReads.adjuster(firm.id, svcId))?.membership.sharing).toEqual(shared);
      expect(await use.readSharing(actor, elsewhere.id)).toEqual(SHARES_NOTHING);
    });

    test('sharing ends with the membership and is off again on return, however the adjuster left or returns', async () => {
      const { newTeam, invite, use, stores } = fixture();
      const { firm, svcId } = await newTeam();
      const actor = { svcId };
      const all = { clocks: true, credentials: true, workArea: true };
      const held = () =>
        stores.unitOfWork.run(async (tx) => (await tx.memberships.lock(firm.id, svcId))?.sharing);
      const leave = [
        () => use.leaveFirm(actor, firm.id),
        () => use.removeMember(firm.id, svcId).then(() => undefined),
      ];
      const rejoin = [
        () => use.addMember(firm.id, svcId).then(() => undefined),
        async () => {
          await invite(firm, svcId);
          expect(await errorCodeOf(use.setSharing(actor, firm.id, all))).toBe('not_found');
          await use.acceptInvitation(actor, firm.id);
        },
      ];
      for (const leaving of leave)
        for (const rejoining of rejoin) {
          await use.setSharing(actor, firm.id, all);
          expect(await held()).toEqual(all);
          await leaving();
          expect(await held()).toEqual(SHARES_NOTHING);
          expect(await errorCodeOf(use.setSharing(actor, firm.id, all))).toBe('not_found');
          expect(await errorCodeOf(use.readSharing(actor, firm.id))).toBe('not_found');
          await rejoining();
          expect(await use.readSharing(actor, firm.id)).toEqual(SHARES_NOTHING);
        }
    });

    test('the list is ordered by firstKnownAt, then SVCID', async () => {
      const { newFirm, newAdjuster, invite, use, clock } = fixture();
      const firm = await newFirm();
      const initial = ['accepts', 'manual', 'paused', 'rejects'] as const;
      clock.advance(1);
      const names = ['b', 'B', 'a', 'ä', 'ab', 'a b', 'a_b', '10', '9', '～', '🌊'];
      const tag = clock.now();
      const sorted = ['10', '9', 'B', 'a', 'a b', 'a_b', 'ab', 'b', 'ä', '～', '🌊'];
      for (const name of names) {
        const { svcId } = await newAdjuster({ svcId: `${tag} ${name}` as Svcid });
        await invite(firm, svcId);
      }
      clock.advance(1);
      const { svcId: last } = await newAdjuster({ svcId: `${tag - 1}` as Svcid });
      await invite(firm, last);
      const first = `${tag} b` as Svcid;
      await use.declineInvitation({ svcId: first }, firm.id);
      await invite(firm, first);
      expect((await listed(firm)).map(({ membership }) => membership.svcId)).toEqual([
        ...initial.map((behavior) => firm.accounts[behavior]),
        ...sorted.map((name) => `${tag} ${name}`),
        last,
      ]);
    });

    test('every adjuster is listed exactly once while others join, leave and are invited', async () => {
      const { newFirm, newMember, newAdjuster, invite, use, clock, stores } = fixture();
      const firm = await newFirm();
      const stay: Svcid[] = [];
      const leave: Svcid[] = [];
      for (let n = 0; n < 12; n++) {
        clock.advance(n % 2);
        stay.push(await newMember(firm));
        leave.push(await newMember(firm));
      }
      const found = await everyPage(
        (page) => stores.firmReads.adjusters(firm.id, 'live', page),
        3,
        async () => {
          const leaver = leave.shift();
          if (leaver !== undefined) await use.leaveFirm({ svcId: leaver }, firm.id);
          const [paused] = stay;
          if (paused !== undefined) await use.setAcceptingAssignments({ svcId: paused }, firm.id, false);
          clock.advance(1);
          await invite(firm, (await newAdjuster()).svcId);
        },
      );
      const ids = found.map(({ membership }) => membership.svcId);
      expect(new Set(ids).size).toBe(ids.length);
      for (const svcId of stay) expect(ids).toContain(svcId);
    });

    test('a test key sees only test accounts, a live key sees all adjusters, and neither those who left', async () => {
      const { newTeam, use, stores } = fixture();
      const { firm, svcId } = await newTeam();
      await use.inviteAdjuster(firm.test, { svcId: firm.accounts.new, notes: NO_NOTES });
      const accounts = ['accepts', 'manual', 'new', 'paused', 'rejects'] as const;
      const tests = accounts.map((behavior) => firm.accounts[behavior]).sort();
      const inTest = await listed(firm, 'test');
      expect(inTest.map((r) => r.membership.svcId).sort()).toEqual(tests);
      const known = await stores.operatorReads.testAccounts(firm.id);
      expect(known).toEqual(expect.arrayContaining(inTest.map(({ adjuster }) => adjuster)));
      expect((await listed(firm)).map((r) => r.membership.svcId).sort()).toEqual([svcId, ...tests].sort());
      const { manual } = firm.accounts;
      await use.sandbox.leaveFirm(firm.test, manual);
      for (const environment of ['live', 'test'] as const)
        expect((await listed(firm, environment)).map((r) => r.membership.svcId)).not.toContain(manual);
    });

    test('a member without an invitation is stored as added, and with all that is changed', async () => {
      const { newFirm, newAdjuster, use, stores } = fixture();
      const firm = await newFirm();
      const { svcId } = await newAdjuster();
      const membership = await use.addMember(firm.id, svcId);
      const stored = async () => (await stores.firmReads.adjuster(firm.id, svcId))?.membership;
      expect(await stored()).toEqual(membership);
      const changed = {
        ...{ ...membership, invitedAt: 1, expiresAt: 2, respondedAt: 3, seenAt: 4, remindedAt: 5 },
        ...{ readableUntil: 6, canAcceptClaims: false, acceptingAssignments: true },
        notes: { invitedAs: 'A', invitedBy: 'B', purpose: 'C', note: 'D' },
        sharing: { clocks: true, credentials: false, workArea: true },
      };
      await stores.unitOfWork.run((tx) => tx.memberships.save(changed));
      expect(await stored()).toEqual(changed);
    });
  });
}
