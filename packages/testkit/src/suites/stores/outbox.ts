import { describe, expect, test } from '@jest/globals';
import { type Svcid, TEST_REJECTION_REASON } from '@svc/domain';
import type { Bench, TestFirm } from '../../bench.ts';

export function outboxBehaviour(bench: () => Bench): void {
  /** Runs what waits and is due for a firm, as the queue would; the queue itself is left as it is. */
  const runDue = async (firm: TestFirm): Promise<void> => {
    const { jobsOf, use, clock } = bench();
    for (const { job, runAt } of await jobsOf(firm)) if (runAt <= clock.now()) await use.runJob(job);
  };
  const noticesTo = (svcId: Svcid) =>
    bench().outside.notices.flatMap((each) => (each.svcId === svcId ? [each.notice] : []));

  describe('what happens after a commit', () => {
    test('the adjuster is told of an offer, and of its withdrawal', async () => {
      const { newFirm, newMember, sendId, offer, jobsOf } = bench();
      const firm = await newFirm();
      const [first, second] = [await newMember(firm), await newMember(firm)];
      const before = (await jobsOf(firm)).length;
      const claimId = await sendId(firm.live, first);
      await offer(firm.live, claimId, second);
      const jobs = (await jobsOf(firm)).slice(before).map(({ job }) => job);
      const about = { firmId: firm.id, claimId };
      expect(jobs).toHaveLength(3);
      expect(jobs).toEqual(
        expect.arrayContaining([
          { kind: 'notify_offer', ...about, svcId: first },
          { kind: 'notify_offer_withdrawn', ...about, svcId: first },
          { kind: 'notify_offer', ...about, svcId: second },
        ]),
      );
      await runDue(firm);
      expect(noticesTo(second)).toEqual([{ kind: 'offer', firmName: firm.name, claimId }]);
    });

    test('a job is at hand at once, or not before its time', async () => {
      const { newFirm, stores, clock, jobsOf } = bench();
      const firm = await newFirm();
      const svcId = firm.accounts.manual;
      const at = clock.now();
      const invitation = { kind: 'notify_invitation', firmId: firm.id, svcId } as const;
      await stores.unitOfWork.run(async (tx) => {
        await tx.outbox.add({ ...invitation, invitedAt: 1 }, at + 2_000);
        await tx.outbox.add({ ...invitation, invitedAt: 2 });
      });
      const jobs = await jobsOf(firm);
      expect(jobs.map(({ job }) => job)).toEqual([
        { ...invitation, invitedAt: 2 },
        { ...invitation, invitedAt: 1 },
      ]);
      expect(jobs[1]?.runAt).toBe(at + 2_000);
    });

    test('test accounts answer offers as their name says, about two seconds later', async () => {
      const { newFirm, sendId, clock, stores } = bench();
      const firm = await newFirm();
      const { accepts, rejects, manual } = firm.accounts;
      const ids = [
        await sendId(firm.test, accepts),
        await sendId(firm.test, rejects),
        await sendId(firm.test, manual),
      ];
      const answers = async () => {
        const claims = await Promise.all(ids.map((id) => stores.firmReads.claim(firm.id, 'test', id)));
        return claims.map((claim) => [claim?.assignment.status, claim?.assignment.rejectionReason]);
      };
      clock.advance(1_999);
      await runDue(firm);
      const waiting = ['pending_acceptance', null];
      expect(await answers()).toEqual([waiting, waiting, waiting]);
      clock.advance(1);
      await runDue(firm);
      const expected = [['accepted', null], ['rejected', TEST_REJECTION_REASON], waiting];
      expect(await answers()).toEqual(expected);
      await runDue(firm);
      expect(await answers()).toEqual(expected);
    });

    test('test accounts answer invitations as their name says', async () => {
      const { newFirm, use, clock, stores } = bench();
      const firm = await newFirm();
      const notes = { invitedAs: null, invitedBy: null, purpose: null, note: null };
      const invited = ['joins', 'declines', 'new'] as const;
      for (const behavior of invited) {
        await use.inviteAdjuster(firm.test, { svcId: firm.accounts[behavior], notes });
      }
      clock.advance(2_000);
      await runDue(firm);
      const records = await Promise.all(
        invited.map((behavior) => stores.firmReads.adjuster(firm.id, firm.accounts[behavior])),
      );
      expect(records.map((record) => record?.membership.status)).toEqual(['active', 'declined', 'pending']);
    });
  });
}
