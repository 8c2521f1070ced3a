import type { Outbox } from '@svc/application';
import { timestampOrNull } from '../driver/column-types.ts';
import { sql, type TxSession } from '../driver/session.ts';

/** Retried after e, e², e³ … seconds: the twelfth and last attempt is about a day later. */
const JOB_ATTEMPTS = 12;

/**
 * graphile-worker's `add_job` without its NOTIFY. Commits with a NOTIFY are serialized by a lock held while the WAL is
 * flushed, so group commit is lost: sends fell to a quarter. Workers poll several times a second instead.
 *
 * The table is private, so graphile-worker's version is pinned, and a test compares this row with one of `add_job`.
 */
const ADD = sql(
  'outbox_add',
  `INSERT INTO graphile_worker._private_jobs (task_id, payload, run_at, max_attempts)
   SELECT (SELECT id FROM graphile_worker._private_tasks WHERE identifier = $1), $2::json, coalesce($3, now()),
     ${JOB_ATTEMPTS}`,
);

/** Adds jobs to the queue's table in the transaction that causes them. */
export function pgOutbox(session: TxSession): Outbox {
  return {
    async add(job, runAt) {
      session.send(ADD, [job.kind, JSON.stringify(job), timestampOrNull(runAt ?? null)]);
    },
  };
}
