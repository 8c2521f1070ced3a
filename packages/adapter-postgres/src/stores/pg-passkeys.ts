import { accountRef, type Passkey, type Passkeys, type UsedChallenges } from '@svc/application';
import type { FindOptionsWhere } from 'typeorm';
import { timestamp } from '../driver/column-types.ts';
import { first, type Orm, sql, type TransactionExecutor } from '../driver/executor.ts';
import type { Encryption } from '../encryption/encryption.ts';
import { fieldsOf, PERSONAL, SERVICE } from '../encryption/personal-columns.ts';
import { accountColumns, PASSKEYS, type PasskeyRow, passkeyFrom } from '../schema/entities.ts';

const ADD = sql(
  'passkeys_add',
  `INSERT INTO passkeys (id, credential_id, svc_id, firm_id, staff_id, name, public_key, sign_count, transports, created_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (credential_id) DO NOTHING RETURNING 1`,
);

const USE_CHALLENGE = sql(
  'passkey_challenges_use',
  `INSERT INTO used_passkey_challenges (challenge, expires_at) VALUES ($1, $2)
   ON CONFLICT (challenge) DO NOTHING RETURNING 1`,
);

const LOCK_OF = sql('passkeys_lock_of', 'SELECT FROM passkeys WHERE svc_id = $1 ORDER BY id FOR UPDATE');
const LOCK_OF_STAFF = sql(
  'passkeys_lock_of_staff',
  'SELECT FROM passkeys WHERE firm_id = $1 AND staff_id = $2 ORDER BY id FOR UPDATE',
);
const LOCK = sql('passkeys_lock', 'SELECT FROM passkeys WHERE credential_id = $1 FOR UPDATE');

const FIELDS = fieldsOf(PERSONAL.passkeys);

export async function findPasskeys(
  orm: Orm,
  encryption: Encryption,
  where: FindOptionsWhere<PasskeyRow>,
): Promise<Passkey[]> {
  const order = { createdAt: 'ASC', id: 'ASC' } as const;
  const rows = await orm('passkeys_find', (manager) => manager.find(PASSKEYS, { where, order }));
  return (await encryption.decrypt(rows, FIELDS, ({ id }) => ({ firmId: SERVICE, key: id }))).map(
    passkeyFrom,
  );
}

export function pgPasskeys(executor: TransactionExecutor, encryption: Encryption): Passkeys {
  const encrypted = async ({ id, name }: Pick<Passkey, 'id' | 'name'>): Promise<string> => {
    const encrypt = await encryption.encryptor(PERSONAL.passkeys, SERVICE, id);
    return encrypt('name', name);
  };
  const find = (where: FindOptionsWhere<PasskeyRow>): Promise<Passkey[]> =>
    findPasskeys(executor.orm, encryption, where);
  return {
    async add(added) {
      const { id, credentialId, publicKey, signCount, transports, createdAt } = added;
      const { svcId, firmId, staffId } = accountColumns(added.account);
      const account = [svcId, firmId, staffId];
      const name = await encrypted(added);
      const values = [id, credentialId, ...account, name, publicKey, signCount, JSON.stringify(transports)];
      return (await executor.rows(ADD, [...values, timestamp(createdAt)])).length === 1;
    },

    of: (account) => find(accountRef(account)),

    async lockOf(account) {
      if ('svcId' in account) executor.send(LOCK_OF, [account.svcId]);
      else executor.send(LOCK_OF_STAFF, [account.firmId, account.staffId]);
      return find(accountRef(account));
    },

    async lockByCredential(credentialId) {
      executor.send(LOCK, [credentialId]);
      return first(await find({ credentialId }));
    },

    async save(saved) {
      const { id, signCount, lastUsedAt } = saved;
      const name = await encrypted(saved);
      await executor.orm('passkeys_save', (manager) =>
        manager.update(PASSKEYS, { id }, { name, signCount, lastUsedAt }),
      );
    },

    async remove(account, id) {
      await executor.orm('passkeys_remove', (manager) =>
        manager.delete(PASSKEYS, { ...accountRef(account), id }),
      );
    },

    async removeAllOf(account) {
      const remove = () =>
        executor.orm('passkeys_remove_all_of', (manager) => manager.delete(PASSKEYS, accountRef(account)));
      return (await remove()).affected ?? 0;
    },
  };
}

export function pgUsedChallenges(executor: TransactionExecutor): UsedChallenges {
  return {
    use: async (challenge, expiresAt) =>
      (await executor.rows(USE_CHALLENGE, [challenge, timestamp(expiresAt)])).length === 1,
  };
}
