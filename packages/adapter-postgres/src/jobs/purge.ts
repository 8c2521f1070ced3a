import {
  IDEMPOTENCY_WINDOW_MS,
  REQUEST_LOG_RETENTION_MS,
  WEBHOOK_DELIVERIES_KEPT,
  WEBHOOK_DELIVERIES_KEPT_MS,
} from '@svc/application';
import { DAY, type FirmId, HOUR, type Instant, PLAN_RETENTION, PLANS } from '@svc/domain';
import { timestamp } from '../driver/column-types.ts';
import type { Database } from '../driver/database.ts';
import { type Executor, only, type Statement, sql, type Value } from '../driver/executor.ts';
import { transact } from '../driver/transaction.ts';
import type { StatementsOn } from '../firm-statements.ts';
import { purgeClosedClaims, startPurge } from './purge-closed-claims.ts';

/** Kept beyond the window, since the clocks of two processes differ. */
const IDEMPOTENCY_MARGIN = HOUR;
/** In batches, so that no statement runs and no lock is held for long. */
const BATCH_SIZE = 5000;

const deleteBatch = (table: string, column: string): Statement =>
  sql(
    `purge_${table}`,
    `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM ${table} WHERE ${column} <= $1 LIMIT ${BATCH_SIZE} FOR UPDATE SKIP LOCKED)) RETURNING 1`,
  );

/**
 * Of a table that may be distributed: it is deleted from by key, and rows of a subquery cannot be locked. Purges run one at a time
 * instead, so that two cannot deadlock.
 */
const deleteFirmBatch = (table: string, key: string, column: string): Statement =>
  sql(
    `purge_${table}`,
    `DELETE FROM ${table} WHERE ${column} <= $1
        AND (${key}) IN (SELECT ${key} FROM ${table} WHERE ${column} <= $1 LIMIT ${BATCH_SIZE}) RETURNING 1`,
  );

const IDEMPOTENCY = deleteFirmBatch('idempotency_records', 'firm_id, environment, key', 'bound_at');
const SESSIONS = deleteBatch('sessions', 'expires_at');
/** After the sessions. */
const DEVICES = sql(
  'purge_devices',
  `DELETE FROM devices WHERE ctid = ANY (ARRAY(
     SELECT d.ctid FROM devices d
      WHERE d.registered_at <= $1 AND NOT EXISTS (
          SELECT FROM sessions s WHERE s.svc_id = d.svc_id AND s.token_hash = d.session_hash)
      LIMIT ${BATCH_SIZE} FOR UPDATE SKIP LOCKED)) RETURNING 1`,
);
/** The session of a device that is registered at this moment may be later than what the statement sees. */
const DEVICES_KEPT = HOUR;
const REQUEST_LOG = deleteFirmBatch('request_log', 'firm_id, request_id', 'at');
const WEBHOOK_DELIVERIES = deleteFirmBatch('webhook_deliveries', 'firm_id, id', 'created_at');
const WEBHOOK_ENDPOINTS = sql('purge_webhook_endpoints', 'SELECT firm_id, id FROM webhook_endpoints');
/** Of one endpoint, which may get a delivery each second. An array, so that without statistics too they are listed only once. */
const EXCESS_WEBHOOK_DELIVERIES = sql(
  'purge_excess_webhook_deliveries',
  `DELETE FROM webhook_deliveries WHERE firm_id = $1 AND endpoint_id = $2 AND status <> 'pending' AND id = ANY (ARRAY(
     SELECT id FROM webhook_deliveries WHERE firm_id = $1 AND endpoint_id = $2
      ORDER BY created_at DESC, id DESC OFFSET ${WEBHOOK_DELIVERIES_KEPT} LIMIT ${BATCH_SIZE})) RETURNING 1`,
);
const IMPORTS = deleteFirmBatch('imports', 'firm_id, id', 'updated_at');
/** With them the names of columns are remembered. */
const IMPORTS_KEPT = 90 * DAY;
const SIGN_IN_CODES = deleteBatch('sign_in_codes', 'expires_at');
const SIGN_IN_TICKETS = deleteBatch('sign_in_tickets', 'expires_at');
const EMAIL_CHANGES = deleteBatch('email_changes', 'expires_at');
const USED_CHALLENGES = deleteBatch('used_passkey_challenges', 'expires_at');
const SIGN_IN_ATTEMPTS = deleteBatch('sign_in_attempts', 'ends_at');

