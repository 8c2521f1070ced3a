import type { Deadlines } from '@svc/application';
import type { DeadlineOverride } from '@svc/domain';
import { first, sql, type TransactionExecutor } from '../driver/executor.ts';

const LOCK = sql(
  'deadlines_lock',
  'SELECT event, kind, hours, source FROM deadline_overrides WHERE event = $1 AND kind = $2 FOR UPDATE',
);

const PUT = sql(
  'deadlines_put',
  `INSERT INTO deadline_overrides (event, kind, hours, source) VALUES ($1, $2, $3, $4)
   ON CONFLICT (event, kind) DO UPDATE SET hours = excluded.hours, source = excluded.source`,
);

const REMOVE = sql('deadlines_remove', 'DELETE FROM deadline_overrides WHERE event = $1 AND kind = $2');

export function pgDeadlines(executor: TransactionExecutor): Deadlines {
  return {
    async lock(event, kind) {
      return first(await executor.rows<DeadlineOverride>(LOCK, [event, kind]));
    },

    async put({ event, kind, hours, source }) {
      executor.send(PUT, [event, kind, hours, source]);
    },

    async remove(event, kind) {
      executor.send(REMOVE, [event, kind]);
    },
  };
}
