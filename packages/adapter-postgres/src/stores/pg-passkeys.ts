import type { Passkey, Passkeys, UsedChallenges } from '@svc/application';
import type { Svcid } from '@svc/domain';
import { timestamp } from '../driver/column-types.ts';
import { sql, type TxSession } from '../driver/session.ts';
import { PASSKEYS, passkeyFrom } from '../schema/entities.ts';

const ADD = sql(
  'passkeys_add',
  `INSERT INTO passkeys (id, credential_id, svc_id, name, public_key, sign_count, transports, created_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (credential_id) DO NOTHING RETURNING 1`,
);

const USE_CHALLENGE = sql(
  'passkey_challenges_use',
  `INSERT INTO used_passkey_challenges (challenge, expires_at) VALUES ($1, $2)
   ON CONFLICT (challenge) DO NOTHING RETURNING 1`,
);

const WRITE_LOCK = { mode: 'pessimistic_write' } as const;

export function pgPasskeys(session: TxSession): Passkeys {
  const passkeysOf = async (name: string, svcId: Svcid, lock?: typeof WRITE_LOCK): Promise<Passkey[]> => {
    const order = { createdAt: 'ASC', id: 'ASC' } as const;
    const rows = await session.orm(name, (manager) =>
      manager.find(PASSKEYS, { where: { svcId }, order, ...(lock && { lock }) }),
    );
    return rows.map(passkeyFrom);
  };
  return {
    async add({ id, credentialId, svcId, name, publicKey, signCount, transports, createdAt }) {
      const values = [id, credentialId, svcId, name, publicKey, signCount, JSON.stringify(transports)];
      return (await session.rows(ADD, [...values, timestamp(createdAt)])).length === 1;
    },

    of: (svcId) => passkeysOf('passkeys_of', svcId),
    lockOf: (svcId) => passkeysOf('passkeys_lock_of', svcId, WRITE_LOCK),

    async lockByCredential(credentialId) {
      const row = await session.orm('passkeys_lock', (manager) =>
        manager.findOne(PASSKEYS, { where: { credentialId }, lock: WRITE_LOCK }),
      );
      return row === null ? null : passkeyFrom(row);
    },

    async save({ id, name, signCount, lastUsedAt }) {
      await session.orm('passkeys_save', (manager) =>
        manager.update(PASSKEYS, { id }, { name, signCount, lastUsedAt }),
      );
    },

    async remove(svcId, id) {
      await session.orm('passkeys_remove', (manager) => manager.delete(PASSKEYS, { svcId, id }));
    },

    async removeAllOf(svcId) {
      const remove = () =>
        session.orm('passkeys_remove_all_of', (manager) => manager.delete(PASSKEYS, { svcId }));
      return (await remove()).affected ?? 0;
    },
  };
}

export function pgUsedChallenges(session: TxSession): UsedChallenges {
  return {
    use: async (challenge, expiresAt) =>
      (await session.rows(USE_CHALLENGE, [challenge, timestamp(expiresAt)])).length === 1,
  };
}
