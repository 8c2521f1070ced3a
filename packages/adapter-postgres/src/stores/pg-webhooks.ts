import {
  type DueWebhook,
  WEBHOOK_ATTEMPTS_KEPT,
  type WebhookAttempt,
  type WebhookDelivery,
  type WebhookEndpoint,
  type WebhookQueue,
  type WebhookReads,
  type Webhooks,
} from '@svc/application';
import type { FirmId } from '@svc/domain';
import { arrayOf, isUuid, timestamp, timestampOrNull } from '../driver/column-types.ts';
import type { Database } from '../driver/database.ts';
import { type Executor, first, sql, type TransactionExecutor, type Value } from '../driver/executor.ts';
import { transact } from '../driver/transaction.ts';
import type { Encryption } from '../encryption/encryption.ts';
import { fieldsOf, PERSONAL } from '../encryption/personal-columns.ts';

const ENDPOINT = `firm_id AS "firmId", id, environment, url, paused, secret, previous_secret AS "previousSecret",
  previous_secret_until AS "previousSecretUntil", pause_mailed_at AS "pauseMailedAt", created_at AS "createdAt"`;
const DELIVERY = `d.firm_id AS "firmId", d.id, d.endpoint_id AS "endpointId", d.type, d.created_at AS "createdAt",
  d.changes_after AS "changesAfter", d.changes_until AS "changesUntil", d.status, d.next_attempt_at AS "nextAttemptAt",
  d.attempt_count AS "attemptCount", d.attempts::text AS attempts`;

const FIELDS = fieldsOf(PERSONAL.webhook_endpoints, (column) =>
  column === 'previous_secret' ? 'previousSecret' : column,
);

type DeliveryRow = Omit<WebhookDelivery, 'attempts'> & { readonly attempts: string };
const deliveryFrom = (row: DeliveryRow): WebhookDelivery => ({ ...row, attempts: JSON.parse(row.attempts) });

async function endpointsFrom(encryption: Encryption, rows: WebhookEndpoint[]): Promise<WebhookEndpoint[]> {
  return encryption.decrypt(rows, FIELDS, ({ firmId, id }) => ({ firmId, key: id }));
}

const ADD = sql(
  'webhooks_add',
  `INSERT INTO webhook_endpoints (firm_id, id, environment, created_at, url, secret, previous_secret,
     previous_secret_until, paused, pause_mailed_at, signalled_until, next_signal_at)
   SELECT firm_id, $2, $3, $4, $5, $6, $7, $8, $9, $10, greatest(last_stamp, $11::timestamptz), $4
     FROM firm_feeds WHERE firm_id = $1`,
);
/** A firm without changes has a feed from 1970, from where nobody should have to poll. No clock is a day late. */
const OLDEST_START_MS = 86_400_000;

const LOCK = sql(
  'webhooks_lock',
  `SELECT ${ENDPOINT} FROM webhook_endpoints WHERE firm_id = $1 AND id = $2 FOR NO KEY UPDATE`,
);
const OF_FIRM = sql(
  'webhooks_of_firm',
  `SELECT ${ENDPOINT} FROM webhook_endpoints WHERE firm_id = $1 ORDER BY created_at, id`,
);
const SAVE = sql(
  'webhooks_save',
  `UPDATE webhook_endpoints SET secret = $3, previous_secret = $4, previous_secret_until = $5, paused = $6,
     pause_mailed_at = $7
    WHERE firm_id = $1 AND id = $2`,
);
const END_PENDING = sql(
  'webhooks_end_pending',
  `UPDATE webhook_deliveries SET status = 'failed', next_attempt_at = NULL
    WHERE firm_id = $1 AND endpoint_id = $2 AND status = 'pending'`,
);
const REMOVE = sql('webhooks_remove', 'DELETE FROM webhook_endpoints WHERE firm_id = $1 AND id = $2');
const REMOVE_DELIVERIES = sql(
  'webhooks_remove_deliveries',
  'DELETE FROM webhook_deliveries WHERE firm_id = $1 AND endpoint_id = $2',
);
/** One statement, so that attempts at the same time are all recorded. */
const appended = (attempt: string): string =>
  `attempt_count = d.attempt_count + 1,
     attempts = CASE WHEN jsonb_array_length(d.attempts) < ${WEBHOOK_ATTEMPTS_KEPT} THEN d.attempts ELSE d.attempts - 1 END
       || ${attempt}`;
