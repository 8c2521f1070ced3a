import { computed } from '@preact/signals';
import type { Availability } from '@svc/contract';
import { storage } from '../data/storage.ts';
import type { Entry, SettingsChange, SettingsContent } from '../outbox/entry.ts';
import { entries, isSending, outbox, sendOutbox } from './outbox.ts';
import { session } from './session.ts';
import { showError } from './toast.ts';

type Setting = Entry<SettingsContent>;
const waiting = computed(() => entries.value.filter((entry): entry is Setting => entry.kind === 'settings'));

/** Changes that the service has not confirmed, and that are not being sent right now. */
export const unsentSettings = (key: SettingsContent['key']): readonly Setting[] =>
  isSending.value ? [] : waiting.value.filter((entry) => entry.key === key);

/** With the changes that are still on the device. A profile that an earlier release has stored has no availability. */
export const availability = computed<Availability | undefined>(() => {
  const saved = session.profile.value?.availability;
  const changes = waiting.value.filter(({ key }) => key === 'availability').map((entry) => entry.changes);
  return saved && Object.assign({}, saved, ...changes);
});

/** Stores changes on the device and sends them, now or when there is a network. */
export async function changeSettings(change: SettingsChange): Promise<void> {
  if (change.key === 'device') await storage.put('devicePreferences', change.changes);
  await outbox.add([{ kind: 'settings', ...change }]);
  await sendOutbox().catch(showError);
}
