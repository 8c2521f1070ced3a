import type { Sessions } from '@svc/application';
import type { TxSession } from '../driver/session.ts';
import { SESSIONS } from '../schema/entities.ts';

export function pgSessions(session: TxSession): Sessions {
  return {
    async add(added) {
      await session.orm('sessions_add', (manager) => manager.insert(SESSIONS, added));
    },

    async remove(tokenHash) {
      await session.orm('sessions_remove', (manager) => manager.delete(SESSIONS, { tokenHash }));
    },

    async removeAllOf(svcId) {
      await session.orm('sessions_remove_all_of', (manager) => manager.delete(SESSIONS, { svcId }));
    },
  };
}
