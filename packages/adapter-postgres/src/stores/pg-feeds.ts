import type { FeedRestamp, Feeds } from '@svc/application';
import type { ClaimId, Instant } from '@svc/domain';
import { timestamp, timestampOrNull } from '../driver/column-types.ts';
import { first, sql, type TransactionExecutor } from '../driver/executor.ts';
import { PLAN_FOR_VALUES } from '../driver/session-settings.ts';

const LAST_TIMESTAMP = sql('feeds_last_timestamp', 'SELECT max(last_stamp) AS at FROM firm_feeds');

const RESTAMP_COLUMNS = 'since, started_at AS "startedAt", finished_at AS "finishedAt"';

const LOCK_TABLE = sql('feeds_lock_restamps', 'LOCK TABLE feed_restamps IN SHARE ROW EXCLUSIVE MODE');

export const RESTAMPS = sql(
  'feeds_restamps',
  `SELECT ${RESTAMP_COLUMNS} FROM feed_restamps ORDER BY started_at DESC`,
);

const SAVE_RESTAMP = sql(
  'feeds_save_restamp',
  `INSERT INTO feed_restamps (since, started_at, finished_at) VALUES ($1, $2, $3)
   ON CONFLICT (since) DO UPDATE SET started_at = excluded.started_at, finished_at = excluded.finished_at`,
);

/** `isFinal` as a list of statuses, so that both alternatives can use an index. */
const IS_BEHIND = `c.firm_id = $1 AND c.updated_at <= $3 AND (c.updated_at >= $2
   OR c.status IN ('pending_acceptance', 'rejected', 'unassigned') AND c.closed_at IS NULL)`;

/**
 * Locks in the order of ids, as the lock on all pending offers of an adjuster does. An array, so that after a restore, without
 * statistics, the page is read only once.
 */
const LOCK_BEHIND = sql(
  'feeds_lock_behind',
  `SELECT c.id FROM claims c
    WHERE c.id = ANY (ARRAY(SELECT c.id FROM claims c WHERE ${IS_BEHIND} ORDER BY c.updated_at, c.id LIMIT $4)) AND ${IS_BEHIND}
    ORDER BY c.id FOR UPDATE`,
);

/** Computed at UTC with immutable expressions, which distributed tables require. */
const RESTAMP = sql(
  'feeds_restamp',
  `WITH behind AS (
     SELECT id, row_number() OVER (ORDER BY updated_at, id) AS ordinal FROM claims
      WHERE firm_id = $1 AND id = ANY($3::uuid[])
   ), next AS (
     UPDATE firm_feeds SET last_stamp = (greatest($2::timestamptz, last_stamp) AT TIME ZONE 'UTC'
         + (SELECT count(*) FROM behind) * interval '1 ms') AT TIME ZONE 'UTC'
      WHERE firm_id = $1
      RETURNING last_stamp AT TIME ZONE 'UTC' - (SELECT count(*) FROM behind) * interval '1 ms' AS before
   )
   UPDATE claims c SET updated_at = (next.before + behind.ordinal * interval '1 ms') AT TIME ZONE 'UTC'
     FROM behind, next WHERE c.firm_id = $1 AND c.id = behind.id`,
);

export function pgFeeds(executor: TransactionExecutor): Feeds {
  return {
    async lastTimestamp() {
      return first(await executor.rows<{ at: Instant | null }>(LAST_TIMESTAMP))?.at ?? null;
    },

    async lockRestamps() {
      executor.send(LOCK_TABLE, []);
      return executor.rows<FeedRestamp>(RESTAMPS);
    },

    async saveRestamp({ since, startedAt, finishedAt }) {
      executor.send(SAVE_RESTAMP, [timestamp(since), timestamp(startedAt), timestampOrNull(finishedAt)]);
    },

    async restamp(firmId, { since, startedAt }, limit) {
      const values = [firmId, timestamp(since), timestamp(startedAt), limit];
      // A plan for all values could not know that few claims were changed since, and would read all of the firm's.
      executor.send(PLAN_FOR_VALUES, []);
      const ids = (await executor.rows<{ id: ClaimId }>(LOCK_BEHIND, values)).map(({ id }) => id);
      if (ids.length > 0) executor.send(RESTAMP, [firmId, timestamp(startedAt), ids]);
      return ids.length;
    },
  };
}
