import type { SignInTicket, SignInTickets } from '@svc/application';
import { timestamp } from '../driver/column-types.ts';
import { first, sql, type TransactionExecutor } from '../driver/executor.ts';

const ADD = sql(
  'sign_in_tickets_add',
  'INSERT INTO sign_in_tickets (slot, accounts, method, expires_at) VALUES ($1, $2::json, $3, $4)',
);

/** Of two at the same time, the second finds no row. */
const TAKE = sql(
  'sign_in_tickets_take',
  `DELETE FROM sign_in_tickets WHERE slot = $1 RETURNING slot, accounts, method, expires_at AS "expiresAt"`,
);

type Row = Omit<SignInTicket, 'accounts'> & { readonly accounts: string };

export function pgSignInTickets(executor: TransactionExecutor): SignInTickets {
  return {
    async add({ slot, accounts, method, expiresAt }) {
      executor.send(ADD, [slot, JSON.stringify(accounts), method, timestamp(expiresAt)]);
    },

    async take(slot) {
      const row = first(await executor.rows<Row>(TAKE, [slot]));
      return row === null ? null : { ...row, accounts: JSON.parse(row.accounts) as SignInTicket['accounts'] };
    },
  };
}