/**
 * Never inserts a pending row: beside another update of the row, PostgreSQL would find the conflict with it in the index
 * of pending rows first, and fail.
 */
const RECORD_ATTEMPT = sql(
  'webhooks_record_attempt',
  `INSERT INTO webhook_deliveries AS d (firm_id, id, endpoint_id, type, created_at, changes_after, changes_until, status,
     attempt_count, attempts) VALUES ($1, $2, $3, $4, $5, $6, $7, coalesce($8, 'failed'), 1, $9::jsonb)
   ON CONFLICT (firm_id, id) DO UPDATE SET ${appended('excluded.attempts')},
     status = CASE WHEN d.status = 'delivered' THEN d.status ELSE coalesce($8, d.status) END,
     next_attempt_at = CASE WHEN $8 IS NULL THEN d.next_attempt_at END`,
);

export function pgWebhooks(executor: TransactionExecutor, encryption: Encryption): Webhooks {
  async function valuesOf(endpoint: WebhookEndpoint) {
    const { firmId, id, url, secret, previousSecret } = endpoint;
    const encrypt = await encryption.encryptor(PERSONAL.webhook_endpoints, firmId, id);
    return {
      url: encrypt('url', url),
      secrets: [
        encrypt('secret', secret),
        encrypt('previous_secret', previousSecret),
        timestampOrNull(endpoint.previousSecretUntil),
        endpoint.paused,
        timestampOrNull(endpoint.pauseMailedAt),
      ],
    };
  }
  return {
    async add(endpoint) {
      const { firmId, id, environment, createdAt } = endpoint;
      const { url, secrets } = await valuesOf(endpoint);
      const start = timestamp(createdAt - OLDEST_START_MS);
      executor.send(ADD, [firmId, id, environment, timestamp(createdAt), url, ...secrets, start]);
    },

    async lock(firmId, id) {
      if (!isUuid(id)) return null;
      const rows = await executor.rows<WebhookEndpoint>(LOCK, [firmId, id]);
      return first(await endpointsFrom(encryption, rows));
    },

    of: async (firmId) => endpointsFrom(encryption, await executor.rows<WebhookEndpoint>(OF_FIRM, [firmId])),

    async save(endpoint) {
      const { firmId, id, paused } = endpoint;
      executor.send(SAVE, [firmId, id, ...(await valuesOf(endpoint)).secrets]);
      if (paused !== null) executor.send(END_PENDING, [firmId, id]);
    },

    async remove(firmId, id) {
      executor.send(REMOVE_DELIVERIES, [firmId, id]);
      executor.send(REMOVE, [firmId, id]);
    },

    async recordAttempt(delivery, attempt) {
      executor.send(RECORD_ATTEMPT, [
        delivery.firmId,
        delivery.id,
        delivery.endpointId,
        delivery.type,
        timestamp(delivery.createdAt),
        timestampOrNull(delivery.changesAfter),
        timestampOrNull(delivery.changesUntil),
        delivery.status === 'pending' ? null : delivery.status,
        JSON.stringify([attempt]),
      ]);
    },
  };
}

const DELIVERIES = sql(
  'webhooks_deliveries',
  `SELECT ${DELIVERY} FROM webhook_deliveries d
    WHERE d.firm_id = $1 AND d.endpoint_id = $2 AND ($3::timestamptz IS NULL OR (d.created_at, d.id) < ($3, $4::uuid))
    ORDER BY d.created_at DESC, d.id DESC LIMIT $5`,
);
const FIND_DELIVERY = sql(
  'webhooks_find_delivery',
  `SELECT ${DELIVERY} FROM webhook_deliveries d WHERE d.firm_id = $1 AND d.id = $2`,
);

