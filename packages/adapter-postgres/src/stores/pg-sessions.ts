import { accountRef, type Session, type Sessions } from '@svc/application';
import { type FindOptionsWhere, IsNull } from 'typeorm';
import type { Orm, TransactionExecutor } from '../driver/executor.ts';
import type { Encryption } from '../encryption/encryption.ts';
import { fieldsOf, PERSONAL, SERVICE } from '../encryption/personal-columns.ts';
import { DEVICES, SESSIONS, type SessionRow, sessionFrom, sessionRow } from '../schema/entities.ts';

const FIELDS = fieldsOf(PERSONAL.sessions, () => 'deviceName');

export async function findSessions(
  orm: Orm,
  encryption: Encryption,
  where: FindOptionsWhere<SessionRow>,
): Promise<Session[]> {
  const order = { lastUsedAt: 'DESC', id: 'DESC' } as const;
  const found = await orm('sessions_find', (manager) => manager.find(SESSIONS, { where, order }));
  const rows = await encryption.decrypt(found, FIELDS, ({ tokenHash }) => ({
    firmId: SERVICE,
    key: tokenHash,
  }));
  return rows.map(sessionFrom);
}

export function pgSessions(executor: TransactionExecutor, encryption: Encryption): Sessions {
  return {
    async add(added) {
      const encrypt = await encryption.encryptor(PERSONAL.sessions, SERVICE, added.tokenHash);
      const stored = { ...sessionRow(added), deviceName: encrypt('device_name', added.deviceName) };
      await executor.orm('sessions_add', (manager) => manager.insert(SESSIONS, stored));
    },

    async setMethod(tokenHash, method) {
      await executor.orm('sessions_set_method', (manager) =>
        manager.update(SESSIONS, { tokenHash }, { method }),
      );
    },

    async move(tokenHash, { firmId, staffId }) {
      const moved = await executor.orm('sessions_move', (manager) =>
        manager.update(SESSIONS, { tokenHash, svcId: IsNull() }, { firmId, staffId }),
      );
      return moved.affected === 1;
    },

    async remove({ account, tokenHash }) {
      await executor.orm('sessions_remove', async (manager) => {
        // By account, since its primary key is the only index of the table. Staff have no devices.
        if ('svcId' in account)
          await manager.delete(DEVICES, { svcId: account.svcId, sessionHash: tokenHash });
        await manager.delete(SESSIONS, { tokenHash });
      });
    },

    of: (account) => findSessions(executor.orm, encryption, accountRef(account)),

    async removeAllOf(account) {
      const removed = await executor.orm('sessions_remove_all_of', async (manager) => {
        if ('svcId' in account) await manager.delete(DEVICES, { svcId: account.svcId });
        return manager.delete(SESSIONS, accountRef(account));
      });
      return removed.affected ?? 0;
    },
  };
}
