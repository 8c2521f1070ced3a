import type { SignInCodes } from '@svc/application';
import type { TxSession } from '../driver/session.ts';
import { SIGN_IN_CODES } from '../schema/entities.ts';

export function pgSignInCodes(session: TxSession): SignInCodes {
  return {
    async put(code) {
      await session.orm('sign_in_codes_put', (manager) => manager.upsert(SIGN_IN_CODES, code, ['slot']));
    },

    lock: (slot) => {
      const lock = { mode: 'pessimistic_write' } as const;
      return session.orm('sign_in_codes_lock', (manager) =>
        manager.findOne(SIGN_IN_CODES, { where: { slot }, lock }),
      );
    },

    async remove(slot) {
      await session.orm('sign_in_codes_remove', (manager) => manager.delete(SIGN_IN_CODES, { slot }));
    },
  };
}