export const pgWebhookReads = (executor: Executor, encryption: Encryption): WebhookReads => ({
  endpoints: async (firmId) =>
    endpointsFrom(encryption, await executor.rows<WebhookEndpoint>(OF_FIRM, [firmId])),

  async deliveries(firmId, endpointId, before, limit) {
    if (!isUuid(endpointId)) return [];
    const at = before === null ? null : timestamp(before.at);
    const values = [firmId, endpointId, at, before?.id ?? null, limit];
    return (await executor.rows<DeliveryRow>(DELIVERIES, values)).map(deliveryFrom);
  },

  async delivery(firmId, id) {
    if (!isUuid(id)) return null;
    const row = first(await executor.rows<DeliveryRow>(FIND_DELIVERY, [firmId, id]));
    return row === null ? null : deliveryFrom(row);
  },
});

/**
 * Endpoints whose firm's feed has moved on. A change takes its timestamp under the lock of the feed's row and commits with
 * it: whoever sees a position of the feed sees every change up to it.
 */
const BEHIND = `f.firm_id = e.firm_id AND f.last_stamp > e.signalled_until AND e.paused IS NULL
   AND e.next_signal_at <= $1::timestamptz AND NOT EXISTS (
     SELECT FROM webhook_deliveries d WHERE d.firm_id = e.firm_id AND d.endpoint_id = e.id AND d.status = 'pending')`;
/** LIMIT prevents a join, which would read all changes of every firm; each environment has an index for this order. */
const changesIn = (environment: string): string =>
  `(SELECT true FROM claims c WHERE c.firm_id = e.firm_id AND c.environment ${environment}
     AND c.updated_at > e.signalled_until ORDER BY c.updated_at LIMIT 1) IS TRUE`;
const HAS_CHANGES = `CASE e.environment WHEN 'test' THEN ${changesIn("= 'test'")} ELSE ${changesIn("<> 'test'")} END`;

/** The lock finds an endpoint whose signal another process has delivered since this statement began. */
const SIGNAL = sql(
  'webhooks_signal',
  `INSERT INTO webhook_deliveries (firm_id, id, endpoint_id, type, created_at, changes_after, changes_until, status,
     next_attempt_at, attempt_count, attempts)
   SELECT e.firm_id, gen_random_uuid(), e.id, 'claims.changed', $1::timestamptz, e.signalled_until, f.last_stamp, 'pending',
       $1::timestamptz, 0, '[]'::jsonb
     FROM webhook_endpoints e, firm_feeds f WHERE ${BEHIND} AND ${HAS_CHANGES}
   FOR UPDATE OF e SKIP LOCKED
   ON CONFLICT DO NOTHING`,
);
/** Where only the other environment has changed, so that no change is looked at twice. */
const SKIP = sql(
  'webhooks_skip',
  `UPDATE webhook_endpoints e SET signalled_until = f.last_stamp FROM firm_feeds f
    WHERE ${BEHIND} AND NOT ${HAS_CHANGES}`,
);
const DUE = sql(
  'webhooks_due',
  `SELECT firm_id AS "firmId", id FROM (
     SELECT d.firm_id, d.id, d.next_attempt_at,
         row_number() OVER (PARTITION BY d.firm_id ORDER BY d.next_attempt_at, d.id) AS number
       FROM webhook_deliveries d JOIN webhook_endpoints e ON e.firm_id = d.firm_id AND e.id = d.endpoint_id
      WHERE d.status = 'pending' AND d.next_attempt_at <= $1::timestamptz AND (d.attempt_count > 0) = $2::boolean
        AND e.paused IS NULL) due
    WHERE number + cardinality(array_positions($5::uuid[], firm_id)) <= $4
    ORDER BY next_attempt_at LIMIT $3`,
);
/** Of two processes, the second one waits for the first, and then finds that the delivery is no longer due. */
const TAKE = sql(
  'webhooks_take',
  `UPDATE webhook_deliveries d SET next_attempt_at = $4::timestamptz
    WHERE d.firm_id = ANY ($1::uuid[]) AND d.id = ANY ($2::uuid[]) AND d.status = 'pending'
      AND d.next_attempt_at <= $3::timestamptz
   RETURNING ${DELIVERY}`,
);
const ENDPOINTS = sql(
  'webhooks_endpoints',
  `SELECT ${ENDPOINT} FROM webhook_endpoints WHERE firm_id = ANY ($1::uuid[]) AND id = ANY ($2::uuid[])`,
);
const DELIVERED = sql(
  'webhooks_delivered',
  `UPDATE webhook_deliveries d SET status = 'delivered', next_attempt_at = NULL, ${appended('$3::jsonb')}
    WHERE firm_id = $1 AND id = $2`,
);
const ADVANCE = sql(
  'webhooks_advance',
  `UPDATE webhook_endpoints SET signalled_until = greatest(signalled_until, $3::timestamptz), next_signal_at = $4
    WHERE firm_id = $1 AND id = $2`,
);
const RETRY = sql(
  'webhooks_retry',
  `UPDATE webhook_deliveries d SET next_attempt_at = CASE WHEN status = 'pending' THEN $4::timestamptz END,
     ${appended('$3::jsonb')}
    WHERE firm_id = $1 AND id = $2`,
);

