import type { Devices } from '@svc/application';
import { sql, type TxSession } from '../driver/session.ts';
import { DEVICES } from '../schema/entities.ts';

const KEEP_LATEST = sql(
  'devices_keep_latest',
  `DELETE FROM devices WHERE svc_id = $1 AND device_id NOT IN (
     SELECT device_id FROM devices WHERE svc_id = $1 ORDER BY registered_at DESC, device_id LIMIT $2)`,
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

    async remove(svcId, deviceId) {
      await session.orm('devices_remove', (manager) => manager.delete(DEVICES, { svcId, deviceId }));
    },

    async removeAllOf(svcId) {
      await session.orm('devices_remove_all_of', (manager) => manager.delete(DEVICES, { svcId }));
    },
  };
}
