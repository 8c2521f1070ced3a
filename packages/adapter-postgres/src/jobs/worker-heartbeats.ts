import { type Session, sql } from '../driver/session.ts';

/** How often workers report that they are running. */
export const WORKER_BEAT_MS = 10_000;
/** A worker is lost after this many missed heartbeats. The queue itself waits four hours for a killed one. */
const MISSED_BEATS = 6;
const LOST_AFTER = `interval '${MISSED_BEATS * WORKER_BEAT_MS} ms'`;

const BEAT = sql(
  'job_workers_seen',
  `INSERT INTO job_workers (worker_id, seen_at) SELECT id, now() FROM unnest($1::text[]) AS w (id) ORDER BY id
   ON CONFLICT (worker_id) DO UPDATE SET seen_at = excluded.seen_at`,
);

const FORGET_LOST = sql(
  'job_workers_forget_lost',
  `DELETE FROM job_workers WHERE seen_at < now() - ${LOST_AFTER}`,
);

const UNLOCK_LOST = sql(
  'job_workers_unlock_lost',
  `SELECT graphile_worker.force_unlock_workers(lost.ids) FROM (
     SELECT array_agg(DISTINCT locked_by) AS ids FROM graphile_worker.jobs j
      WHERE locked_at < now() - ${LOST_AFTER}
        AND NOT EXISTS (SELECT 1 FROM job_workers w WHERE w.worker_id = j.locked_by)) lost
   WHERE lost.ids IS NOT NULL`,
);

const REMOVE = sql('job_workers_gone', 'DELETE FROM job_workers WHERE worker_id = ANY ($1::text[])');
const UNLOCK = sql('job_workers_unlock', 'SELECT graphile_worker.force_unlock_workers($1::text[])');

/** Detects killed workers, so that others take over their jobs within about a minute. */
export interface WorkerHeartbeats {
  beat(ids: readonly string[]): Promise<void>;
  /** Unlocks the jobs of workers that have ended. */
  release(ids: readonly string[]): Promise<void>;
}

export const workerHeartbeats = (session: Session): WorkerHeartbeats => ({
  async beat(ids) {
    await session.rows(BEAT, [ids]);
    await session.rows(FORGET_LOST);
    await session.rows(UNLOCK_LOST);
  },

  async release(ids) {
    await session.rows(REMOVE, [ids]);
    await session.rows(UNLOCK, [ids]);
  },
});
