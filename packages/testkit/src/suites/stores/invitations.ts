import { describe, expect, test } from '@jest/globals';
import { DAY, INVITATION_REMINDER_MS, NO_NOTES, type Svcid } from '@svc/domain';
import { everyPage, type Fixture, type TestFirm } from '../../fixture.ts';

export function invitationsBehavior(fixture: () => Fixture): void {
  const newAdjusters = (count: number): Promise<Svcid[]> =>
    Promise.all(Array.from({ length: count }, async () => (await fixture().newAdjuster()).svcId));
  const inviteAll = async ({ live }: TestFirm, svcIds: readonly Svcid[]) => {
    const refused = await fixture().use.inviteAdjusters(live, new Set(svcIds));
    return Object.fromEntries(svcIds.map((svcId) => [svcId, refused.get(svcId)?.code ?? 'invited']));
  };
  const invitedIn = async ({ id }: TestFirm) =>
    (await everyPage((page) => fixture().stores.firmReads.adjusters(id, 'live', page), 100))
      .filter(({ membership }) => membership.status === 'pending')
      .map(({ membership }) => membership);
  const recorded = async ({ id }: TestFirm) =>
    (await fixture().auditOf(id))
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

  describe('an invitation that nobody has opened', () => {
    /** Runs the firm's due jobs, each three times, as when processes are killed before they remove it. */
    const createRuns = (firm: TestFirm) => {
      const done = new Set<string>();
      return async (): Promise<void> => {
        const { jobsOf, use, clock } = fixture();
        const isDue = ({ job, runAt }: Awaited<ReturnType<typeof jobsOf>>[number]): boolean =>
          job.kind === 'remind_of_invitation' && runAt <= clock.now() && !done.has(JSON.stringify(job));
        for (let due = (await jobsOf(firm)).find(isDue); due; due = (await jobsOf(firm)).find(isDue)) {
          const { job } = due;
          done.add(JSON.stringify(job));
          await Promise.all([use.runJob(job), use.runJob(job)]);
          await use.runJob(job);
        }
      };
    };
    const remindersTo = async (firm: TestFirm, svcId: Svcid) =>
      (await fixture().jobsOf(firm)).flatMap(({ job }) =>
        job.kind === 'notify_invitation' && job.isReminder && job.svcId === svcId ? [job] : [],
      );
    const invited = async (firm: TestFirm): Promise<Svcid> => {
      const { newAdjuster, invite, use } = fixture();
      const { svcId } = await newAdjuster();
      const { membership } = await invite(firm, svcId);
      const { invitedAt } = membership;
      if (invitedAt === null) throw new Error('an invitation without its time');
      await use.runJob({ kind: 'notify_invitation', firmId: firm.id, svcId, invitedAt });
      return svcId;
    };
    const open = (svcId: Svcid) => fixture().use.listInvitations({ svcId }, { after: null, limit: 10 });
    const membershipOf = async (firm: TestFirm, svcId: Svcid) =>
      (await fixture().stores.firmReads.adjuster(firm.id, svcId))?.membership;

    test('is reminded of once after two days, and another one again', async () => {
      const { newFirm, invite, use, clock, external } = fixture();
      const firm = await newFirm();
      const run = createRuns(firm);
      const svcId = await invited(firm);
      clock.advance(INVITATION_REMINDER_MS - 1);
      await run();
      expect(await remindersTo(firm, svcId)).toEqual([]);
      const remindedAt = clock.advance(7);
      await run();
      const [reminder, ...others] = await remindersTo(firm, svcId);
      expect(others).toEqual([]);
      expect(await membershipOf(firm, svcId)).toMatchObject({ seenAt: null, remindedAt });
      if (reminder === undefined) throw new Error('no reminder');
      await use.runJob(reminder);
      const sent = external.notifications.filter((each) => each.svcId === svcId);
      expect(sent.map(({ notification }) => notification)).toEqual([
        { kind: 'invitation', firmName: firm.name, firmId: firm.id, isReminder: false },
        { kind: 'invitation', firmName: firm.name, firmId: firm.id, isReminder: true },
      ]);
      await use.withdrawInvitation(firm.live, svcId);
      const { membership } = await invite(firm, svcId);
      expect(membership).toMatchObject({ seenAt: null, remindedAt: null });
      await use.runJob(reminder);
      expect(external.notifications.filter((each) => each.svcId === svcId)).toHaveLength(2);
    });

    test.each<[string, (firm: TestFirm, svcId: Svcid) => Promise<unknown>]>([
      ['opened', (_, svcId) => open(svcId)],
      ['accepted', ({ id }, svcId) => fixture().use.acceptInvitation({ svcId }, id)],
      ['declined', ({ id }, svcId) => fixture().use.declineInvitation({ svcId }, id)],
      ['withdrawn', ({ live }, svcId) => fixture().use.withdrawInvitation(live, svcId)],
      ['over', async () => fixture().clock.advance(5 * DAY)],
    ])('is not reminded of once it is %s, also between the reminder and its notification', async (_, end) => {
      const { newFirm, use, clock, external } = fixture();
      const firm = await newFirm();
      const run = createRuns(firm);
      const [before, between] = [await invited(firm), await invited(firm)];
      clock.advance(INVITATION_REMINDER_MS);
      const wasDue = (await fixture().jobsOf(firm)).find(
        ({ job }) => job.kind === 'remind_of_invitation' && job.svcId === between,
      );
      if (wasDue === undefined) throw new Error('no job');
      await use.runJob(wasDue.job);
      const [reminder] = await remindersTo(firm, between);
      if (reminder === undefined) throw new Error('no reminder');
      for (const svcId of [before, between]) await end(firm, svcId);
      await run();
      await use.runJob(reminder);
      expect(await remindersTo(firm, before)).toEqual([]);
      const sent = external.notifications.filter(({ svcId }) => svcId === before || svcId === between);
      expect(sent).toHaveLength(2);
    });

    test('is opened when the app gets it first, in each firm separately, whatever the firms do at that time', async () => {
      const { newFirm, newAdjuster, invite, use, clock } = fixture();
      const [firm, second, other] = [await newFirm(), await newFirm(), await newFirm()];
      const { svcId } = await newAdjuster();
      for (const each of [firm, second]) await invite(each, svcId);
      const firstAt = clock.advance(1000);
      expect((await open(svcId)).rows.map(({ seenAt }) => seenAt)).toEqual([null, null]);
      clock.advance(1000);
      await invite(other, svcId);
      await Promise.all([open(svcId), open(svcId), use.withdrawInvitation(other.live, svcId)]);
      expect((await open(svcId)).rows.map(({ firmId, seenAt }) => [firmId, seenAt])).toEqual([
        [firm.id, firstAt],
        [second.id, firstAt],
      ]);
      expect((await membershipOf(other, svcId))?.status).toBe('withdrawn');
      clock.advance(1000);
      await use.withdrawInvitation(firm.live, svcId);
      expect((await invite(firm, svcId)).membership.seenAt).toBeNull();
    });
  });
}
