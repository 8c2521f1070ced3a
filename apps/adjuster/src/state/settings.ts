import { computed, signal } from '@preact/signals';
import { sendPendingSettings } from '../data/settings-queue.ts';
import { pendingSettings, storage } from '../data/storage.ts';
import { availabilityWith, mergeSettings, type SettingChanges } from '../model/pending-settings.ts';
import { texts } from './language.ts';
import { refresh } from './lists.ts';
import { request, session, sessionNumber, updateSession } from './session.ts';
import { showError, showToast } from './toast.ts';

const waiting = signal<SettingChanges>({});
/** How many sends are on their way. */
const sending = signal(0);

/** Changes of this adjuster that the service has not confirmed, and that are not being sent right now. */
export const unsentSettings = computed<SettingChanges>(() => (sending.value > 0 ? {} : waiting.value));

/** With the changes that are still on the device. A profile that an earlier release has stored has no availability. */
export const availability = computed(() => {
  const saved = session.profile.value?.availability;
  return saved === undefined ? undefined : availabilityWith(saved, waiting.value);
});

async function readWaiting(): Promise<void> {
  const stored = await storage.get('settings').catch(() => undefined);
  waiting.value =
    stored !== undefined && stored.svcId === session.profile.value?.svc_id ? stored.changes : {};
}

/** Stores changes on the device and sends them, now or when there is a network. */
export async function changeSettings(changes: SettingChanges): Promise<void> {
  const svcId = session.profile.value?.svc_id;
  if (svcId === undefined) return;
  if (changes.device !== undefined) await storage.put('devicePreferences', changes.device);
  await pendingSettings.update((current) => mergeSettings(current, svcId, changes));
  await sendSettings();
}

export async function sendSettings(): Promise<void> {
  const number = sessionNumber();
  sending.value += 1;
  try {
    await readWaiting();
    if (Object.keys(waiting.value).length === 0) return;
    const sent = await request(sendPendingSettings);
    if (sent.result === 'offline') session.reachable.value = false;
    const profile = session.profile.value;
    if (profile != null && sent.availability !== undefined)
      updateSession({ kind: 'profile', profile: { ...profile, availability: sent.availability }, number });
    await readWaiting();
    if (sent.result === 'rejected') showToast(texts.value.network.failed, 'error');
    // Which offers there are depends on the availability, and not on the preferences of the device.
    const isOutdated = sent.availability !== undefined || sent.result === 'rejected';
    if (isOutdated && sent.result !== 'offline') await refresh();
  } catch (error) {
    showError(error);
  } finally {
    sending.value -= 1;
  }
}

session.onForget.push(() => {
  waiting.value = {};
});
void readWaiting();
