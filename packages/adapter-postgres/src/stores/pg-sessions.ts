import type { Sessions } from '@svc/application';
import type { TxSession } from '../driver/session.ts';
import { SESSIONS } from '../schema/entities.ts';

export function pgSessions(session: TxSession): Sessions {
  return {
    async add(added) {
      await session.orm('sessions_add', (manager) => manager.insert(SESSIONS, added));
    },

    async setMethod(tokenHash, method) {
      await session.orm('sessions_set_method', (manager) =>
        manager.update(SESSIONS, { tokenHash }, { method }),
      );
    },

    async remove(tokenHash) {
      await session.orm('sessions_remove', (manager) => manager.delete(SESSIONS, { tokenHash }));
    },

    of: (svcId) =>
      session.orm('sessions_of', (manager) =>
        manager.find(SESSIONS, { where: { svcId }, order: { lastUsedAt: 'DESC', id: 'DESC' } }),
      ),

    async removeAllOf(svcId) {
      const remove = () =>
        session.orm('sessions_remove_all_of', (manager) => manager.delete(SESSIONS, { svcId }));
      return (await remove()).affected ?? 0;
    },
  };
}
