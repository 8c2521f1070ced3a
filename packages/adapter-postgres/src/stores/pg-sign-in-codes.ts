import type { SignInCodes } from '@svc/application';
import type { EntityManager } from 'typeorm';
import type { TxSession } from '../driver/session.ts';
import { SIGN_IN_CODE_ROWS } from '../schema/entities.ts';

const repository = (manager: EntityManager) => manager.getRepository(SIGN_IN_CODE_ROWS);

export function pgSignInCodes(session: TxSession): SignInCodes {
  return {
    async put({ emailKey, codeHash, expiresAt, seed }) {
      const row = { email_key: emailKey, code_hash: codeHash, expires_at: expiresAt, seed };
      await session.orm('sign_in_codes_put', (manager) => repository(manager).upsert(row, ['email_key']));
    },

    async lock(emailKey) {
      const lock = { mode: 'pessimistic_write' } as const;
      const row = await session.orm('sign_in_codes_lock', (manager) =>
        repository(manager).findOne({ where: { email_key: emailKey }, lock }),
      );
      if (row === null) return null;
      return {
        emailKey: row.email_key,
        codeHash: row.code_hash,
        expiresAt: row.expires_at,
        seed: row.seed,
      };
    },

    async remove(emailKey) {
      await session.orm('sign_in_codes_remove', (manager) =>
        repository(manager).delete({ email_key: emailKey }),
      );
    },
  };
}
