import { describe, expect, test } from '@jest/globals';
import type { AppClaimList } from '@svc/application';
import { type ClaimId, INVITATION_LIFETIME_MS, SHARES_NOTHING, type Svcid } from '@svc/domain';
import { everyPage, type Fixture } from '../../fixture.ts';

export function appReadsBehavior(fixture: () => Fixture): void {
  const listed = async (svcId: Svcid, list: AppClaimList, limit = 2): Promise<ClaimId[]> =>
    (await everyPage((page) => fixture().stores.appReads.claims(svcId, list, page), limit)).map(
      ({ id }) => id,
    );

  describe("the adjuster's app", () => {
    test("an adjuster's revision changes exactly when their lists, claims or account change", async () => {
      const { newFirm, newMember, newAdjuster, newDevice, sendId, offer, invite, use, stores, clock } =
        fixture();
      const firm = await newFirm();
      const [svcId, other] = [await newMember(firm), await newMember(firm)];
      const revisions = async () => {
        clock.advance(1);
        const found = await stores.appReads.revisions([svcId, other]);
        return [found.get(svcId), found.get(other)] as const;
      };
      let [own, others] = await revisions();
      const expectChange = async (of: { own?: boolean; other?: boolean }) => {
        const [now, nowOther] = await revisions();
        expect(now !== own).toBe(of.own ?? false);
        expect(nowOther !== others).toBe(of.other ?? false);
        [own, others] = [now, nowOther];
      };
      const id = await sendId(firm.live, svcId);
      await expectChange({ own: true });
      await expectChange({});
      await offer(firm.live, id, other);
      await expectChange({ own: true, other: true });
      // As many as before.
      await offer(firm.live, id, other);
      await expectChange({ other: true });
      await use.acceptClaim({ svcId: other }, id);
      await expectChange({ other: true });
      await use.recordWork({ svcId: other }, id, { notes: 'Water line at 14 inches.' });
      await expectChange({ other: true });
      await use.recordWork({ svcId: other }, id, { notes: 'Water line at 15 inches.' });
      await expectChange({ other: true });
      const attempt = { id: 'call', at: clock.now(), result: 'no_answer' } as const;
      await use.logContact({ svcId: other }, id, attempt);
      await expectChange({ other: true });
      await use.setAvailability({ svcId: other }, { maxOpenOffers: 3 });
      await expectChange({ other: true });
      await use.updateProfile({ svcId: other }, { firstName: 'Zoë' });
      await expectChange({ other: true });
      await newDevice(other, 'phone');
      await expectChange({});
      await use.closeClaimAsOperator(id);
      await expectChange({ other: true });
      const waiting = await sendId(firm.live, svcId);
      await expectChange({ own: true });
      await use.closeClaimAsOperator(waiting);
      await expectChange({ own: true });
      await use.setAcceptingAssignments({ svcId }, firm.id, false);
      await expectChange({ own: true });
      const second = await newFirm();
      await invite(second, svcId);
      await expectChange({ own: true });
      clock.advance(INVITATION_LIFETIME_MS);
      await expectChange({});
      await invite(second, svcId);
      await expectChange({ own: true });
      await use.setMember(firm.id, svcId, false);
      await expectChange({ own: true });
      await use.declineInvitation({ svcId }, second.id);
      await expectChange({ own: true });
      await use.leaveFirm({ svcId }, firm.id);
      await expectChange({ own: true });
      const stranger = (await newAdjuster()).svcId;
      const ofStranger = async () => (await stores.appReads.revisions([stranger])).get(stranger);
      const before = await ofStranger();
      expect(await ofStranger()).toBe(before);
      await use.setAvailability({ svcId: stranger }, { acceptingAssignments: false });
      expect(await ofStranger()).not.toBe(before);
      expect((await stores.appReads.revisions([])).size).toBe(0);
    });

    test('hides rejected and reassigned claims, and closed ones after leaving, from reads and lists', async () => {
      const { newFirm, newMember, sendId, offer, use, invite } = fixture();
      const firm = await newFirm();
      const [svcId, other] = [await newMember(firm), await newMember(firm)];
      const actor = { svcId };
      const made: ClaimId[] = [];
      for (let n = 0; n < 6; n++) made.push(await sendId(firm.live, svcId));
      const [pending, rejected, lost, open, done, closedWaiting] = made as [
        ClaimId,
        ClaimId,
        ClaimId,
        ClaimId,
        ClaimId,
        ClaimId,
      ];
      await use.rejectClaim(actor, rejected, null);
      await offer(firm.live, lost, other);
      await use.acceptClaim(actor, open);
      await use.acceptClaim(actor, done);
      await use.closeAcceptedClaim(actor, done);
      await use.closeClaimAsOperator(closedWaiting);
      const readable = async () => {
        const reads = await Promise.allSettled(made.map((id) => use.readClaim(actor, id)));
        return made.filter((_, n) => reads[n]?.status === 'fulfilled');
      };
      const lists = async () => [
        await listed(svcId, 'pending_acceptance'),
        await listed(svcId, 'accepted'),
        await listed(svcId, 'closed'),
      ];
      expect(await readable()).toEqual([pending, open, done, closedWaiting]);
      expect(await lists()).toEqual([[pending], [open], [done]]);
      await use.leaveFirm(actor, firm.id);
      expect(await readable()).toEqual([open]);
      expect(await lists()).toEqual([[], [open], []]);
      await use.recordWork(actor, open, { notes: 'Water line at 14 inches.' });
      await use.closeAcceptedClaim(actor, open);
      expect(await readable()).toEqual([]);
      expect(await lists()).toEqual([[], [], []]);
      await invite(firm, svcId);
      await use.acceptInvitation(actor, firm.id);
      expect((await readable()).includes(done)).toBe(true);
      expect((await readable()).includes(rejected)).toBe(false);
    });

    test('lists what changed since a time, whoever changed it, and the ids of the whole list', async () => {
      const { newFirm, newMember, sendId, offer, use, clock, stores } = fixture();
      const firm = await newFirm();
      const [svcId, other] = [await newMember(firm), await newMember(firm)];
      const actor = { svcId };
      const ids: ClaimId[] = [];
      for (let n = 0; n < 4; n++) ids.push(await sendId(firm.live, svcId));
      const [worked, logged, still, lost] = ids as [ClaimId, ClaimId, ClaimId, ClaimId];
      for (const id of [worked, logged, still]) await use.acceptClaim(actor, id);
      const since = clock.advance(60_000);
      const changed = async (list: AppClaimList) =>
        (await everyPage((page) => stores.appReads.claims(svcId, list, page, since), 1)).map(({ id }) => id);
      expect([await changed('accepted'), await changed('pending_acceptance')]).toEqual([[], []]);
      expect(await stores.appReads.claimIds(svcId, 'accepted')).toEqual([worked, logged, still].sort());

      await use.recordWork(actor, worked, { details: { plannedVisitDate: '2026-09-01' } });
      const contact = { id: 'one', at: since, result: 'no_answer' } as const;
      await use.logContact(actor, logged, contact);
      await offer(firm.live, lost, other);
      const added = await sendId(firm.live, svcId);
      expect((await changed('accepted')).sort()).toEqual([worked, logged].sort());
      expect(await changed('pending_acceptance')).toEqual([added]);
      expect(await stores.appReads.claimIds(svcId, 'pending_acceptance')).toEqual([added]);
      const next = await sendId(firm.live, svcId);
      clock.advance(1);
      await offer(firm.live, added, svcId);
      expect(await stores.appReads.claimIds(svcId, 'pending_acceptance')).toEqual([next, added]);
      expect(await listed(svcId, 'pending_acceptance', 1)).toEqual([next, added]);
      expect((await use.readClaim(actor, logged)).work.details).toMatchObject({ contacts: [contact] });
      expect((await use.readClaim(actor, worked)).work.details).toEqual({
        plannedVisitDate: '2026-09-01',
      });
      // Neither a later change of the firm's nor of the adjuster's loses what was entered.
      await use.recordWork(actor, worked, { notes: 'n' });
      expect((await use.readClaim(actor, worked)).work.details).toEqual({
        plannedVisitDate: '2026-09-01',
      });
      await use.closeAcceptedClaim(actor, worked);
      await use.closeClaimAsOperator(still);
      expect((await changed('closed')).sort()).toEqual([worked, still].sort());
    });

    test('lists every remaining claim exactly once while others are accepted or rejected', async () => {
      const { newFirm, newMember, sendId, use } = fixture();
      const firms = [await newFirm(), await newFirm()] as const;
      const svcId = await newMember(firms[0]);
      await use.addMember(firms[1].id, svcId);
      const ids: ClaimId[] = [];
      // All within one millisecond, so only the id separates them.
      for (let n = 0; n < 15; n++) ids.push(await sendId(firms[n % 2 === 0 ? 0 : 1].live, svcId));
      const toRespond = [ids[0], ids[14], ids[7]] as ClaimId[];
      const responded = new Set(toRespond);
      const found = await everyPage(
        (page) => fixture().stores.appReads.claims(svcId, 'pending_acceptance', page),
        4,
        async () => {
          const id = toRespond.shift();
          if (id !== undefined) await use.acceptClaim({ svcId }, id);
        },
      );
      const seen = found.map(({ id }) => id);
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.filter((id) => !responded.has(id))).toEqual(ids.filter((id) => !responded.has(id)).sort());
    });

    test("lists pending invitations without the firm's private notes", async () => {
      const { newFirm, newAdjuster, invite, use, clock, stores } = fixture();
      const { svcId } = await newAdjuster();
      const firms = [await newFirm(), await newFirm(), await newFirm(), await newFirm()] as const;
      const earliest = await newFirm();
      await invite(earliest, svcId, { invitedAs: 'Renée' });
      const at = clock.advance(1);
      for (const firm of [...firms].reverse()) {
        await invite(firm, svcId, {
          invitedAs: 'Renée',
          invitedBy: 'Kim',
          purpose: 'secret',
          note: 'secret',
        });
      }
      const [one, two, declined, withdrawn] = firms;
      await use.declineInvitation({ svcId }, declined.id);
      await use.withdrawInvitation(withdrawn.live, svcId);
      const found = await everyPage((page) => stores.appReads.invitations(svcId, clock.now(), page), 1);
      expect(found).toEqual(
        [earliest, one, two].map((firm) => ({
          firmId: firm.id,
          firmName: firm.name,
          seenAt: null,
          invitedAs: 'Renée',
          invitedAt: firm === earliest ? at - 1 : at,
          expiresAt: (firm === earliest ? at - 1 : at) + 7 * 24 * 60 * 60 * 1000,
        })),
      );
    });

    test('lists the firms of an adjuster by firstKnownAt, then by id', async () => {
      const { newFirm, newAdjuster, invite, use, clock, stores } = fixture();
      const { svcId } = await newAdjuster();
      const [one, two, three] = [await newFirm(), await newFirm(), await newFirm()];
      await invite(three, svcId);
      clock.advance(1);
      await invite(two, svcId);
      await use.addMember(one.id, svcId);
      for (const firm of [three, two]) await use.acceptInvitation({ svcId }, firm.id);
      await use.setAcceptingAssignments({ svcId }, one.id, false);
      const sharing = await use.setSharing({ svcId }, one.id, { credentials: true });
      const member = { canAcceptClaims: true, acceptingAssignments: true, sharing: SHARES_NOTHING };
      expect(await stores.appReads.memberships(svcId)).toEqual([
        { ...member, firmId: three.id, firmName: three.name },
        { ...member, firmId: one.id, firmName: one.name, acceptingAssignments: false, sharing },
        { ...member, firmId: two.id, firmName: two.name },
      ]);
    });
  });
}
