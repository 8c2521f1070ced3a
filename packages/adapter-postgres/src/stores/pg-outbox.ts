import type { JobKind, Outbox, QueuedJob } from '@svc/application';
import { arrayOf, timestampOrNull } from '../driver/column-types.ts';
import { DatabaseError } from '../driver/errors.ts';
import { first, sql, type TxSession } from '../driver/session.ts';

/** Retried after e, e², e³ … seconds: the twelfth and last attempt is about a day later. */
const JOB_ATTEMPTS = 12;

/**
 * graphile-worker's `add_job` without its NOTIFY. Commits with a NOTIFY are serialized by a lock held while the WAL is
 * flushed, so group commit is lost: sends fell to a quarter. Workers poll several times a second instead.
 *
 * The table is private, so graphile-worker's version is pinned, and a test compares this row with one of `add_job`.
 */
const INSERT_JOB = 'INSERT INTO graphile_worker._private_jobs (task_id, payload, run_at, max_attempts)';
const FIND_TASK = 'SELECT id FROM graphile_worker._private_tasks WHERE identifier = $1';
const REST_OF_JOB = `$2::json, coalesce($3, now()), ${JOB_ATTEMPTS}`;
const ADD = sql('outbox_add', `${INSERT_JOB} SELECT (${FIND_TASK}), ${REST_OF_JOB}`);

/** The payloads are lines: in an array, all quotes of their JSON would be escaped, and read again. */
const ADD_MANY = sql(
  'outbox_add_many',
  `${INSERT_JOB}
   SELECT (${FIND_TASK.replace('$1', 'added.kind')}), added.payload::json, coalesce(added.run_at, now()), ${JOB_ATTEMPTS}
     FROM unnest($1::text[], string_to_array($2, E'\\n'), $3::timestamptz[]) AS added (kind, payload, run_at)`,
);

export const addMany = (session: TxSession, jobs: readonly QueuedJob[]): void =>
  session.send(ADD_MANY, [
    arrayOf(jobs.map(({ job }) => job.kind)),
    jobs.map(({ job }) => JSON.stringify(job)).join('\n'),
    arrayOf(jobs.map(({ runAt }) => timestampOrNull(runAt ?? null))),
  ]);

/** Citus would plan ADD again on every execution, which takes twice the time. */
const TASK = sql('outbox_task', FIND_TASK);
const ADD_TO_TASK = sql('outbox_add_to_task', `${INSERT_JOB} VALUES ($1, ${REST_OF_JOB})`);

/** The ids of graphile-worker's tasks, which never change. Filled and used on Citus alone. */
export type TaskIds = Map<JobKind, number>;

/** Adds jobs to the queue's table in the transaction that causes them. */
export function pgOutbox(session: TxSession, taskIds: TaskIds): Outbox {
  const taskId = async (kind: JobKind): Promise<number> => {
    const id = taskIds.get(kind) ?? first(await session.rows<{ id: number }>(TASK, [kind]))?.id;
    if (id === undefined) throw new DatabaseError(`There is no task of the kind ${kind}.`);
    taskIds.set(kind, id);
    return id;
  };
  return {
    async add(job, runAt) {
      const rest = [JSON.stringify(job), timestampOrNull(runAt ?? null)];
      if (session.onCitus) session.send(ADD_TO_TASK, [await taskId(job.kind), ...rest]);
      else session.send(ADD, [job.kind, ...rest]);
    },
  };
}
