import type { Availability } from '@svc/contract';
import { remainingSettings, type SettingChanges } from '../model/pending-settings.ts';
import { ApiError, call, NetworkError, needsSignIn } from './api.ts';
import { sendDevicePreferences } from './notifications.ts';
import { pendingSettings, storage } from './storage.ts';
import { withLock } from './with-lock.ts';

export interface SentSettings {
  /** As the service has it now, when it was changed. */
  readonly availability: Availability | undefined;
  readonly result: 'sent' | 'offline' | 'rejected';
}

/** Sends pending changes. Those that the service rejects are dropped, and its value of the setting is shown again. */
export const sendPendingSettings = (): Promise<SentSettings> =>
  withLock('settings', async () => {
    const [pending, profile] = await Promise.all([storage.get('settings'), storage.get('profile')]);
    let availability: Availability | undefined;
    if (pending === undefined || pending.svcId !== profile?.svc_id) return { availability, result: 'sent' };
    const { device, ...changes } = pending.changes;
    const first = await sendPart(changes, async () => {
      availability = await call<Availability>('PATCH', 'v1/me/availability', changes);
      await storage.put('profile', { ...profile, availability });
    });
    if (device === undefined || first === 'offline') return { availability, result: first };
    const second = await sendPart({ device }, sendDevicePreferences);
    return { availability, result: second === 'sent' ? first : second };
  });

async function sendPart(part: SettingChanges, send: () => Promise<void>): Promise<SentSettings['result']> {
  if (Object.keys(part).length === 0) return 'sent';
  let result: SentSettings['result'] = 'sent';
  try {
    await send();
  } catch (error) {
    if (error instanceof NetworkError) return 'offline';
    if (!(error instanceof ApiError) || needsSignIn(error)) throw error;
    result = 'rejected';
  }
  await pendingSettings.update((pending) => remainingSettings(pending, part));
  return result;
}
