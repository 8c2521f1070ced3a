import {
  acceptInvitation,
  DomainError,
  deadlinesOf,
  declineInvitation,
  endsOn,
  INVITATION_REMINDER_MS,
  type Instant,
  isUnseenInvitation,
  localDays,
  mayGetLateOffersMail,
  nextLateOffersMail,
  nextLocalTime,
  quietUntil,
  REMINDER_TIME,
  SECOND,
  statusAt,
  TEST_ACCOUNTS,
  TEST_REJECTION_REASON,
} from '@svc/domain';
import { makeAcceptClaim, makeRejectClaim } from '../app/claims.ts';
import { auditEvent, BY_SERVICE, claimObject, recordMemberAction } from '../audit/events.ts';
import { countInvitationMail } from '../auth/sign-in.ts';
import type { AssignmentState } from '../model/claim-views.ts';
import type { RegisteredDevice } from '../model/device.ts';
import type { Job, QueuedJob } from '../model/job.ts';
import {
  type Channel,
  type Delivery,
  isRetried,
  type Notification,
  pushChannel,
  type Recipient,
} from '../model/notification.ts';
import type { Mailer } from '../ports/mailer.ts';
import type { Needs } from '../ports/needs.ts';
import type { Tx } from '../ports/unit-of-work.ts';
import { makeRemindOfCredentials } from './credential-reminders.ts';
import { readDeadlineFacts } from './deadline-facts.ts';
import { isOpenOffer, makeRemindOfOffer, makeRemindOfOpenOffers, reminderOf } from './offer-reminders.ts';

type Deps = Needs<
  | 'uow'
  | 'claimWrites'
  | 'jobReads'
  | 'boardReads'
  | 'firmReads'
  | 'appReads'
  | 'notifier'
  | 'webhookNotices'
  | 'auditBuffer'
  | 'offerBuffer'
  | 'secrets'
  | 'clock'
> & {
  readonly mailer: Pick<Mailer, 'sendLateOffers'>;
};

/** Delay before the first retry of a channel; the queue backs off after that. */
const FIRST_RETRY_DELAY_MS = 2 * SECOND;

/** Makes the queue retry a channel that failed again. */
class NotificationFailed extends Error {
  override readonly name = 'NotificationFailed';
}

type Handlers = { readonly [K in Job['kind']]: (job: Extract<Job, { kind: K }>) => Promise<void> };

/**
 * Runs one job. Jobs run at least once and may run late, so each checks first whether it still applies, and does
 * nothing otherwise. An error makes the queue retry the job.
 */
