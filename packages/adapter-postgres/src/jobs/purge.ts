import { IDEMPOTENCY_WINDOW, REQUEST_LOG_KEPT } from '@svc/application';
import { DAY, HOUR, type Instant } from '@svc/domain';
import { timestamp } from '../driver/column-types.ts';
import { type Session, type Statement, sql } from '../driver/session.ts';

/** Kept a little beyond its window, since the clocks of two processes are never quite the same. */
const IDEMPOTENCY_MARGIN = HOUR;
/** In portions, so that no statement runs long and no lock is held long. */
const PORTION = 5000;

const portionOf = (table: string, column: string): Statement =>
  sql(
    `purge_${table}`,
    `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM ${table} WHERE ${column} <= $1 LIMIT ${PORTION} FOR UPDATE SKIP LOCKED)) RETURNING 1`,
  );

const IDEMPOTENCY = portionOf('idempotency_records', 'bound_at');
const SESSIONS = portionOf('sessions', 'expires_at');
const REQUEST_LOG = portionOf('request_log', 'at');
const SIGN_IN_CODES = portionOf('sign_in_codes', 'expires_at');
const SIGN_IN_ATTEMPTS = portionOf('sign_in_attempts', 'ends_at');

/** Jobs that were given up: kept for the operator to look at, not for ever. The queue's own way to remove a job. */
const FAILED_JOBS_KEPT = 30 * DAY;
const FAILED_JOBS = sql(
  'purge_failed_jobs',
  `SELECT 1 FROM graphile_worker.complete_jobs(ARRAY(
     SELECT id FROM graphile_worker.jobs WHERE attempts >= max_attempts AND run_at <= $1 LIMIT ${PORTION}))`,
);

export interface Purged {
  readonly idempotencyRecords: number;
  readonly sessions: number;
  readonly signInCodes: number;
  readonly signInAttempts: number;
  readonly failedJobs: number;
  readonly requestLog: number;
}

/** Removes what nobody can see any more. Any number of processes may do so at once. */
export async function purge(session: Session, now: Instant): Promise<Purged> {
  const all = async (statement: Statement, until: Instant): Promise<number> => {
    for (let total = 0; ; ) {
      const removed = (await session.rows(statement, [timestamp(until)])).length;
      total += removed;
      if (removed < PORTION) return total;
    }
  };
  return {
    idempotencyRecords: await all(IDEMPOTENCY, now - IDEMPOTENCY_WINDOW - IDEMPOTENCY_MARGIN),
    sessions: await all(SESSIONS, now),
    signInCodes: await all(SIGN_IN_CODES, now),
    signInAttempts: await all(SIGN_IN_ATTEMPTS, now),
    failedJobs: await all(FAILED_JOBS, now - FAILED_JOBS_KEPT),
    requestLog: await all(REQUEST_LOG, now - REQUEST_LOG_KEPT),
  };
}
