import type { ClaimJob, Job, Outbox, QueuedJob, QueueState } from '@svc/application';
import { arrayOf, timestampOrNull } from '../driver/column-types.ts';
import { type Executor, only, sql, type TransactionExecutor } from '../driver/executor.ts';

/** A lock that is not extended belongs to a process that was killed or cannot reach PostgreSQL. */
export const LOCK_MS = 15_000;

/** The payloads are lines: in an array, all quotes of their JSON would be escaped, and read again. */
const ADD_MANY = sql(
  'jobs_add_many',
  `INSERT INTO jobs (payload, run_at) SELECT payload::json, coalesce(run_at, now())
     FROM unnest(string_to_array($1, E'\\n'), $2::timestamptz[]) AS added (payload, run_at)`,
);

const LOCK_UNTIL = `now() + interval '${LOCK_MS} ms'`;
const IS_FREE = '(locked_until IS NULL OR locked_until <= now())';
/** An array, which no plan turns into a join with the whole table. */
const TAKE = sql(
  'jobs_take',
  `UPDATE jobs SET attempts = attempts + 1, locked_until = ${LOCK_UNTIL}
    WHERE id = ANY (ARRAY(
      SELECT id FROM jobs WHERE failed_at IS NULL AND run_at <= now() AND ${IS_FREE}
         AND svc_id <> ALL ($2::text[]) AND (firm_id IS NULL OR firm_id::text <> ALL ($2::text[]))
       ORDER BY run_at LIMIT $1 FOR UPDATE SKIP LOCKED))
   RETURNING id, payload AS job, attempts AS attempt`,
);
const EXTEND = sql(
  'jobs_extend',
  `UPDATE jobs SET locked_until = ${LOCK_UNTIL} WHERE id = ANY ($1::bigint[]) AND locked_until IS NOT NULL`,
);
const REMOVE = sql('jobs_remove', 'DELETE FROM jobs WHERE id = ANY ($1::bigint[])');
/** Not when another process has taken the job since. */
const OF_ATTEMPT = 'WHERE id = $1 AND attempts = $2';
const RETRY = sql(
  'jobs_retry',
  `UPDATE jobs SET locked_until = NULL, run_at = now() + $3::float8 * interval '1 ms' ${OF_ATTEMPT}`,
);
const FAIL = sql('jobs_fail', `UPDATE jobs SET locked_until = NULL, failed_at = now() ${OF_ATTEMPT}`);
const GIVE_BACK = sql(
  'jobs_give_back',
  `UPDATE jobs SET locked_until = NULL, attempts = attempts - 1 ${OF_ATTEMPT}`,
);

/** A job that a process has locked. */
export interface TakenJob {
  readonly id: string;
  readonly job: Job;
  /** The first is 1. */
  readonly attempt: number;
}

/** What a worker does with the queue's table. */
export function jobTable(executor: Executor) {
  const run = async (...statement: Parameters<Executor['rows']>): Promise<void> =>
    void (await executor.rows(...statement));
  return {
    /** Locks due jobs, oldest first, except those of these accounts and firms. */
    take: (limit: number, except: readonly string[]): Promise<readonly TakenJob[]> =>
      executor.rows<TakenJob>(TAKE, [limit, except]),
    /** Keeps jobs locked. */
    extend: (ids: readonly string[]) => run(EXTEND, [ids]),
    remove: (ids: readonly string[]) => run(REMOVE, [ids]),
    retry: ({ id, attempt }: TakenJob, delayMs: number) => run(RETRY, [id, attempt, delayMs]),
    /** Keeps the job for the operator. */
    fail: ({ id, attempt }: TakenJob) => run(FAIL, [id, attempt]),
    /** As if it had not been taken. */
    giveBack: ({ id, attempt }: TakenJob) => run(GIVE_BACK, [id, attempt]),
  };
}
export type JobTable = ReturnType<typeof jobTable>;

/**
 * Adds jobs to the table in the transaction that causes them. Without NOTIFY: commits with one are serialized by a lock held
 * while the WAL is flushed, so that sends fell to a quarter.
 */
export const pgOutbox = (executor: TransactionExecutor): Outbox => ({
  async add(job, runAt) {
    addMany(executor, [{ job, runAt }]);
  },
});

export const addMany = (executor: TransactionExecutor, jobs: readonly QueuedJob[]): void =>
  executor.send(ADD_MANY, [
    jobs.map(({ job }) => JSON.stringify(job)).join('\n'),
    arrayOf(jobs.map(({ runAt }) => timestampOrNull(runAt ?? null))),
  ]);

const STATE = sql(
  'jobs_state',
  `SELECT count(*) FILTER (WHERE due)::int AS due, count(*) FILTER (WHERE waiting AND NOT due)::int AS scheduled,
      count(*) FILTER (WHERE failed_at IS NULL AND NOT waiting)::int AS running, count(failed_at)::int AS failed,
      coalesce(extract(epoch FROM now() - min(run_at) FILTER (WHERE due)), 0)::float8 AS "oldestDueSeconds"
    FROM jobs, LATERAL (SELECT failed_at IS NULL AND ${IS_FREE} AS waiting) AS is1,
      LATERAL (SELECT waiting AND run_at <= now() AS due) AS is2`,
);

export const readQueueState = async (executor: Executor): Promise<QueueState> =>
  only(await executor.rows<QueueState>(STATE));

const OF_CLAIM = sql(
  'jobs_of_claim',
  `SELECT payload ->> 'kind' AS kind, run_at AS "runAt", attempts, failed_at IS NOT NULL AS failed
     FROM jobs WHERE payload ->> 'claimId' = $1 ORDER BY run_at, id`,
);

export const jobsOfClaim = (executor: Executor, claimId: string): Promise<ClaimJob[]> =>
  executor.rows<ClaimJob>(OF_CLAIM, [claimId]);
