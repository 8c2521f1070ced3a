import type { MaintenanceState, ReplicationState, WebhookEndpointCounts } from '@svc/application';
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

const MAINTENANCE = sql(
  'metrics_maintenance',
  `SELECT current_setting('archive_mode') <> 'off' AS archives,
      coalesce(last_failed_time > last_archived_time, last_failed_time IS NOT NULL) AS failing,
      has_function_privilege('pg_ls_archive_statusdir()', 'EXECUTE') AS sees_waiting,
      (SELECT max(age(datfrozenxid)) FROM pg_database) AS transaction_id_age,
      (SELECT max(mxid_age(datminmxid)) FROM pg_database) AS multixact_id_age
    FROM pg_stat_archiver`,
);

/** For the role pg_monitor: PostgreSQL rejects it for others, also in a CASE that is not reached. */
const WAITING_SEGMENTS = sql(
  'metrics_waiting_segments',
  `SELECT count(*)::int AS waiting FROM pg_ls_archive_statusdir() WHERE name LIKE '%.ready'`,
);

export async function readMaintenanceState(executor: Executor): Promise<MaintenanceState> {
  const row = first(
    await executor.rows<{
      archives: boolean;
      failing: boolean;
      sees_waiting: boolean;
      transaction_id_age: number;
      multixact_id_age: number;
    }>(MAINTENANCE),
  );
  if (row === null) throw new Error('pg_stat_archiver has one row');
  const waiting =
    row.archives && row.sees_waiting
      ? first(await executor.rows<{ waiting: number }>(WAITING_SEGMENTS))
      : null;
  return {
    archive: row.archives ? { isFailing: row.failing, waitingSegments: waiting?.waiting ?? null } : null,
    transactionIdAge: row.transaction_id_age,
    multixactIdAge: row.multixact_id_age,
  };
}

const WEBHOOK_ENDPOINTS = sql(
  'metrics_webhook_endpoints',
  `WITH failing AS (
     SELECT firm_id, endpoint_id FROM webhook_deliveries
      WHERE status = 'pending' AND attempt_count > 0 AND created_at < now() - interval '1 hour')
   SELECT count(*) FILTER (WHERE e.paused IS NULL AND f.endpoint_id IS NULL)::int AS active,
      count(*) FILTER (WHERE e.paused IS NULL AND f.endpoint_id IS NOT NULL)::int AS failing,
      count(*) FILTER (WHERE e.paused IN ('failing', 'gone'))::int AS paused
     FROM webhook_endpoints e LEFT JOIN failing f ON f.firm_id = e.firm_id AND f.endpoint_id = e.id
    WHERE e.environment = 'live'`,
);

export async function readWebhookEndpointCounts(executor: Executor): Promise<WebhookEndpointCounts> {
  const row = first(await executor.rows<WebhookEndpointCounts>(WEBHOOK_ENDPOINTS));
  return row ?? { active: 0, failing: 0, paused: 0 };
}
