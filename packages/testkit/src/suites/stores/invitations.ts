import { describe, expect, test } from '@jest/globals';
import { auditEntriesFrom } from '@svc/application';
import { NO_NOTES, type Svcid } from '@svc/domain';
import { everyPage, type Fixture, type TestFirm } from '../../fixture.ts';

export function invitationsBehavior(fixture: () => Fixture): void {
  const newAdjusters = async (count: number): Promise<Svcid[]> => {
    const created: Svcid[] = [];
    for (let n = 0; n < count; n += 1) created.push((await fixture().newAdjuster()).svcId);
    return created;
  };
  const inviteAll = async ({ live }: TestFirm, svcIds: readonly Svcid[]) => {
    const refused = await fixture().use.inviteAdjusters(live, new Set(svcIds));
    return Object.fromEntries(svcIds.map((svcId) => [svcId, refused.get(svcId)?.code ?? 'invited']));
  };
  const invitedIn = async ({ id }: TestFirm) =>
    (await everyPage((page) => fixture().stores.firmReads.adjusters(id, 'live', page), 100))
      .filter(({ membership }) => membership.status === 'pending')
      .map(({ membership }) => membership);
  const recorded = async ({ id }: TestFirm) =>
    (await fixture().stores.auditReads.rows(id, { after: 0, limit: 1000 }))
      .flatMap(({ text }) => auditEntriesFrom(text))
      .flatMap(({ action, object }) => (action === 'invitation.send' ? [object] : []))
      .sort();

  describe('a batch of invitations', () => {
    test('each adjuster is invited as if alone: with the same record, audit row and notification', async () => {
      const { newFirm, invite, jobsOf, clock } = fixture();
      const [firm, other] = [await newFirm(), await newFirm()];
      const svcIds = await newAdjusters(3);
      const at = clock.advance(1);
      await inviteAll(firm, svcIds);
      for (const svcId of svcIds) await invite(other, svcId);
      const byId = (one: { svcId: Svcid }, another: { svcId: Svcid }) => (one.svcId < another.svcId ? -1 : 1);
      const alone = (await invitedIn(other)).map((membership) => ({ ...membership, firmId: firm.id }));
      expect((await invitedIn(firm)).sort(byId)).toEqual(alone.sort(byId));
      expect(await recorded(firm)).toEqual(await recorded(other));
      expect((await jobsOf(firm)).map(({ job }) => job)).toEqual(
        expect.arrayContaining(
          svcIds.map((svcId) => ({ kind: 'notify_invitation', firmId: firm.id, svcId, invitedAt: at })),
        ),
      );
    });

    test('one that cannot be invited does not affect the others, and has its error', async () => {
      const { newFirm, newMember, invite, use } = fixture();
      const [firm, other] = [await newFirm(), await newFirm()];
      const [fresh = '', invited = '', declined = '', elsewhere = ''] = await newAdjusters(4);
      const member = await newMember(firm);
      await invite(firm, invited as Svcid);
      await invite(firm, declined as Svcid);
      await use.declineInvitation({ svcId: declined as Svcid }, firm.id);
      await invite(other, elsewhere as Svcid);
      const before = await recorded(firm);
      const found = await inviteAll(firm, [
        ...([fresh, invited, declined, elsewhere, member] as Svcid[]),
        ...(['svc-nobody', ` ${fresh}`, "'; DROP TABLE memberships; --", 'ünï 🌊'] as Svcid[]),
        ...[firm.accounts.new, other.accounts.new],
      ]);
      expect(found).toEqual({
        ...{ [fresh]: 'invited', [declined]: 'invited', [elsewhere]: 'invited' },
        ...{ [invited]: 'invitation_pending', [member]: 'already_member' },
        ...{ 'svc-nobody': 'unknown_svcid', [` ${fresh}`]: 'unknown_svcid', 'ünï 🌊': 'unknown_svcid' },
        "'; DROP TABLE memberships; --": 'unknown_svcid',
        ...{ [firm.accounts.new]: 'environment_mismatch', [other.accounts.new]: 'unknown_svcid' },
      });
      const added = [fresh, declined, elsewhere].map((svcId) => `adjuster:${svcId}`);
      expect(await recorded(firm)).toEqual([...before, ...added].sort());
    });

    test('a test list invites test accounts alone', async () => {
      const { newFirm, newAdjuster, use } = fixture();
      const firm = await newFirm();
      const { svcId } = await newAdjuster();
      const refused = await use.inviteAdjusters(firm.test, new Set([svcId, firm.accounts.new]));
      expect([...refused].map(([id, { code }]) => [id, code])).toEqual([[svcId, 'unknown_svcid']]);
    });

    test('a list of several groups that is repeated, also in part, invites everybody once', async () => {
      const { newFirm, jobsOf } = fixture();
      const firm = await newFirm();
      const svcIds = await newAdjusters(120);
      await inviteAll(firm, svcIds.slice(30, 60));
      await inviteAll(firm, svcIds);
      const again = await inviteAll(firm, [...svcIds].reverse());
      expect(new Set(Object.values(again))).toEqual(new Set(['invitation_pending']));
      const everybody = [...svcIds].sort();
      expect((await invitedIn(firm)).map(({ svcId }) => svcId).sort()).toEqual(everybody);
      expect(await recorded(firm)).toEqual(everybody.map((svcId) => `adjuster:${svcId}`));
      expect((await jobsOf(firm)).map(({ job }) => job.svcId).sort()).toEqual(everybody);
    });

    test('lists with the same people at the same time, and one who is invited alone, invite everybody once', async () => {
      const { newFirm, jobsOf, use } = fixture();
      const firm = await newFirm();
      const svcIds = await newAdjusters(60);
      const [alone] = svcIds;
      const [one, other, single] = await Promise.all([
        inviteAll(firm, svcIds),
        inviteAll(firm, [...svcIds].reverse()),
        use.inviteAdjuster(firm.live, { svcId: alone as Svcid, notes: NO_NOTES }).then(
          () => 'invited',
          () => 'refused',
        ),
      ]);
      const times = svcIds.map(
        (svcId) =>
          [one[svcId], other[svcId], svcId === alone ? single : ''].filter((found) => found === 'invited')
            .length,
      );
      expect(times).toEqual(svcIds.map(() => 1));
      expect((await jobsOf(firm)).map(({ job }) => job.svcId).sort()).toEqual([...svcIds].sort());
    });
  });
}
