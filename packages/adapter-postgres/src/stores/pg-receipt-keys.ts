import type { ReceiptKey, ReceiptKeys } from '@svc/application';
import { type Executor, sql } from '../driver/executor.ts';

const ADD = sql(
  'receipt_keys_add',
  'INSERT INTO receipt_keys (kid, x, added_at) VALUES ($1, $2, now()) ON CONFLICT DO NOTHING',
);
const ALL = sql('receipt_keys_all', 'SELECT kid, x FROM receipt_keys ORDER BY added_at, kid');

export const pgReceiptKeys = (executor: Executor): ReceiptKeys => ({
  async add({ kid, x }) {
    await executor.rows(ADD, [kid, x]);
  },
  all: () => executor.rows<ReceiptKey>(ALL, []),
});
