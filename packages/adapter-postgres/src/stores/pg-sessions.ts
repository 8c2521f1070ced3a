import type { Session, Sessions } from '@svc/application';
import type { FindOptionsWhere } from 'typeorm';
import type { Orm, TransactionExecutor } from '../driver/executor.ts';
import type { Encryption } from '../encryption/encryption.ts';
import { fieldsOf, PERSONAL, SERVICE } from '../encryption/personal-columns.ts';
import { DEVICES, SESSIONS } from '../schema/entities.ts';

const FIELDS = fieldsOf(PERSONAL.sessions, () => 'deviceName');

export async function findSessions(
  orm: Orm,
  encryption: Encryption,
  where: FindOptionsWhere<Session>,
): Promise<Session[]> {
  const order = { lastUsedAt: 'DESC', id: 'DESC' } as const;
  const found = await orm('sessions_find', (manager) => manager.find(SESSIONS, { where, order }));
  return encryption.decrypt(found, FIELDS, ({ tokenHash }) => ({ firmId: SERVICE, key: tokenHash }));
}

export function pgSessions(executor: TransactionExecutor, encryption: Encryption): Sessions {
  return {
    async add(added) {
      const encrypt = await encryption.encryptor(PERSONAL.sessions, SERVICE, added.tokenHash);
      const stored = { ...added, deviceName: encrypt('device_name', added.deviceName) };
      await executor.orm('sessions_add', (manager) => manager.insert(SESSIONS, stored));
    },

    async setMethod(tokenHash, method) {
      await executor.orm('sessions_set_method', (manager) =>
        manager.update(SESSIONS, { tokenHash }, { method }),
      );
    },

    async remove({ svcId, tokenHash }) {
      await executor.orm('sessions_remove', async (manager) => {
        // By account, since its primary key is the only index of the table.
        await manager.delete(DEVICES, { svcId, sessionHash: tokenHash });
        await manager.delete(SESSIONS, { tokenHash });
      });
    },

    of: (svcId) => findSessions(executor.orm, encryption, { svcId }),

    async removeAllOf(svcId) {
      const removed = await executor.orm('sessions_remove_all_of', async (manager) => {
        await manager.delete(DEVICES, { svcId });
        return manager.delete(SESSIONS, { svcId });
      });
      return removed.affected ?? 0;
    },
  };
}