const firmsAndIds = (rows: readonly { readonly firmId: FirmId; readonly id: string }[]): Value[] => [
  arrayOf([...new Set(rows.map(({ firmId }) => firmId))]),
  arrayOf(rows.map(({ id }) => id)),
];

export function pgWebhookQueue(
  database: Pick<Database, 'begin' | 'maintenance'>,
  encryption: Encryption,
): WebhookQueue {
  const { maintenance } = database;
  const attemptAt = ({ firmId, id }: WebhookDelivery, attempt: WebhookAttempt): Value[] => [
    firmId,
    id,
    JSON.stringify([attempt]),
  ];
  return {
    async signalChanges(now) {
      await maintenance.rows(SIGNAL, [timestamp(now)]);
      await maintenance.rows(SKIP, [timestamp(now)]);
    },

    async take(kind, now, until, { limit, perFirm, running }) {
      const at = timestamp(now);
      const room = [limit, perFirm, arrayOf(running)];
      const due = await maintenance.rows<WebhookDelivery>(DUE, [at, kind === 'retry', ...room]);
      if (due.length === 0) return [];
      const values = [...firmsAndIds(due), at, timestamp(until)];
      const deliveries = (await maintenance.rows<DeliveryRow>(TAKE, values)).map(deliveryFrom);
      const found = await maintenance.rows<WebhookEndpoint>(
        ENDPOINTS,
        firmsAndIds(deliveries.map(({ firmId, endpointId }) => ({ firmId, id: endpointId }))),
      );
      const taken: DueWebhook[] = [];
      for (const delivery of deliveries) {
        const row = found.find(({ id }) => id === delivery.endpointId);
        // A firm that is being erased has no key for its rows.
        const [endpoint] =
          row === undefined ? [] : await endpointsFrom(encryption, [{ ...row }]).catch(() => []);
        if (endpoint !== undefined) taken.push({ endpoint, delivery });
      }
      return taken;
    },

    recordDelivered: (delivery, attempt, nextSignalAt) =>
      transact(database, async (transaction) => {
        const { firmId, endpointId, changesUntil } = delivery;
        transaction.send(DELIVERED, attemptAt(delivery, attempt));
        if (changesUntil === null) return;
        transaction.send(ADVANCE, [firmId, endpointId, timestamp(changesUntil), timestamp(nextSignalAt)]);
      }),

    async recordRetry(delivery, attempt, nextAttemptAt) {
      await maintenance.rows(RETRY, [...attemptAt(delivery, attempt), timestamp(nextAttemptAt)]);
    },
  };
}
