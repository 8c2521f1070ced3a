import type { Instant, Svcid } from '@svc/domain';
import type { Job } from '../ports/jobs.ts';
import type { Clock } from '../ports/support.ts';
import type { UnitOfWork } from '../ports/unit-of-work.ts';

/** Of a process's 32 workers. A device's push service may take seconds for each job. */
export const MAX_RUNNING_PER_ACCOUNT = 8;
/** Between the new times of jobs that were put off, so that a long backlog is not read and put off again at once. */
const SPACING_MS = 20;

type RunJob = (job: Job) => Promise<void>;

/** Puts jobs off while the account they are for has as many running as it may, so that others do not wait for it. */
export function limitPerAccount(
  { uow, clock }: { readonly uow: UnitOfWork; readonly clock: Clock },
  run: RunJob,
): RunJob {
  const busy = new Map<Svcid, { running: number; nextAt: Instant }>();
  return async (job) => {
    const account = busy.get(job.svcId) ?? { running: 0, nextAt: 0 };
    if (account.running >= MAX_RUNNING_PER_ACCOUNT) {
      const nextAt = Math.max(account.nextAt, clock.now()) + SPACING_MS;
      account.nextAt = nextAt;
      return uow.run((tx) => tx.outbox.add(job, nextAt));
    }
    account.running += 1;
    busy.set(job.svcId, account);
    try {
      await run(job);
    } finally {
      account.running -= 1;
      if (account.running === 0) busy.delete(job.svcId);
    }
  };
}
