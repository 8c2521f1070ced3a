import { HOUR, type Instant } from '@svc/domain';
import type { AssignmentState } from '../model/claim-views.ts';
import type { Job } from '../model/job.ts';
import { FIRST_POSITION } from '../model/page.ts';
import type { Needs } from '../ports/needs.ts';

type JobOf<K extends Job['kind']> = Extract<Job, { kind: K }>;
type Reminder = JobOf<'remind_of_offer'>;

/** Whose reminders are added in one transaction. */
const OFFERS_PER_JOB = 50;

export const reminderOf = (offer: Omit<Reminder, 'kind'>): { job: Reminder; runAt: Instant } => ({
  job: { kind: 'remind_of_offer', ...offer },
  runAt: offer.offeredAt + offer.hours * HOUR,
});

/** Whether the offer of the job still waits for a response. */
export const isOpenOffer = (
  latest: AssignmentState | null,
  { svcId, offeredAt }: Pick<Reminder, 'svcId' | 'offeredAt'>,
): latest is AssignmentState =>
  latest?.status === 'pending_acceptance' &&
  latest.closedAt === null &&
  latest.adjuster === svcId &&
  latest.offeredAt === offeredAt;

/** An offer may have several of these jobs: the first one that is due under the present wait queues the notification. */
export const makeRemindOfOffer =
  ({ uow, jobReads, clock }: Needs<'uow' | 'jobReads' | 'clock'>) =>
  async (job: Reminder): Promise<void> => {
    const { firmId, claimId, svcId, offeredAt, hours } = job;
    const latest = await jobReads.assignment(firmId, claimId);
    // When the wait changed, every open offer got a job for the new one.
    if (!isOpenOffer(latest, job) || latest.offerWaitHours !== hours) return;
    const { environment } = latest;
    await uow.run(async (tx) => {
      const offer = { firmId, claimId, environment, offeredAt, adjuster: svcId };
      if (await tx.claims.recordReminder(offer, 'reminderQueuedAt', clock.now()))
        await tx.outbox.add({ kind: 'notify_offer_late', firmId, claimId, svcId, offeredAt });
    });
  };

/** A page of open offers. Offers that are made later get their job with their notification. */
export const makeRemindOfOpenOffers =
  ({ uow, boardReads }: Needs<'uow' | 'boardReads'>) =>
  async (job: JobOf<'remind_of_open_offers'>): Promise<void> => {
    const { firmId, environment, hours, after } = job;
    const scan = { by: 'waiting', environment, status: 'pending_acceptance' } as const;
    const [presentHours, offers] = await Promise.all([
      boardReads.offerWaitHours(firmId),
      boardReads.claims(firmId, scan, after ?? FIRST_POSITION, OFFERS_PER_JOB),
    ]);
    if (presentHours !== hours) return;
    await uow.run(async ({ outbox }) => {
      for (const { id: claimId, adjuster: svcId, offeredAt } of offers) {
        const { job: reminder, runAt } = reminderOf({ firmId, claimId, svcId, offeredAt, hours });
        await outbox.add(reminder, runAt);
      }
      const last = offers.at(-1);
      if (last !== undefined && offers.length === OFFERS_PER_JOB)
        await outbox.add({ ...job, after: { at: last.updatedAt, id: last.id } });
    });
  };
