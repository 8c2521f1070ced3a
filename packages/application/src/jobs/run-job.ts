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

interface Deps {
  readonly uow: UnitOfWork;
  readonly reads: JobReads;
  readonly firmReads: FirmReads;
  readonly notifier: Notifier;
  readonly clock: Clock;
}

/** How long after its first failure a channel is tried again; after that the queue backs off by itself. */
const FIRST_PAUSE = 2 * SECOND;

/** A channel is still not to be had. */
class NotHandedOn extends Error {
  override readonly name = 'NotHandedOn';
}

type Handlers = { readonly [K in Job['kind']]: (job: Extract<Job, { kind: K }>) => Promise<void> };

/**
 * Runs one job. Jobs come at least once and late, so each looks first whether its cause still stands and is harmless
 * when it does not. What it throws makes the queue try again.
 */
export function makeRunJob(deps: Deps): (job: Job) => Promise<void> {
  const tell = async (
    job: Extract<Job, { kind: `notify_${string}` }>,
    notice: Notification,
  ): Promise<void> => {
    const late = await deps.notifier.notify(job.svcId, notice, job.only);
    if (late.length === 0) return;
    if (job.only !== undefined) throw new NotHandedOn('the notice could not be handed on');
    const at = deps.clock.now() + FIRST_PAUSE;
    await deps.uow.run(async (tx) => {
      for (const only of late) await tx.outbox.add({ ...job, only }, at);
    });
  };

  const handlers: Handlers = {
    async notify_offer(job) {
      const { firmId, claimId, svcId } = job;
      const [firmName, claim] = await Promise.all([
        deps.reads.firmName(firmId),
        deps.firmReads.claim(firmId, 'live', claimId),
      ]);
      const waits = claim?.assignment.status === 'pending_acceptance' && claim.assignment.adjuster === svcId;
      if (firmName !== null && waits) await tell(job, { kind: 'offer', firmName, claimId });
    },

    async notify_offer_withdrawn(job) {
      const { firmId, claimId, svcId } = job;
      const [firmName, claim] = await Promise.all([
        deps.reads.firmName(firmId),
        deps.firmReads.claim(firmId, 'live', claimId),
      ]);
      // It may have come back to them meanwhile.
      const gone = claim !== null && claim.assignment.adjuster !== svcId;
      if (firmName !== null && gone) await tell(job, { kind: 'offer_withdrawn', firmName, claimId });
    },

    async notify_invitation(job) {
      const { firmId, svcId, invitedAt } = job;
      const [firmName, record] = await Promise.all([
        deps.reads.firmName(firmId),
        deps.firmReads.adjuster(firmId, svcId),
      ]);
      const waits =
        record?.membership.invitedAt === invitedAt &&
        statusAt(record.membership, deps.clock.now()) === 'pending';
      if (firmName !== null && waits) await tell(job, { kind: 'invitation', firmName, firmId });
    },

    rehearse_offer_answer: ({ claimId, svcId, offeredAt }) =>
      deps.uow.run(async (tx) => {
        const adjuster = await tx.adjusters.find(svcId);
        const [membership, claim] = await Promise.all([
          tx.memberships.lockSharedOfSender(svcId, claimId),
          tx.claims.lockOfferedTo(svcId, claimId),
        ]);
        const answer = adjuster?.testOf ? TEST_ACCOUNTS[adjuster.testOf.behavior].answersOffer : undefined;
        const assignment = claim?.assignment;
        const waits = assignment?.status === 'pending_acceptance' && assignment.offeredAt === offeredAt;
        if (claim === null || !waits || answer === undefined || claim.closedAt !== null) return;
        const at = deps.clock.now();
        const answered =
          answer === 'accept'
            ? acceptOrLapse(claim, membership, { by: svcId, at })
            : rejectClaim(claim, { by: svcId, at, reason: TEST_REJECTION_REASON });
        await tx.claims.save(answered);
      }),

    rehearse_invitation_answer: ({ firmId, svcId, invitedAt }) =>
      deps.uow.run(async (tx) => {
        const adjuster = await tx.adjusters.find(svcId);
        const membership = await tx.memberships.lock(firmId, svcId);
        const answer = adjuster?.testOf
          ? TEST_ACCOUNTS[adjuster.testOf.behavior].answersInvitation
          : undefined;
        const at = deps.clock.now();
        const waits = membership?.invitedAt === invitedAt && statusAt(membership, at) === 'pending';
        if (adjuster === null || membership === null || !waits || answer === undefined) return;
        const answered =
          answer === 'accept'
            ? acceptInvitation(membership, adjuster, at)
            : declineInvitation(membership, at);
        await tx.memberships.save(answered);
      }),
  };
  return (job) => (handlers[job.kind] as (job: Job) => Promise<void>)(job);
}
