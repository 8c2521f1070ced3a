import type { Devices } from '@svc/application';
import type { TxSession } from '../driver/session.ts';
import { DEVICE_ROWS } from '../schema/entities.ts';

export function pgDevices(session: TxSession): Devices {
  return {
    async put(svcId, deviceId, subscription) {
      const row = { svc_id: svcId, device_id: deviceId, subscription };
      await session.orm('devices_put', (manager) =>
        manager.getRepository(DEVICE_ROWS).upsert(row, ['svc_id', 'device_id']),
      );
    },

    async remove(svcId, deviceId) {
      await session.orm('devices_remove', (manager) =>
        manager.getRepository(DEVICE_ROWS).delete({ svc_id: svcId, device_id: deviceId }),
      );
    },

    async removeAllOf(svcId) {
      await session.orm('devices_remove_all_of', (manager) =>
        manager.getRepository(DEVICE_ROWS).delete({ svc_id: svcId }),
      );
    },
  };
}
