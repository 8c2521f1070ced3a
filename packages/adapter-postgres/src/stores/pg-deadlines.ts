import type { Deadlines } from '@svc/application';
import type { DeadlineOverride } from '@svc/domain';
import { first, sql, type TxSession } from '../driver/session.ts';

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

export function pgDeadlines(session: TxSession): Deadlines {
  return {
    async lock(event, kind) {
      return first(await session.rows<DeadlineOverride>(LOCK, [event, kind]));
    },

    async put({ event, kind, hours, source }) {
      session.send(PUT, [event, kind, hours, source]);
    },

    async remove(event, kind) {
      session.send(REMOVE, [event, kind]);
    },
  };
}
