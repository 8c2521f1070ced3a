import { describe, expect, test } from '@jest/globals';
import type { Job } from '@svc/application';
import { type ClaimId, DAY, type FirmId, HOUR, type Svcid } from '@svc/domain';
import type { Fixture } from '../../fixture.ts';

export function outboxBehavior(fixture: () => Fixture): void {
  describe('jobs after a commit', () => {
    test('a job about an offer reads who holds it now, in its own firm alone', async () => {
      const { newFirm, newMember, sendId, use, stores, clock, ids } = fixture();
      const [firm, other] = [await newFirm(), await newFirm()];
      const svcId = await newMember(firm);
      const claimId = await sendId(firm.live, svcId);
      const { assignment } = stores.jobReads;
      const offeredAt = clock.now();
      const held = {
        firmName: firm.name,
        environment: 'live',
        status: 'pending_acceptance',
        adjuster: svcId,
        offeredAt,
        closedAt: null,
        offerWaitHours: null,
      };
      expect(await assignment(firm.id, claimId)).toEqual(held);
      const { manual: adjuster } = firm.accounts;
      const ofTest = { ...held, environment: 'test', adjuster };
      expect(await assignment(firm.id, await sendId(firm.test, adjuster))).toEqual(ofTest);
      await use.acceptClaim({ svcId }, claimId);
      await use.setOfferWait(firm.id, 4);
      clock.advance(HOUR);
      const { closedAt } = await use.closeAcceptedClaim({ svcId }, claimId);
      const ended = { status: 'accepted', closedAt, offerWaitHours: 4 };
      expect(await assignment(firm.id, claimId)).toEqual({ ...held, ...ended });
      const { manual } = firm.accounts;
      const tested = await assignment(firm.id, await sendId(firm.test, manual));
      expect(tested).toMatchObject({ environment: 'test', adjuster: manual });
      const nothing = ids.next() as ClaimId;
      for (const [firmId, id] of [
        [other.id, claimId],
        [firm.id, nothing],
        [firm.id, 'no uuid' as ClaimId],
        ['no uuid' as FirmId, claimId],
      ] as const)
        expect(await assignment(firmId, id)).toBeNull();
    });

    test('a job keeps its content and its time', async () => {
      const { newFirm, stores, clock, jobsOf, ids } = fixture();
      const firm = await newFirm();
      const about = { firmId: firm.id, svcId: 'ünïcode "quoted" \\ 🌊' as Svcid };
      const claimId = ids.next() as ClaimId;
      const at = clock.now();
      const jobs: Job[] = [
        { kind: 'notify_offer', ...about, claimId },
        { kind: 'notify_offer_withdrawn', ...about, claimId },
        { kind: 'notify_invitation', ...about, invitedAt: at },
        { kind: 'simulate_offer_response', ...about, claimId, offeredAt: at },
        { kind: 'simulate_invitation_response', ...about, invitedAt: at },
      ];
      await stores.unitOfWork.run(async (tx) => {
        for (const job of jobs) await tx.outbox.add(job, at + 12_345);
        for (const job of jobs) await tx.outbox.add(job);
      });
      const waiting = await jobsOf(firm);
      expect(waiting).toHaveLength(10);
      expect(waiting.filter(({ runAt }) => runAt === at + 12_345).map(({ job }) => job)).toEqual(jobs);
      expect(waiting.filter(({ runAt }) => runAt !== at + 12_345).map(({ job }) => job)).toEqual(jobs);
    });

    test('an offer that was open when the firm’s wait was set or changed is reminded of once, when it is late', async () => {
      const { newTeam, sendId, jobsOf, use, clock, stores } = fixture();
      const { firm, svcId } = await newTeam();
      const open: ClaimId[] = [await sendId(firm.test, firm.accounts.manual)];
      open.push(...(await Promise.all(Array.from({ length: 52 }, () => sendId(firm.live, svcId)))));
      const [accepted, closed] = [await sendId(firm.live, svcId), await sendId(firm.live, svcId)];
      await use.acceptClaim({ svcId }, accepted);
      await use.closeClaimAsOperator(closed);
      const done = new Set<string>();
      /** Each three times, as when processes are killed before they remove it. */
      const runReminders = async (most = Number.POSITIVE_INFINITY): Promise<void> => {
        const isDue = ({ job, runAt }: { job: Job; runAt: number }): boolean =>
          !done.has(JSON.stringify(job)) &&
          (job.kind === 'remind_of_open_offers' || (job.kind === 'remind_of_offer' && runAt <= clock.now()));
        for (let left = most; left > 0; ) {
          const due = (await jobsOf(firm)).filter(isDue);
          if (due.length === 0) return;
          for (const { job } of due) {
            if (left === 0 || done.has(JSON.stringify(job))) continue;
            left -= 1;
            done.add(JSON.stringify(job));
            await Promise.all([use.runJob(job), use.runJob(job)]);
            await use.runJob(job);
          }
        }
      };
      const reminded = async () =>
        (await jobsOf(firm)).flatMap(({ job }) => (job.kind === 'notify_offer_late' ? [job.claimId] : []));

      await use.setOfferWait(firm.id, 4);
      await runReminders(2);
      await use.setOfferWait(firm.id, 2);
      await runReminders();
      expect(await reminded()).toEqual([]);
      clock.advance(2 * HOUR);
      await runReminders();
      expect((await reminded()).sort()).toEqual([...open].sort());
      const [offer] = await stores.offerHistory.ofClaim(firm.id, open[1] as ClaimId);
      // A device has yet to get it.
      expect(offer?.remindedAt).toBeNull();

      const later = await sendId(firm.live, svcId);
      await use.runJob({ kind: 'notify_offer', firmId: firm.id, claimId: later, svcId });
      for (const hours of [6, null, 1, 6]) await use.setOfferWait(firm.id, hours);
      clock.advance(5 * HOUR);
      await runReminders();
      expect(await reminded()).toHaveLength(open.length);
      clock.advance(HOUR);
      await runReminders();
      expect((await reminded()).sort()).toEqual([...open, later].sort());
      await use.setOfferWait(firm.id, null);
      await sendId(firm.live, svcId);
      clock.advance(DAY);
      await runReminders();
      expect(await reminded()).toHaveLength(open.length + 1);
    });
  });
}
