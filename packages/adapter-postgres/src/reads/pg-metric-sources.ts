import type { ReplicationState } from '@svc/application';
import { type Executor, first, sql } from '../driver/executor.ts';

/** Firms that set none, with `svc firm set-offer-wait`. */
const DEFAULT_OFFER_WAIT_HOURS = 24;

/**
 * By the time of the last change, which has an index and is that of the offer. After 30 days they count no more, and 1000
 * are the most that are counted, so that a collection costs little however many claims there are.
 */
const OVERDUE_OFFERS = sql(
  'metrics_overdue_offers',
  `SELECT count(*)::int AS offers FROM (
     SELECT 1 FROM firms f JOIN claims c ON c.firm_id = f.id
      WHERE c.status = 'pending_acceptance' AND c.closed_at IS NULL AND c.environment = 'live'
        AND c.updated_at < now() - make_interval(hours => coalesce(f.offer_wait_hours, ${DEFAULT_OFFER_WAIT_HOURS}))
        AND c.updated_at > now() - interval '30 days'
      LIMIT 1000) overdue`,
);

export const readOverdueOffers = async (executor: Executor): Promise<number> =>
  first(await executor.rows<{ offers: number }>(OVERDUE_OFFERS))?.offers ?? 0;

/** Without the role pg_monitor, only the process ids of other roles' connections are visible. */
const REPLICATION = sql(
  'metrics_replication',
  `SELECT count(*)::int AS standbys, count(state)::int AS visible,
      count(*) FILTER (WHERE sync_state IN ('sync', 'quorum'))::int AS synchronous,
      extract(epoch FROM max(replay_lag))::float8 AS max_lag_seconds,
      CASE current_setting('synchronous_standby_names') WHEN '' THEN 0 ELSE coalesce(substring(
        current_setting('synchronous_standby_names') FROM '(?i)^\\s*(?:any|first)?\\s*(\\d+)\\s*\\(')::int, 1) END
        AS required
    FROM pg_stat_replication WHERE application_name <> 'pg_basebackup' OR application_name IS NULL`,
);

export async function readReplicationState(executor: Executor): Promise<ReplicationState | null> {
  const row = first(
    await executor.rows<{
      standbys: number;
      visible: number;
      synchronous: number;
      max_lag_seconds: number | null;
      required: number;
    }>(REPLICATION),
  );
  if (row === null || row.visible < row.standbys) return null;
  return {
    standbys: row.standbys,
    synchronousStandbys: row.synchronous,
    requiredSynchronousStandbys: row.required,
    maxLagSeconds: row.max_lag_seconds,
  };
}
