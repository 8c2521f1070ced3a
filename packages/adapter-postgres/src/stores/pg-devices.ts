import { createHash } from 'node:crypto';
import type { Devices } from '@svc/application';
import type { DevicePreferences, Svcid } from '@svc/domain';
import { first, sql, type TransactionExecutor } from '../driver/executor.ts';
import type { Encryption } from '../encryption/encryption.ts';
import { deviceRowKey, fieldsOf, PERSONAL, SERVICE } from '../encryption/personal-columns.ts';
import { DEVICES } from '../schema/entities.ts';

/** An endpoint is random and too long to be guessed, so its hash needs no key. */
const hashOf = (endpoint: string): string => createHash('sha256').update(endpoint).digest('hex');

/** Of two devices that register the same endpoint at the same time, the second one removes the first. */
const LOCK_ENDPOINT = sql('devices_lock_endpoint', 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))');

/** Reads the whole table, which is small, since each device registers once a day. */
const REMOVE_OTHERS = sql(
  'devices_remove_others',
  'DELETE FROM devices WHERE endpoint_hash = $1 AND (svc_id, device_id) <> ($2, $3)',
);

const KEEP_LATEST = sql(
  'devices_keep_latest',
  `DELETE FROM devices WHERE svc_id = $1 AND device_id NOT IN (
     SELECT device_id FROM devices WHERE svc_id = $1 ORDER BY registered_at DESC, device_id LIMIT $2)`,
);

const LOCK = sql('devices_lock', 'SELECT FROM devices WHERE svc_id = $1 AND device_id = $2 FOR UPDATE');

const FIELDS = fieldsOf(PERSONAL.devices);

/** Decrypts rows of one adjuster. */
export const decryptDevices = <R extends object>(
  encryption: Encryption,
  svcId: Svcid,
  rows: R[],
  deviceIdOf: (row: R) => string,
): R[] | Promise<R[]> =>
  encryption.decrypt(rows, FIELDS, (row) => ({ firmId: SERVICE, key: deviceRowKey(svcId, deviceIdOf(row)) }));

export function pgDevices(executor: TransactionExecutor, encryption: Encryption): Devices {
  const encryptor = (svcId: Svcid, deviceId: string) =>
    encryption.encryptor(PERSONAL.devices, SERVICE, deviceRowKey(svcId, deviceId));

  return {
    async put(device) {
      const { svcId, deviceId, subscription } = device;
      const encrypt = await encryptor(svcId, deviceId);
      const endpointHash = hashOf(subscription.endpoint);
      const stored = {
        ...device,
        subscription: encrypt('subscription', JSON.stringify(subscription)),
        endpointHash,
      };
      executor.send(LOCK_ENDPOINT, [endpointHash]);
      executor.send(REMOVE_OTHERS, [endpointHash, svcId, deviceId]);
      await executor.orm('devices_put', (manager) => manager.upsert(DEVICES, stored, ['svcId', 'deviceId']));
    },

    async keepLatest(svcId, count) {
      executor.send(KEEP_LATEST, [svcId, count]);
    },

    async lock(svcId, deviceId) {
      executor.send(LOCK, [svcId, deviceId]);
      const found = await executor.orm('devices_find', (manager) =>
        manager.findBy(DEVICES, { svcId, deviceId }),
      );
      const row = first(await decryptDevices(encryption, svcId, found, () => deviceId));
      if (row === null) return null;
      const preferences =
        row.preferences === null ? null : (JSON.parse(row.preferences) as DevicePreferences);
      return { preferences, reminderAt: row.reminderAt };
    },

    async saveState(svcId, deviceId, { preferences, reminderAt }) {
      const encrypt = await encryptor(svcId, deviceId);
      const stored = preferences === null ? null : JSON.stringify(preferences);
      const changes = { preferences: encrypt('preferences', stored), reminderAt };
      await executor.orm('devices_save_state', (manager) =>
        manager.update(DEVICES, { svcId, deviceId }, changes),
      );
    },

    async remove(svcId, deviceId) {
      await executor.orm('devices_remove', (manager) => manager.delete(DEVICES, { svcId, deviceId }));
    },
  };
}
