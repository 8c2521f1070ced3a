import type { Keys } from '@svc/application';
import type { TxSession } from '../driver/session.ts';
import { API_KEYS } from '../schema/entities.ts';
import { registryChanged } from './registry-version.ts';

export function pgKeys(session: TxSession): Keys {
  return {
    async add(key) {
      await session.orm('api_keys_add', (manager) => manager.insert(API_KEYS, key));
      registryChanged(session);
    },

    lock: (id) => {
      const lock = { mode: 'pessimistic_write' } as const;
      return session.orm('api_keys_lock', (manager) => manager.findOne(API_KEYS, { where: { id }, lock }));
    },

    // Firm and environment of a key never change; `noteUse` writes its last use.
    async save({ id, firmId, purpose, secretHash, expiresAt, revokedAt }) {
      const changes = { purpose, secretHash, expiresAt, revokedAt };
      await session.orm('api_keys_save', (manager) => manager.update(API_KEYS, { id, firmId }, changes));
      registryChanged(session);
    },
  };
}
