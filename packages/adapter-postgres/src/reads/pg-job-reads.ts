import type { JobReads, PushSubscription } from '@svc/application';
import type { DeadlineOverride, DevicePreferences, Svcid } from '@svc/domain';
import { isUuid } from '../driver/column-types.ts';
import { first, type Session, type Statement, sql } from '../driver/session.ts';
import type { Encryption } from '../encryption/encryption.ts';
import { openDevices } from '../stores/pg-devices.ts';

const FIRM_NAME = sql('jobs_firm_name', 'SELECT name FROM firms WHERE id = $1');

const DEVICES = sql(
  'jobs_devices',
  'SELECT device_id, subscription FROM devices WHERE svc_id = $1 ORDER BY device_id',
);

const DEVICE_PREFERENCES = sql(
  'jobs_device_preferences',
  'SELECT device_id, preferences FROM devices WHERE svc_id = $1 AND preferences IS NOT NULL ORDER BY device_id',
);

const DEADLINE_OVERRIDES = sql(
  'jobs_deadline_overrides',
  'SELECT event, kind, hours, source FROM deadline_overrides ORDER BY event, kind',
);

export function pgJobReads(session: Session, encryption: Encryption): JobReads {
  const devicesOf = async <R extends { readonly device_id: string }>(statement: Statement, svcId: Svcid) =>
    openDevices(encryption, svcId, await session.rows<R>(statement, [svcId]), ({ device_id }) => device_id);

  return {
    async firmName(firmId) {
      if (!isUuid(firmId)) return null;
      return first(await session.rows<{ name: string }>(FIRM_NAME, [firmId]))?.name ?? null;
    },

    async devices(svcId) {
      const rows = await devicesOf<{ device_id: string; subscription: string }>(DEVICES, svcId);
      return rows.map((row) => ({
        deviceId: row.device_id,
        subscription: JSON.parse(row.subscription) as PushSubscription,
      }));
    },

    async devicePreferences(svcId) {
      const rows = await devicesOf<{ device_id: string; preferences: string }>(DEVICE_PREFERENCES, svcId);
      return rows.map((row) => ({
        deviceId: row.device_id,
        preferences: JSON.parse(row.preferences) as DevicePreferences,
      }));
    },

    deadlineOverrides: () => session.rows<DeadlineOverride>(DEADLINE_OVERRIDES, []),
  };
}
