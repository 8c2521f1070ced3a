import type { Outbox } from '@svc/application';
import { sql, type TxSession } from '../session.ts';
import { timestampOrNull } from '../values.ts';

/** Tried again after e, e², e³ … seconds: the twelfth and last time about a day and a half later. */
export const JOB_ATTEMPTS = 12;

const ADD = sql(
  'outbox_add',
  `SELECT 1 FROM graphile_worker.add_job($1, payload => $2::json, run_at => $3, max_attempts => ${JOB_ATTEMPTS})`,
);

/** Jobs go into the queue's own table, in the transaction of their cause. */
export function pgOutbox(session: TxSession): Outbox {
  return {
    async add(job, runAt) {
      session.send(ADD, [job.kind, JSON.stringify(job), timestampOrNull(runAt ?? null)]);
    },
  };
}
