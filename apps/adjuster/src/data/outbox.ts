import { type AnswerApi, isLost } from '../outbox/answers.ts';
import type { OutboxApi, OutboxStore } from '../outbox/outbox.ts';
import type { Call } from './endpoints.ts';
import { ROOT } from './root.ts';
import type { Storage } from './storage.ts';
import type { Tabs } from './tabs.ts';

let hasAsked = false;

/** Browsers delete the data of pages that are seldom used. Some ask the adjuster, so only once there is something unsent. */
function askToKeepData(): void {
  if (hasAsked) return;
  hasAsked = true;
  void navigator.storage?.persist?.().catch(() => {});
}

/** The outbox in IndexedDB. Without Web Locks the tabs do not take turns. */
export const createOutboxStore = (storage: Storage, tabs: Tabs): OutboxStore => ({
  read: storage.outbox.read,
  async update(change) {
    const before = await storage.outbox.update(change);
    askToKeepData();
    tabs.notify({ kind: 'outbox' });
    return before;
  },
  owner: async () => (await storage.get('profile'))?.svc_id,
  exclusive: (task) =>
    'locks' in navigator ? (navigator.locks.request('outbox', task) as ReturnType<typeof task>) : task(),
});

/** @param isVisible whether a page shows results now; otherwise a lost acceptance is a notification. */
export const createAnswerApi = (
  call: Call,
  storage: Storage,
  isVisible: () => Promise<boolean>,
): AnswerApi & OutboxApi => ({
  call,
  isOnline: () => navigator.onLine,
  now: Date.now,
  async recordOutcome(outcome, past) {
    const { claimId, result, answer } = outcome;
    if (past !== undefined) await storage.history.add([past]);
    if (result === 'rejected' || result === 'gone') await storage.removeOffer(claimId);
    await storage.outcomes.add(outcome);
    if (answer !== 'accept' || !isLost(outcome) || (await isVisible())) return;
    await notifyLost(storage).catch(() => {});
  },
});

async function notifyLost(storage: Storage): Promise<void> {
  const worker = await navigator.serviceWorker?.getRegistration(ROOT.slice(0, -1));
  if (worker === undefined || Notification.permission !== 'granted') return;
  const outcomes = (await storage.get('outcomes')) ?? [];
  const count = outcomes.filter((one) => one.answer === 'accept' && isLost(one)).length;
  const { showNotification } = await import('./show-notification.ts');
  await showNotification(worker, storage, { kind: 'acceptance_lost', count });
}
