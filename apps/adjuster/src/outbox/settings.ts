import type { Availability } from '@svc/contract';
import type { Call } from '../data/endpoints.ts';
import { isRefusal } from '../model/api-error.ts';
import type { Handler, SettingsContent } from './entry.ts';

export interface SettingsApi {
  readonly call: Call;
  sendDevicePreferences(): Promise<void>;
  storeAvailability(availability: Availability): Promise<void>;
}

export const settingsHandler: Handler<SettingsContent, SettingsApi> = {
  async send({ key, changes }, api) {
    try {
      if (key === 'device') await api.sendDevicePreferences();
      else await api.storeAvailability(await api.call('updateAvailability', { body: changes }));
      return true;
    } catch (error) {
      if (isRefusal(error)) return false;
      throw error;
    }
  },
  merge: (entry, next) => Object.assign({}, next, { changes: { ...entry.changes, ...next.changes } }),
};
