import type { EmailChanges } from '@svc/application';
import type { TxSession } from '../driver/session.ts';
import { EMAIL_CHANGES } from '../schema/entities.ts';

export function pgEmailChanges(session: TxSession): EmailChanges {
  return {
    async put(change) {
      await session.orm('email_changes_put', (manager) => manager.upsert(EMAIL_CHANGES, change, ['svcId']));
    },

    lock: (svcId) => {
      const lock = { mode: 'pessimistic_write' } as const;
      return session.orm('email_changes_lock', (manager) =>
        manager.findOne(EMAIL_CHANGES, { where: { svcId }, lock }),
      );
    },

    async remove(svcId) {
      await session.orm('email_changes_remove', (manager) => manager.delete(EMAIL_CHANGES, { svcId }));
    },
  };
}
