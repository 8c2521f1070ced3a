import type { ApiKey, Keys } from '@svc/application';
import type { FirmId, Instant } from '@svc/domain';
import type { FindManyOptions } from 'typeorm';
import { timestamp } from '../driver/column-types.ts';
import { type Executor, first, type Orm, sql, type TransactionExecutor } from '../driver/executor.ts';
import type { Encryption } from '../encryption/encryption.ts';
import { fieldsOf, PERSONAL } from '../encryption/personal-columns.ts';
import { API_KEYS } from '../schema/entities.ts';
import { registryChanged } from './registry-version.ts';

export const KEY_COLUMNS = `id, firm_id AS "firmId", name, environment, purpose, made_by AS "madeBy", made_by_name AS "madeByName",
  secret_hash AS "secretHash", created_at AS "createdAt", expires_at AS "expiresAt", revoked_at AS "revokedAt",
  lifetime_ms AS "lifetimeMs", last_used_at AS "lastUsedAt"`;

const LOCK = sql('api_keys_lock', 'SELECT FROM api_keys WHERE id = $1 FOR UPDATE');

const WORKING = sql(
  'api_keys_working',
  `SELECT ${KEY_COLUMNS} FROM api_keys
    WHERE firm_id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)
    ORDER BY created_at DESC, id DESC`,
);

const FIELDS = fieldsOf(PERSONAL.api_keys, (column) => (column === 'name' ? 'name' : 'madeByName'));

const keysFrom = async (encryption: Encryption, rows: ApiKey[]): Promise<ApiKey[]> =>
  encryption.decrypt(rows, FIELDS, ({ firmId, id }) => ({ firmId, key: id }));

export const findKeys = async (
  orm: Orm,
  encryption: Encryption,
  options: FindManyOptions<ApiKey>,
): Promise<ApiKey[]> =>
  keysFrom(encryption, await orm('api_keys_find', (manager) => manager.find(API_KEYS, options)));

export const keyRows = async (
  executor: Executor,
  encryption: Encryption,
  ...statement: Parameters<Executor['rows']>
): Promise<ApiKey[]> => keysFrom(encryption, await executor.rows<ApiKey>(...statement));

export const workingKeysOf = (
  executor: Executor,
  encryption: Encryption,
  firmId: FirmId,
  now: Instant,
): Promise<ApiKey[]> => keyRows(executor, encryption, WORKING, [firmId, timestamp(now)]);

export function pgKeys(executor: TransactionExecutor, encryption: Encryption): Keys {
  const encryptor = ({ firmId, id }: ApiKey) => encryption.encryptor(PERSONAL.api_keys, firmId, id);
  return {
    async add(key) {
      const encrypt = await encryptor(key);
      const { name, madeByName } = key;
      const stored = {
        ...key,
        name: encrypt('name', name),
        madeByName: encrypt('made_by_name', madeByName),
      };
      await executor.orm('api_keys_add', (manager) => manager.insert(API_KEYS, stored));
      registryChanged(executor);
    },

    async lock(id) {
      executor.send(LOCK, [id]);
      return first(await findKeys(executor.orm, encryption, { where: { id } }));
    },

    working: (firmId, now) => workingKeysOf(executor, encryption, firmId, now),

    // Firm, environment and maker of a key never change; `noteUse` writes its last use.
    async save(key) {
      const { id, firmId, purpose, secretHash, expiresAt, revokedAt } = key;
      const name = (await encryptor(key))('name', key.name);
      const changes = { name, purpose, secretHash, expiresAt, revokedAt };
      await executor.orm('api_keys_save', (manager) => manager.update(API_KEYS, { id, firmId }, changes));
      registryChanged(executor);
    },
  };
}
