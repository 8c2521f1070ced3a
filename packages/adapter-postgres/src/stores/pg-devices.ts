import type { Devices } from '@svc/application';
import type { DevicePreferences, Instant } from '@svc/domain';
import { timestampOrNull } from '../driver/column-types.ts';
import { first, sql, type TxSession } from '../driver/session.ts';
import { DEVICES } from '../schema/entities.ts';

const KEEP_LATEST = sql(
  'devices_keep_latest',
  `DELETE FROM devices WHERE svc_id = $1 AND device_id NOT IN (
     SELECT device_id FROM devices WHERE svc_id = $1 ORDER BY registered_at DESC, device_id LIMIT $2)`,
);

const LOCK = sql(
  'devices_lock',
  'SELECT preferences, reminder_at FROM devices WHERE svc_id = $1 AND device_id = $2 FOR UPDATE',
);

const SAVE_STATE = sql(
  'devices_save_state',
  'UPDATE devices SET preferences = $3::json, reminder_at = $4 WHERE svc_id = $1 AND device_id = $2',
);

export function pgDevices(session: TxSession): Devices {
  return {
    async put(svcId, deviceId, subscription, registeredAt) {
      const device = { svcId, deviceId, subscription, registeredAt };
      await session.orm('devices_put', (manager) => manager.upsert(DEVICES, device, ['svcId', 'deviceId']));
    },

    async keepLatest(svcId, count) {
      session.send(KEEP_LATEST, [svcId, count]);
    },

    async lock(svcId, deviceId) {
      const row = first(
        await session.rows<{ preferences: string | null; reminder_at: Instant | null }>(LOCK, [
          svcId,
          deviceId,
        ]),
      );
      if (row === null) return null;
      const preferences =
        row.preferences === null ? null : (JSON.parse(row.preferences) as DevicePreferences);
      return { preferences, reminderAt: row.reminder_at };
    },

    async saveState(svcId, deviceId, { preferences, reminderAt }) {
      const stored = preferences === null ? null : JSON.stringify(preferences);
      session.send(SAVE_STATE, [svcId, deviceId, stored, timestampOrNull(reminderAt)]);
    },

    async remove(svcId, deviceId) {
      await session.orm('devices_remove', (manager) => manager.delete(DEVICES, { svcId, deviceId }));
    },

    async removeAllOf(svcId) {
      await session.orm('devices_remove_all_of', (manager) => manager.delete(DEVICES, { svcId }));
    },
  };
}
