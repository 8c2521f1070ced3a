import type { AssignmentState, JobReads, PushSubscription } from '@svc/application';
import type { DeadlineOverride, DevicePreferences } from '@svc/domain';
import { isUuid, timestamp } from '../driver/column-types.ts';
import { type Executor, first, rowByKey, sql } from '../driver/executor.ts';
import type { Encryption } from '../encryption/encryption.ts';
import { decryptDevices } from '../stores/pg-devices.ts';

const FIRM_NAME = sql('jobs_firm_name', 'SELECT name FROM firms WHERE id = $1');

const ASSIGNMENT = sql(
  'jobs_assignment',
  rowByKey(
    'claims c',
    { 'c.firm_id': '$1', 'c.id': '$2' },
    {
      columns: `(SELECT name FROM firms WHERE id = $1) AS "firmName", c.environment, c.status, c.adjuster_svc_id AS adjuster,
         c.offered_at AS "offeredAt", c.closed_at AS "closedAt",
         (SELECT offer_wait_hours FROM firms WHERE id = $1) AS "offerWaitHours"`,
    },
  ),
);

/** The first conditions are those of the index of waiting claims. */
const LATE_OFFERS = sql(
  'jobs_late_offers',
  `SELECT count(*)::int AS late FROM claims c
    WHERE c.firm_id = $1 AND c.environment = 'live' AND c.closed_at IS NULL AND (c.status = 'accepted') IS FALSE
      AND c.status = 'pending_acceptance' AND c.offered_at <= $2::timestamptz -
        (SELECT offer_wait_hours FROM firms WHERE id = $1) * interval '1 hour'`,
);

const DEVICES = sql(
  'jobs_devices',
  `SELECT d.device_id, d.subscription, d.preferences FROM devices d
    WHERE d.svc_id = $1 AND EXISTS (
      SELECT FROM (${rowByKey('sessions', { token_hash: 'd.session_hash' })}) s
       WHERE s.svc_id = d.svc_id AND s.expires_at > $2)
    ORDER BY d.device_id`,
);

const DEADLINE_OVERRIDES = sql(
  'jobs_deadline_overrides',
  'SELECT event, kind, hours, source FROM deadline_overrides ORDER BY event, kind',
);

interface DeviceRow {
  readonly device_id: string;
  readonly subscription: string;
  readonly preferences: string | null;
}

export function pgJobReads(executor: Executor, encryption: Encryption): JobReads {
  return {
    async firmName(firmId) {
      if (!isUuid(firmId)) return null;
      return first(await executor.rows<{ name: string }>(FIRM_NAME, [firmId]))?.name ?? null;
    },

    async lateOffers(firmId, now) {
      const rows = await executor.rows<{ late: number }>(LATE_OFFERS, [firmId, timestamp(now)]);
      return first(rows)?.late ?? 0;
    },

    async assignment(firmId, claimId) {
      if (!isUuid(firmId) || !isUuid(claimId)) return null;
      return first(await executor.rows<AssignmentState>(ASSIGNMENT, [firmId, claimId]));
    },

    async devices(svcId, now) {
      const found = await executor.rows<DeviceRow>(DEVICES, [svcId, timestamp(now)]);
      const rows = await decryptDevices(encryption, svcId, found, ({ device_id }) => device_id);
      return rows.map((row) => ({
        deviceId: row.device_id,
        subscription: JSON.parse(row.subscription) as PushSubscription,
        preferences: row.preferences === null ? null : (JSON.parse(row.preferences) as DevicePreferences),
      }));
    },

    deadlineOverrides: () => executor.rows<DeadlineOverride>(DEADLINE_OVERRIDES, []),
  };
}
