import type { JobReads, PushSubscription } from '@svc/application';
import { isUuid } from '../driver/column-types.ts';
import { first, type Session, sql } from '../driver/session.ts';

const FIRM_NAME = sql('jobs_firm_name', 'SELECT name FROM firms WHERE id = $1');

const DEVICES = sql(
  'jobs_devices',
  'SELECT device_id, subscription FROM devices WHERE svc_id = $1 ORDER BY device_id',
);

export function pgJobReads(session: Session): JobReads {
  return {
    async firmName(firmId) {
      if (!isUuid(firmId)) return null;
      return first(await session.rows<{ name: string }>(FIRM_NAME, [firmId]))?.name ?? null;
    },

    async devices(svcId) {
      const rows = await session.rows<{ device_id: string; subscription: string }>(DEVICES, [svcId]);
      return rows.map((row) => ({
        deviceId: row.device_id,
        subscription: JSON.parse(row.subscription) as PushSubscription,
      }));
    },
  };
}
