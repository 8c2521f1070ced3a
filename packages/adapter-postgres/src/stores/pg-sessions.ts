import type { Sessions } from '@svc/application';
import type { TxSession } from '../driver/session.ts';
import { SESSION_ROWS } from '../schema/entities.ts';

export function pgSessions(session: TxSession): Sessions {
  return {
    async add({ tokenHash, svcId, expiresAt }) {
      const row = { token_hash: tokenHash, svc_id: svcId, expires_at: expiresAt };
      await session.orm('sessions_add', (manager) => manager.getRepository(SESSION_ROWS).insert(row));
    },

    async remove(tokenHash) {
      await session.orm('sessions_remove', (manager) =>
        manager.getRepository(SESSION_ROWS).delete({ token_hash: tokenHash }),
      );
    },

    async removeAllOf(svcId) {
      await session.orm('sessions_remove_all_of', (manager) =>
        manager.getRepository(SESSION_ROWS).delete({ svc_id: svcId }),
      );
    },
  };
}
