import { computed } from '@preact/signals';
import type { Availability, Profile, ProfileField } from '@svc/contract';
import { ApiError } from '@svc/web-app/api-error';
import type { Toasts } from '@svc/web-app/toasts';
import type { Call } from '../data/endpoints.ts';
import type { Storage } from '../data/storage.ts';
import type { Entry, SettingsChange, SettingsContent } from '../outbox/entry.ts';
import type { Lists } from './lists.ts';
import type { AppOutbox } from './outbox.ts';
import type { Session } from './session.ts';

/** The adjuster's profile, availability, and the notification preferences of this device. */
export function createAccount(deps: {
  readonly call: Call;
  readonly storage: Storage;
  readonly session: Session;
  readonly lists: Lists;
  readonly outbox: AppOutbox;
  readonly toasts: Toasts;
}) {
  const { storage, session, outbox } = deps;
  const waiting = computed(() => outbox.entries.value.filter((entry) => entry.kind === 'settings'));
  return {
    /** Changes that the service has not confirmed, and that are not being sent right now. */
    unsentSettings: (key: SettingsContent['key']): readonly Entry<SettingsContent>[] =>
      outbox.isSending.value ? [] : waiting.value.filter((entry) => entry.key === key),

    /** With the changes that are still on the device. A profile that an earlier release has stored has no availability. */
    availability: computed<Availability | undefined>(() => {
      const saved = session.profile.value?.availability;
      const changes = waiting.value.filter(({ key }) => key === 'availability').map((entry) => entry.changes);
      return saved && Object.assign({}, saved, ...changes);
    }),

    /** Stores changes on the device and sends them, now or when there is a network. @returns whether they are stored or sent */
    async changeSettings(change: SettingsChange): Promise<boolean> {
      // On a full disk they are sent all the same.
      if (change.key === 'device') await storage.put('devicePreferences', change.changes).catch(() => {});
      const ids = await outbox.add([{ kind: 'settings', ...change }]);
      const isStored = outbox.isStored();
      const sending = outbox.send().catch(deps.toasts.showError);
      if (isStored) return true;
      await sending;
      return !waiting.value.some(({ id }) => ids.includes(id));
    },

    /** @throws {ApiError} with the fields that are invalid. */
    async saveProfile(changes: Partial<Record<ProfileField, string>>): Promise<Profile> {
      const profile = await session.request(() => deps.call('updateProfile', { body: changes }));
      // A first address that another account has is not stored, and no code is sent to it.
      if (changes.email !== undefined && profile.email === null) {
        // The other fields were stored.
        await deps.lists.refresh();
        throw new ApiError(422, 'validation_failed', ['email']);
      }
      return profile;
    },
  };
}
