import type { Keys } from '@svc/application';
import { sql, type TxSession } from '../driver/session.ts';
import { API_KEYS } from '../schema/entities.ts';
import { registryChanged } from './registry-version.ts';

const LOCK = sql('api_keys_lock', 'SELECT FROM api_keys WHERE id = $1 FOR UPDATE');

export function pgKeys(session: TxSession): Keys {
  return {
    async add(key) {
      await session.orm('api_keys_add', (manager) => manager.insert(API_KEYS, key));
      registryChanged(session);
    },

    async lock(id) {
      session.send(LOCK, [id]);
      return session.orm('api_keys_find', (manager) => manager.findOneBy(API_KEYS, { id }));
    },

    // Firm and environment of a key never change; `noteUse` writes its last use.
    async save({ id, firmId, purpose, secretHash, expiresAt, revokedAt }) {
      const changes = { purpose, secretHash, expiresAt, revokedAt };
      await session.orm('api_keys_save', (manager) => manager.update(API_KEYS, { id, firmId }, changes));
      registryChanged(session);
    },
  };
}
