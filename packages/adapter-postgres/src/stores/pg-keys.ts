import type { Keys } from '@svc/application';
import { sql, type TransactionExecutor } from '../driver/executor.ts';
import { API_KEYS } from '../schema/entities.ts';
import { registryChanged } from './registry-version.ts';

const LOCK = sql('api_keys_lock', 'SELECT FROM api_keys WHERE id = $1 FOR UPDATE');

export function pgKeys(executor: TransactionExecutor): Keys {
  return {
    async add(key) {
      await executor.orm('api_keys_add', (manager) => manager.insert(API_KEYS, key));
      registryChanged(executor);
    },

    async lock(id) {
      executor.send(LOCK, [id]);
      return executor.orm('api_keys_find', (manager) => manager.findOneBy(API_KEYS, { id }));
    },

    // Firm and environment of a key never change; `noteUse` writes its last use.
    async save({ id, firmId, purpose, secretHash, expiresAt, revokedAt }) {
      const changes = { purpose, secretHash, expiresAt, revokedAt };
      await executor.orm('api_keys_save', (manager) => manager.update(API_KEYS, { id, firmId }, changes));
      registryChanged(executor);
    },
  };
}
