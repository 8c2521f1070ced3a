import type { Deadlines } from '@svc/application';
import { sql, type TxSession } from '../driver/session.ts';

const PUT = sql(
  'deadlines_put',
  `INSERT INTO deadline_overrides (event, kind, hours, source) VALUES ($1, $2, $3, $4)
   ON CONFLICT (event, kind) DO UPDATE SET hours = excluded.hours, source = excluded.source`,
);

const REMOVE = sql(
  'deadlines_remove',
  'DELETE FROM deadline_overrides WHERE event = $1 AND kind = $2 RETURNING 1',
);

export function pgDeadlines(session: TxSession): Deadlines {
  return {
    async put({ event, kind, hours, source }) {
      session.send(PUT, [event, kind, hours, source]);
    },

    async remove(event, kind) {
      return (await session.rows(REMOVE, [event, kind])).length === 1;
    },
  };
}
