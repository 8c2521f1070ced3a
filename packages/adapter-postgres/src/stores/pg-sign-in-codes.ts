import type { SignInCode, SignInCodes } from '@svc/application';
import { timestamp } from '../driver/column-types.ts';
import { first, sql, type TransactionExecutor } from '../driver/executor.ts';

const PUT = sql(
  'sign_in_codes_put',
  `INSERT INTO sign_in_codes (email_key, code_hash, expires_at, seed) VALUES ($1, $2, $3, $4)
   ON CONFLICT (email_key) DO UPDATE
     SET code_hash = excluded.code_hash, expires_at = excluded.expires_at, seed = excluded.seed`,
);

const LOCK = sql(
  'sign_in_codes_lock',
  `SELECT email_key AS slot, code_hash AS "codeHash", expires_at AS "expiresAt", seed FROM sign_in_codes
   WHERE email_key = $1 FOR UPDATE`,
);

const REMOVE = sql('sign_in_codes_remove', 'DELETE FROM sign_in_codes WHERE email_key = $1');

export function pgSignInCodes(executor: TransactionExecutor): SignInCodes {
  return {
    async put({ slot, codeHash, expiresAt, seed }) {
      executor.send(PUT, [slot, codeHash, timestamp(expiresAt), seed]);
    },

    lock: async (slot) => first(await executor.rows<SignInCode>(LOCK, [slot])),

    async remove(slot) {
      executor.send(REMOVE, [slot]);
    },
  };
}
