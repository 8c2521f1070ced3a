import { loadOnce } from '@svc/web-app/load-once';
import { answerHandler, isEnded, isLost } from '../outbox/answers.ts';
import type { OutboxApi, OutboxStore } from '../outbox/outbox.ts';
import type { Call } from './endpoints.ts';
import type { Storage } from './storage.ts';
import type { Tabs } from './tabs.ts';

/** Browsers delete the data of pages that are seldom used. Some ask the adjuster, so only once there is something unsent. */
const askToKeepData = loadOnce(async () => navigator.storage?.persist?.());

/** The outbox in IndexedDB. Without Web Locks the tabs do not take turns. */
export const createOutboxStore = (storage: Storage, tabs: Tabs): OutboxStore => ({
  read: async () => (await storage.get('outbox')) ?? [],
  async update(change, changeNotes) {
    const before = await storage.updateOutbox(
      (entries = []) => {
        const changed = change(entries);
        return changed.length > 0 ? changed : undefined;
      },
      (notes = {}) => {
        const changed = changeNotes(notes);
        return Object.keys(changed).length > 0 ? changed : undefined;
      },
    );
    void askToKeepData().catch(() => {});
    tabs.notify({ kind: 'outbox' });
    return before ?? [];
  },
  refused: storage.refused,
  async owner() {
    const [profile, signingIn] = await storage.getAll('profile', 'signingIn');
    return signingIn ? undefined : profile?.svc_id;
  },
  exclusive: (task) =>
    'locks' in navigator ? (navigator.locks.request('outbox', task) as ReturnType<typeof task>) : task(),
});

/** @param isVisible whether a page shows results now; otherwise a lost acceptance is a notification. */
export const createAnswerApi = (
  call: Call,
  storage: Storage,
  isVisible: () => Promise<boolean>,
): OutboxApi => ({
  isOnline: () => navigator.onLine,
  answer: answerHandler({
    ...{ call, now: Date.now },
    async recordOutcome(outcome, past) {
      const { claimId, result, answer } = outcome;
      // The answer has arrived, whatever the disk does.
      if (past !== undefined) await storage.history.add([past]).catch(() => {});
      if (result === 'rejected' || isEnded(outcome)) await storage.removeOffer(claimId).catch(() => {});
      await storage.outcomes.add(outcome);
      if (answer !== 'accept' || !isLost(outcome) || (await isVisible())) return;
      const { notifyLost } = await import('./show-notification.ts');
      await notifyLost(storage).catch(() => {});
    },
  }),
});
