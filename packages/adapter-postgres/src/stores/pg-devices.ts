import type { Devices } from '@svc/application';
import type { TxSession } from '../driver/session.ts';
import { DEVICES } from '../schema/entities.ts';

export function pgDevices(session: TxSession): Devices {
  return {
    async put(svcId, deviceId, subscription) {
      const device = { svcId, deviceId, subscription };
      await session.orm('devices_put', (manager) => manager.upsert(DEVICES, device, ['svcId', 'deviceId']));
    },

    async remove(svcId, deviceId) {
      await session.orm('devices_remove', (manager) => manager.delete(DEVICES, { svcId, deviceId }));
    },

    async removeAllOf(svcId) {
      await session.orm('devices_remove_all_of', (manager) => manager.delete(DEVICES, { svcId }));
    },
  };
}
