import type { Availability } from '@svc/contract';
import type { DevicePreferences } from '@svc/domain';
import type { Call } from '../data/endpoints.ts';
import type { Handler, SettingsContent } from './entry.ts';

export const settingsHandler = (api: {
  readonly call: Call;
  sendDevicePreferences(changes: Omit<DevicePreferences, 'timeZone'>): Promise<void>;
  storeAvailability(availability: Availability): Promise<void>;
}): Handler<SettingsContent> => ({
  async send(change) {
    if (change.key === 'device') await api.sendDevicePreferences(change.changes);
    else await api.storeAvailability(await api.call('updateAvailability', { body: change.changes }));
  },
  merge: (entry, next) => Object.assign({}, next, { changes: { ...entry.changes, ...next.changes } }),
});
