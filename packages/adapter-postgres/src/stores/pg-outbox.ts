import type { Outbox } from '@svc/application';
import { timestampOrNull } from '../driver/column-types.ts';
import { sql, type TxSession } from '../driver/session.ts';

/** Tried again after e, e², e³ … seconds: the twelfth and last time about a day later. */
const JOB_ATTEMPTS = 12;

/**
 * What the queue's own `add_job` does, but for its NOTIFY. PostgreSQL lets one transaction at a time through a commit
 * with a NOTIFY in it, from before the log is flushed until after, so that commits are no longer flushed together:
 * sends fell to a quarter. The queue looks for jobs several times a second instead, which it must be able to do anyway.
 *
 * Its tables are its own business, so its version is pinned, and a test holds this row against one of `add_job`.
 */
const ADD = sql(
  'outbox_add',
  `INSERT INTO graphile_worker._private_jobs (task_id, payload, run_at, max_attempts)
   VALUES ((SELECT id FROM graphile_worker._private_tasks WHERE identifier = $1), $2::json, coalesce($3, now()),
     ${JOB_ATTEMPTS})`,
);

/** Jobs go into the queue's own table, in the transaction of their cause. */
export function pgOutbox(session: TxSession): Outbox {
  return {
    async add(job, runAt) {
      session.send(ADD, [job.kind, JSON.stringify(job), timestampOrNull(runAt ?? null)]);
    },
  };
}
