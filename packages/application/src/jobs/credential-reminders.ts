import { endToRemindOf, withNextReminder } from '@svc/domain';
import type { Job } from '../model/job.ts';
import type { Needs } from '../ports/needs.ts';

export const makeRemindOfCredentials =
  ({ uow, clock }: Needs<'uow' | 'clock'>) =>
  ({ svcId, at }: Extract<Job, { kind: 'remind_credentials' }>): Promise<void> =>
    uow.run(async (tx) => {
      const stored = (await tx.adjusters.lock(svcId))?.credentials;
      // The lock and the time make a job that runs twice, or a second one, find nothing to do.
      if (stored?.remindAt !== at) return;
      const now = Math.max(at, clock.now());
      const expiresOn = endToRemindOf(stored, at, now);
      const credentials = withNextReminder(stored, now);
      const { remindAt: next } = credentials;
      await tx.adjusters.saveCredentials(svcId, credentials);
      if (next !== undefined) await tx.outbox.add({ kind: 'remind_credentials', svcId, at: next }, next);
      if (expiresOn !== undefined) await tx.outbox.add({ kind: 'notify_credentials', svcId, expiresOn });
    });
