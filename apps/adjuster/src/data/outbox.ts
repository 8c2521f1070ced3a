import { type AnswerApi, isLost } from '../outbox/answers.ts';
import type { OutboxApi, OutboxStore } from '../outbox/outbox.ts';
import { call, ROOT } from './api.ts';
import { showNotification } from './show-notification.ts';
import { history, outcomes, storage, storedOutbox } from './storage.ts';

/** Tabs and the service worker send each other messages about what has changed. */
export const openChannel = (): BroadcastChannel => new BroadcastChannel('claims');
export type TabMessage =
  | { readonly kind: 'outbox' }
  | { readonly kind: 'open'; readonly hash: string }
  /** Who is signed in now; null when nobody is. */
  | { readonly kind: 'session'; readonly svcId: string | null };

export function notifyTabs(message: TabMessage): void {
  const channel = openChannel();
  channel.postMessage(message);
  channel.close();
}

let hasAsked = false;

/** Browsers delete the data of pages that are seldom used. Some ask the adjuster, so only once there is something unsent. */
function askToKeepData(): void {
  if (hasAsked) return;
  hasAsked = true;
  void navigator.storage?.persist?.().catch(() => {});
}

/** The outbox in IndexedDB. Without Web Locks the tabs do not take turns. */
export const createOutboxStore = (): OutboxStore => ({
  read: storedOutbox.read,
  async update(change) {
    const before = await storedOutbox.update(change);
    askToKeepData();
    notifyTabs({ kind: 'outbox' });
    return before;
  },
  owner: async () => (await storage.get('profile'))?.svc_id,
  exclusive: (task) =>
    'locks' in navigator ? (navigator.locks.request('outbox', task) as ReturnType<typeof task>) : task(),
});

/** @param isVisible whether a page shows results now; otherwise a lost acceptance is a notification. */
export const answerApi = (isVisible: () => Promise<boolean>): AnswerApi & OutboxApi => ({
  call,
  isOnline: () => navigator.onLine,
  now: Date.now,
  async recordOutcome(outcome, past) {
    const { claimId, result, answer } = outcome;
    if (past !== undefined) await history.add([past]);
    if (result === 'rejected' || result === 'gone') await storage.removeOffer(claimId);
    await outcomes.add(outcome);
    if (answer === 'accept' && isLost(outcome) && !(await isVisible())) await notifyLost().catch(() => {});
  },
});

async function notifyLost(): Promise<void> {
  const worker = await navigator.serviceWorker?.getRegistration(ROOT.slice(0, -1));
  if (worker === undefined || Notification.permission !== 'granted') return;
  const lost = ((await storage.get('outcomes')) ?? []).filter(
    (one) => one.answer === 'accept' && isLost(one),
  );
  await showNotification(worker, { kind: 'acceptance_lost', count: lost.length });
}
