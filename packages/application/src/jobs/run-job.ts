import {
  acceptInvitation,
  acceptOrLapse,
  declineInvitation,
  rejectClaim,
  SECOND,
  statusAt,
  TEST_ACCOUNTS,
  TEST_REJECTION_REASON,
} from '@svc/domain';
import type { Job } from '../ports/jobs.ts';
import type { Notification, Notifier } from '../ports/notifications.ts';
import type { FirmReads, JobReads } from '../ports/reads.ts';
import type { Clock } from '../ports/support.ts';
import type { UnitOfWork } from '../ports/unit-of-work.ts';
import { adjusterObject, BY_SERVICE, claimObject, recordAct } from '../support/audit.ts';

interface Deps {
  readonly uow: UnitOfWork;
  readonly reads: JobReads;
  readonly firmReads: FirmReads;
  readonly notifier: Notifier;
  readonly clock: Clock;
}

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
  const notify = async (
    job: Extract<Job, { kind: `notify_${string}` }>,
    notification: Notification,
  ): Promise<void> => {
    const failed = await deps.notifier.notify(job.svcId, notification, job.only);
    if (failed.length === 0) return;
    if (job.only !== undefined) throw new NotificationFailed('notification could not be delivered');
    const at = deps.clock.now() + FIRST_RETRY_DELAY_MS;
    await deps.uow.run(async (tx) => {
      for (const only of failed) await tx.outbox.add({ ...job, only }, at);
    });
  };

  const handlers: Handlers = {
    async notify_offer(job) {
      const { firmId, claimId, svcId } = job;
      const [firmName, claim] = await Promise.all([
        deps.reads.firmName(firmId),
        deps.firmReads.claim(firmId, 'live', claimId),
      ]);
      const pending =
        claim?.assignment.status === 'pending_acceptance' && claim.assignment.adjuster === svcId;
      if (firmName !== null && pending) await notify(job, { kind: 'offer', firmName, claimId });
    },

    async notify_offer_withdrawn(job) {
      const { firmId, claimId, svcId } = job;
      const [firmName, claim] = await Promise.all([
        deps.reads.firmName(firmId),
        deps.firmReads.claim(firmId, 'live', claimId),
      ]);
      // It may have been offered to them again.
      const withdrawn = claim !== null && claim.assignment.adjuster !== svcId;
      if (firmName !== null && withdrawn) await notify(job, { kind: 'offer_withdrawn', firmName, claimId });
    },

    async notify_invitation(job) {
      const { firmId, svcId, invitedAt } = job;
      const [firmName, record] = await Promise.all([
        deps.reads.firmName(firmId),
        deps.firmReads.adjuster(firmId, svcId),
      ]);
      const pending =
        record?.membership.invitedAt === invitedAt &&
        statusAt(record.membership, deps.clock.now()) === 'pending';
      if (firmName !== null && pending) await notify(job, { kind: 'invitation', firmName, firmId });
    },

    simulate_offer_response: ({ claimId, svcId, offeredAt }) =>
      deps.uow.run(async (tx) => {
        const adjuster = await tx.adjusters.find(svcId);
        const [membership, claim] = await Promise.all([
          tx.memberships.lockSharedOfSender(svcId, claimId),
          tx.claims.lockOfferedTo(svcId, claimId),
        ]);
        const response = adjuster?.testOf ? TEST_ACCOUNTS[adjuster.testOf.behavior].answersOffer : undefined;
        const assignment = claim?.assignment;
        const pending = assignment?.status === 'pending_acceptance' && assignment.offeredAt === offeredAt;
        if (claim === null || !pending || response === undefined || claim.closedAt !== null) return;
        const at = deps.clock.now();
        const next =
          response === 'accept'
            ? acceptOrLapse(claim, membership, { by: svcId, at })
            : rejectClaim(claim, { by: svcId, at, reason: TEST_REJECTION_REASON });
        const action = response === 'accept' ? 'claim.accept' : 'claim.reject';
        await recordAct(tx, claim.firmId, BY_SERVICE, { at, action, object: claimObject(claimId) });
        await tx.claims.save(next);
      }),

    simulate_invitation_response: ({ firmId, svcId, invitedAt }) =>
      deps.uow.run(async (tx) => {
        const adjuster = await tx.adjusters.find(svcId);
        const membership = await tx.memberships.lock(firmId, svcId);
        const response = adjuster?.testOf
          ? TEST_ACCOUNTS[adjuster.testOf.behavior].answersInvitation
          : undefined;
        const at = deps.clock.now();
        const pending = membership?.invitedAt === invitedAt && statusAt(membership, at) === 'pending';
        if (adjuster === null || membership === null || !pending || response === undefined) return;
        const next =
          response === 'accept'
            ? acceptInvitation(membership, adjuster, at)
            : declineInvitation(membership, at);
        const action = response === 'accept' ? 'invitation.accept' : 'invitation.decline';
        await recordAct(tx, firmId, BY_SERVICE, { at, action, object: adjusterObject(svcId) });
        await tx.memberships.save(next);
      }),
  };
  return (job) => (handlers[job.kind] as (job: Job) => Promise<void>)(job);
}
