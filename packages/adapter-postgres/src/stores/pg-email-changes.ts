import type { EmailChanges } from '@svc/application';
import { first, sql, type TransactionExecutor } from '../driver/executor.ts';
import type { Encryption } from '../encryption/encryption.ts';
import { fieldsOf, PERSONAL, SERVICE } from '../encryption/personal-columns.ts';
import { EMAIL_CHANGES } from '../schema/entities.ts';

const FIELDS = fieldsOf(PERSONAL.email_changes);

const LOCK = sql('email_changes_lock', 'SELECT FROM email_changes WHERE svc_id = $1 FOR UPDATE');

export function pgEmailChanges(executor: TransactionExecutor, encryption: Encryption): EmailChanges {
  return {
    async put(change) {
      const encrypt = await encryption.encryptor(PERSONAL.email_changes, SERVICE, change.svcId);
      const stored = { ...change, email: encrypt('email', change.email) };
      await executor.orm('email_changes_put', (manager) => manager.upsert(EMAIL_CHANGES, stored, ['svcId']));
    },

    async lock(svcId) {
      executor.send(LOCK, [svcId]);
      const found = await executor.orm('email_changes_find', (manager) =>
        manager.findBy(EMAIL_CHANGES, { svcId }),
      );
      return first(await encryption.decrypt(found, FIELDS, () => ({ firmId: SERVICE, key: svcId })));
    },

    async remove(svcId) {
      await executor.orm('email_changes_remove', (manager) => manager.delete(EMAIL_CHANGES, { svcId }));
    },
  };
}
