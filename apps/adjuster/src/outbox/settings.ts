import type { Availability } from '@svc/contract';
import type { Call } from '../data/endpoints.ts';
import type { Handler, SettingsContent } from './entry.ts';

export const settingsHandler = (api: {
  readonly call: Call;
  sendDevicePreferences(): Promise<void>;
  storeAvailability(availability: Availability): Promise<void>;
}): Handler<SettingsContent> => ({
  async send({ key, changes }) {
    if (key === 'device') await api.sendDevicePreferences();
    else await api.storeAvailability(await api.call('updateAvailability', { body: changes }));
  },
  merge: (entry, next) => Object.assign({}, next, { changes: { ...entry.changes, ...next.changes } }),
});