export function makeRunJob(deps: Deps): (job: Job) => Promise<void> {
  const { claimWrites, clock } = deps;
  const simulated = { claimWrites, clock, callerOf: () => BY_SERVICE };
  const acceptClaim = makeAcceptClaim(simulated);
  const rejectClaim = makeRejectClaim(simulated);
  type NotifyJob = Extract<Job, { kind: `notify_${string}` }>;
  type OfferJob = Extract<Job, { kind: `notify_offer${string}` }>;

  /** Devices of the notification that have quiet hours now, with their end. */
  const quietDevices = (
    job: NotifyJob,
    devices: readonly RegisteredDevice[],
  ): { only: Channel; until: Instant }[] => {
    const now = deps.clock.now();
    return devices.flatMap(({ deviceId, preferences }) => {
      if (preferences === null || preferences.quietHours === null) return [];
      const only: Channel = `device:${deviceId}`;
      const until = quietUntil(preferences.quietHours, preferences.timeZone, now);
      return until === null || (job.only !== undefined && job.only !== only) ? [] : [{ only, until }];
    });
  };

  const recipientOf = async ({ svcId }: NotifyJob): Promise<Recipient> => ({
    svcId,
    devices: await deps.jobReads.devices(svcId, deps.clock.now()),
  });

  const readOffer = (job: OfferJob) =>
    Promise.all([deps.jobReads.assignment(job.firmId, job.claimId), recipientOf(job)]);

  /** So that support can follow a claim from the offer to the phone. */
  const recordPushes = (
    job: NotifyJob,
    deliveries: readonly Delivery[],
    offer: AssignmentState | undefined,
  ): void => {
    if (!('claimId' in job)) return;
    const action = job.kind === 'notify_offer_withdrawn' ? 'claim.push_withdrawn' : 'claim.push';
    const about = { at: deps.clock.now(), action, object: claimObject(job.claimId) } as const;
    for (const { channel, outcome } of deliveries) {
      deps.auditBuffer.add(
        auditEvent(job.firmId, BY_SERVICE, { ...about, outcome: outcome === 'delivered' ? 'ok' : outcome }),
      );
      if (offer === undefined) continue;
      const { firmId, claimId, svcId: adjuster } = job;
      const push = { channel: pushChannel(channel, deps.secrets), outcome, at: about.at };
      const { environment, offeredAt } = offer;
      deps.offerBuffer.add({ firmId, claimId, environment, offeredAt, adjuster, push });
    }
  };

  const notify = async (
    job: NotifyJob,
    recipient: Recipient,
    notification: Notification,
    {
      without = [],
      offer,
      next = [],
      onDelivered,
    }: {
      without?: readonly Channel[];
      offer?: AssignmentState;
      next?: readonly QueuedJob[];
      onDelivered?: (tx: Tx) => Promise<unknown>;
    } = {},
  ): Promise<void> => {
    const quiet = job.kind === 'notify_test' ? [] : quietDevices(job, recipient.devices);
    const except = [...without, ...quiet.map(({ only }) => only)];
    const isPostponed = job.only !== undefined && except.includes(job.only);
    const deliveries = isPostponed
      ? []
      : await deps.notifier.notify(recipient, notification, { only: job.only, except });
    recordPushes(job, deliveries, offer);
    const failed = deliveries.filter(isRetried).map(({ channel }) => channel);
    if (job.only !== undefined && failed.length > 0)
      throw new NotificationFailed('notification could not be delivered');
    const retryAt = deps.clock.now() + FIRST_RETRY_DELAY_MS;
    const later = [...quiet, ...failed.map((only) => ({ only, until: retryAt }))];
    const isDelivered = deliveries.some(({ outcome }) => outcome === 'delivered');
    const record = isDelivered ? onDelivered : undefined;
    if (later.length === 0 && next.length === 0 && record === undefined) return;
    // After sending: if that throws, the queue repeats the whole job.
    await deps.uow.run(async (tx) => {
      await record?.(tx);
      for (const { job, runAt } of next) await tx.outbox.add(job, runAt);
      for (const { only, until } of later) await tx.outbox.add({ ...job, only }, until);
    });
  };

  const handlers: Handlers = {
    async notify_offer(job) {
      const [assignment, recipient] = await readOffer(job);
      if (assignment?.status !== 'pending_acceptance' || assignment.adjuster !== job.svcId) return;
      const { firmName, offeredAt, offerWaitHours: hours } = assignment;
      const { firmId, claimId, svcId } = job;
      const isFirst = job.only === undefined && hours !== null;
      const next = isFirst ? [reminderOf({ firmId, claimId, svcId, offeredAt, hours })] : [];
      const notification = { kind: 'offer', firmName, claimId } as const;
      await notify(job, recipient, notification, { offer: assignment, next });
    },

    async notify_offer_late(job) {
      const [offer, recipient] = await readOffer(job);
      if (!isOpenOffer(offer, job)) return;
      const { firmName, environment } = offer;
      const { firmId, claimId, svcId: adjuster, offeredAt } = job;
      await notify(
        job,
        recipient,
        { kind: 'offer', firmName, claimId },
        {
          onDelivered: (tx) =>
            tx.claims.recordReminder(
              { firmId, claimId, environment, offeredAt, adjuster },
              'remindedAt',
              deps.clock.now(),
            ),
        },
      );
    },

    remind_of_offer: makeRemindOfOffer(deps),
    remind_of_open_offers: makeRemindOfOpenOffers(deps),

    async notify_offer_withdrawn(job) {
      const [assignment, recipient] = await readOffer(job);
      if (assignment === null) return;
      // It may have been offered to them again.
      if (assignment.adjuster === job.svcId && assignment.status !== 'unassigned') return;
      const { firmName } = assignment;
      await notify(job, recipient, { kind: 'offer_withdrawn', firmName, claimId: job.claimId });
    },

    async notify_invitation(job) {
      const { firmId, svcId, invitedAt, isReminder = false } = job;
      const [firmName, record, recipient] = await Promise.all([
        deps.jobReads.firmName(firmId),
        deps.firmReads.adjuster(firmId, svcId),
        recipientOf(job),
      ]);
      const now = deps.clock.now();
      const pending =
        record !== null &&
        (isReminder
          ? isUnseenInvitation(record.membership, invitedAt, now)
          : record.membership.invitedAt === invitedAt && statusAt(record.membership, now) === 'pending');
      if (firmName === null || !pending) return;
      // A retry of the mail was counted before.
      const mayMail =
        job.only !== undefined || (await deps.uow.run((tx) => countInvitationMail(tx, deps, firmId, svcId)));
      const isFirst = job.only === undefined && !isReminder;
      const reminder = { kind: 'remind_of_invitation', firmId, svcId, invitedAt } as const;
      await notify(
        job,
        recipient,
        { kind: 'invitation', firmName, firmId, isReminder },
        {
          without: mayMail ? [] : ['mail'],
          next: isFirst ? [{ job: reminder, runAt: invitedAt + INVITATION_REMINDER_MS }] : [],
        },
      );
    },

    /** An invitation may have several of these jobs: the first one queues the notification. */
    remind_of_invitation: ({ firmId, svcId, invitedAt }) =>
      deps.uow.run(async (tx) => {
        const membership = await tx.memberships.lock(firmId, svcId);
        const now = deps.clock.now();
        if (membership === null || membership.remindedAt !== null) return;
        if (!isUnseenInvitation(membership, invitedAt, now)) return;
        await tx.memberships.save({ ...membership, remindedAt: now });
        await tx.outbox.add({ kind: 'notify_invitation', firmId, svcId, invitedAt, isReminder: true });
      }),

    notify_test: async (job) => notify(job, await recipientOf(job), { kind: 'test' }),

    notify_deadlines: async (job) =>
      notify(job, await recipientOf(job), { kind: 'deadlines', count: job.count }),

    remind_credentials: makeRemindOfCredentials(deps),

    async notify_credentials(job) {
      const { svcId, expiresOn } = job;
      const [adjuster, recipient] = await Promise.all([deps.appReads.adjuster(svcId), recipientOf(job)]);
      if (!endsOn(adjuster?.credentials, expiresOn)) return;
      await notify(job, recipient, { kind: 'credentials', expiresOn });
    },

    mail_webhook_paused: ({ firmId, endpointId }) => deps.webhookNotices.paused(firmId, endpointId),

    async mail_late_offers({ firmId, staffId, at }) {
      const now = deps.clock.now();
      const [firmName, count] = await Promise.all([
        deps.jobReads.firmName(firmId),
        deps.jobReads.lateOffers(firmId, now),
      ]);
      const member = await deps.uow.run(async (tx) => {
        // The lock and the time make a job that runs twice, or a second one, find nothing to do.
        const member = await tx.staff.lock({ firmId, staffId });
        if (member?.lateOffersMailAt !== at) return null;
        const next = mayGetLateOffersMail(member.role) ? nextLateOffersMail(Math.max(at, now)) : null;
        await tx.staff.save({ ...member, lateOffersMailAt: next });
        if (next === null) return null;
        await tx.outbox.add({ kind: 'mail_late_offers', firmId, staffId, at: next }, next);
        return member;
      });
      // After the commit and never repeated: rather no mail on a day than two.
      if (member !== null && firmName !== null && count > 0)
        await deps.mailer.sendLateOffers(member.email, firmName, count);
    },

    async remind_deadlines({ svcId, deviceId, at }) {
      const now = deps.clock.now();
      const [facts, overrides] = await Promise.all([
        readDeadlineFacts(deps.appReads, svcId),
        deps.jobReads.deadlineOverrides(),
      ]);
      await deps.uow.run(async (tx) => {
        // The lock and the time make a job that runs twice, or a second one, find nothing to do.
        const device = await tx.devices.lock(svcId, deviceId);
        if (device?.reminderAt !== at || device.preferences === null) return;
        const { timeZone } = device.preferences;
        const next = nextLocalTime(now, REMINDER_TIME, timeZone);
        const days = localDays(timeZone);
        const count = facts
          .flatMap((each) => deadlinesOf(each, overrides, days))
          .filter((deadline) => at < deadline.at && deadline.at <= next).length;
        await tx.devices.saveState(svcId, deviceId, { ...device, reminderAt: next });
        await tx.outbox.add({ kind: 'remind_deadlines', svcId, deviceId, at: next }, next);
        if (count > 0)
          await tx.outbox.add({ kind: 'notify_deadlines', svcId, only: `device:${deviceId}`, count });
      });
    },

    async simulate_offer_response({ firmId, claimId, svcId, offeredAt }) {
      const record = await deps.firmReads.adjuster(firmId, svcId);
      if (!record?.adjuster.testOf) return;
      const response = TEST_ACCOUNTS[record.adjuster.testOf.behavior].answersOffer;
      try {
        if (response === 'accept') await acceptClaim({ svcId }, claimId, { offeredAt });
        if (response === 'reject')
          await rejectClaim({ svcId }, claimId, TEST_REJECTION_REASON, { offeredAt });
      } catch (error) {
        // The claim was offered again, answered or closed.
        if (!(error instanceof DomainError)) throw error;
      }
    },

    simulate_invitation_response: ({ firmId, svcId, invitedAt }) =>
      deps.uow.run(async (tx) => {
        const adjuster = await tx.adjusters.find(svcId);
        const membership = await tx.memberships.lock(firmId, svcId);
        if (!adjuster?.testOf || membership?.invitedAt !== invitedAt) return;
        const response = TEST_ACCOUNTS[adjuster.testOf.behavior].answersInvitation;
        const at = deps.clock.now();
        if (statusAt(membership, at) !== 'pending' || response === undefined) return;
        const next =
          response === 'accept'
            ? acceptInvitation(membership, adjuster, at)
            : declineInvitation(membership, at);
        const action = response === 'accept' ? 'invitation.accept' : 'invitation.decline';
        await recordMemberAction(tx, { firmId, svcId }, BY_SERVICE, { at, action });
        await tx.memberships.save(next);
      }),
  };
  return (job) => (handlers[job.kind] as (job: Job) => Promise<void>)(job);
}