/** Jobs whose last attempt failed, kept so that an operator can inspect them. */
const FAILED_JOBS_KEPT = 30 * DAY;
const FAILED_JOBS = deleteBatch('jobs', 'failed_at');

/** The function is part of the schema: the service's role may not delete rows of the audit trail itself. */
const AUDIT = sql('purge_audit', `SELECT purge_audit($1, $2, ${BATCH_SIZE})::integer AS removed`);

/** Deletes expired rows, and counts those of each kind. Several processes may do so at once. */
export async function purge(
  database: Pick<Database, 'begin' | 'maintenance'>,
  statementsOn: StatementsOn,
  now: Instant,
  closedClaimRetentionMs: number | null,
) {
  const executor = database.maintenance;
  const untilLastBatch = async (deleteBatch: () => Promise<readonly unknown[]>): Promise<number> => {
    for (let total = 0; ; ) {
      const removed = (await deleteBatch()).length;
      total += removed;
      if (removed < BATCH_SIZE) return total;
    }
  };
  const purgeAll = (statement: Statement, before: Instant): Promise<number> =>
    untilLastBatch(() => executor.rows(statement, [timestamp(before)]));
  const inBatches = (statement: Statement, values: readonly Value[]): Promise<number> =>
    untilLastBatch(() =>
      transact(database, (transaction) => {
        startPurge(transaction);
        return transaction.rows(statement, values);
      }),
    );
  const purgeOfFirms = (statement: Statement, before: Instant): Promise<number> =>
    inBatches(statement, [timestamp(before)]);
  const purgeExcessDeliveries = async (): Promise<number> => {
    let total = 0;
    for (const { firm_id, id } of await executor.rows<{ firm_id: FirmId; id: string }>(WEBHOOK_ENDPOINTS, []))
      total += await inBatches(EXCESS_WEBHOOK_DELIVERIES, [firm_id, id]);
    return total;
  };
  return {
    idempotencyRecords: await purgeOfFirms(IDEMPOTENCY, now - IDEMPOTENCY_WINDOW_MS - IDEMPOTENCY_MARGIN),
    sessions: await purgeAll(SESSIONS, now),
    devices: await purgeAll(DEVICES, now - DEVICES_KEPT),
    signInCodes: await purgeAll(SIGN_IN_CODES, now),
    signInTickets: await purgeAll(SIGN_IN_TICKETS, now),
    emailChanges: await purgeAll(EMAIL_CHANGES, now),
    usedChallenges: await purgeAll(USED_CHALLENGES, now),
    signInAttempts: await purgeAll(SIGN_IN_ATTEMPTS, now),
    failedJobs: await purgeAll(FAILED_JOBS, now - FAILED_JOBS_KEPT),
    imports: await purgeOfFirms(IMPORTS, now - IMPORTS_KEPT),
    requestLog: await purgeOfFirms(REQUEST_LOG, now - REQUEST_LOG_RETENTION_MS),
    webhookDeliveries:
      (await purgeOfFirms(WEBHOOK_DELIVERIES, now - WEBHOOK_DELIVERIES_KEPT_MS)) +
      (await purgeExcessDeliveries()),
    closedClaims:
      closedClaimRetentionMs === null
        ? 0
        : await purgeClosedClaims(database, statementsOn, now - closedClaimRetentionMs, now),
    audit: await purgeAudit(executor, now),
  };
}

async function purgeAudit(executor: Executor, now: Instant): Promise<number> {
  const ends = PLANS.map((plan) => timestamp(now - PLAN_RETENTION[plan].auditMs));
  for (let total = 0; ; ) {
    const { removed } = only(await executor.rows<{ removed: number }>(AUDIT, [PLANS, ends]));
    total += removed;
    if (removed === 0) return total;
  }
}
