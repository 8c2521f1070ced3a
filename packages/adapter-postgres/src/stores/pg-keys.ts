import type { ApiKey, Keys } from '@svc/application';
import type { EntityManager } from 'typeorm';
import type { TxSession } from '../driver/session.ts';
import { API_KEY_ROWS, type ApiKeyRow } from '../schema/entities.ts';
import { registryChanged } from './registry-version.ts';

export const keyFrom = (row: ApiKeyRow): ApiKey => ({
  id: row.id,
  firmId: row.firm_id,
  environment: row.environment,
  purpose: row.purpose,
  secretHash: row.secret_hash,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
  lastUsedAt: row.last_used_at,
});

const toRow = (key: ApiKey): ApiKeyRow => ({
  id: key.id,
  firm_id: key.firmId,
  environment: key.environment,
  purpose: key.purpose,
  secret_hash: key.secretHash,
  created_at: key.createdAt,
  expires_at: key.expiresAt,
  revoked_at: key.revokedAt,
  last_used_at: key.lastUsedAt,
});

const repository = (manager: EntityManager) => manager.getRepository(API_KEY_ROWS);

export function pgKeys(session: TxSession): Keys {
  return {
    async add(key) {
      await session.orm('api_keys_add', (manager) => repository(manager).insert(toRow(key)));
      registryChanged(session);
    },

    async lock(id) {
      const lock = { mode: 'pessimistic_write' } as const;
      const row = await session.orm('api_keys_lock', (manager) =>
        repository(manager).findOne({ where: { id }, lock }),
      );
      return row === null ? null : keyFrom(row);
    },

    async save(key) {
      // Firm and environment of a key never change; `noteUse` writes its last use.
      const { purpose, secret_hash, expires_at, revoked_at } = toRow(key);
      const changes = { purpose, secret_hash, expires_at, revoked_at };
      await session.orm('api_keys_save', (manager) => repository(manager).update({ id: key.id }, changes));
      registryChanged(session);
    },
  };
}
