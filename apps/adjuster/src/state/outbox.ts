import { computed, signal } from '@preact/signals';
import { sendDevicePreferences } from '../data/notifications.ts';
import { answerApi, createOutboxStore } from '../data/outbox.ts';
import { storage } from '../data/storage.ts';
import { type AnswerApi, answerHandler } from '../outbox/answers.ts';
import { type Entry, type EntryState, isWaiting, nextDueAt, stateOf } from '../outbox/entry.ts';
import { createOutbox, type OutboxApi, type SendReport } from '../outbox/outbox.ts';
import { type SettingsApi, settingsHandler } from '../outbox/settings.ts';
import { type WorkApi, workHandler } from '../outbox/work.ts';
import { keepAsDraft } from './drafts.ts';
import { texts } from './language.ts';
import { lists, refresh, updateClaim } from './lists.ts';
import { showOutcomes } from './outcomes.ts';
import { expire, session, sessionNumber, updateSession } from './session.ts';
import { showToast } from './toast.ts';

/** What this adjuster has done on this device and the service has not confirmed, oldest first. */
export const entries = signal<readonly Entry[]>([]);
const sends = signal(0);
export const isSending = computed(() => sends.value > 0);
/** The time by which entries are held or due; moves when the next one is due. */
const at = signal(Date.now());

export const entryState = (entry: Entry): EntryState => stateOf(entry, at.value);

const api: AnswerApi & WorkApi & SettingsApi & OutboxApi = {
  ...answerApi(async () => document.visibilityState === 'visible'),
  sendDevicePreferences,
  keepAsDraft,
  storeClaim: async (claim) => updateClaim(claim),
  async storeAvailability(availability) {
    const { value: profile } = session.profile;
    if (profile == null) return;
    const changed = { ...profile, availability };
    await storage.put('profile', changed);
    updateSession({ kind: 'profile', profile: changed, number: sessionNumber() });
  },
};
const stored = createOutboxStore();

export const outbox = createOutbox({
  store: {
    ...stored,
    // Nothing was stored yet where another tab kept the database from being opened.
    owner: async () => (await stored.owner()) ?? session.profile.value?.svc_id,
  },
  clock: Date,
  api,
  handlers: { answer: answerHandler, work: workHandler, settings: settingsHandler },
});

/** Called when something could not be sent because there is no network. */
export const onOffline: (() => void)[] = [];

let timer: ReturnType<typeof setTimeout> | undefined;

export async function readOutbox(): Promise<void> {
  entries.value = await outbox.own();
  at.value = Date.now();
  clearTimeout(timer);
  const dueAt = nextDueAt(entries.value, at.value);
  if (dueAt !== undefined) timer = setTimeout(() => void sendOutbox(), dueAt - at.value);
}

/** Sends what is due, and shows what came of it. */
export async function sendOutbox(): Promise<SendReport> {
  await readOutbox();
  const before = entries.value;
  if (before.every((entry) => isWaiting(entry, at.value))) return { sent: [], dropped: [], failed: [] };
  sends.value += 1;
  const report = await outbox.send().finally(() => {
    sends.value -= 1;
  });
  const { stopped } = report;
  if (stopped === 'offline') session.connection.value = 'offline';
  if (stopped === 'signed out') expire();
  if (stopped === 'passkey required') session.needsPasskey.value = true;
  await readOutbox();
  await showOutcomes();
  if (stopped === 'offline') for (const listener of onOffline) listener();
  const of = (ids: readonly string[]) => before.filter(({ id }) => ids.includes(id)).map(({ kind }) => kind);
  const dropped = of(report.dropped);
  if (dropped.includes('work')) showToast(texts.value.work.refused, 'error');
  else if (dropped.length > 0) showToast(texts.value.network.failed, 'error');
  // The service sends a claim with each edit. After a failure, reading the lists shows whether the service works at all.
  const changesLists = of(report.sent).some((kind) => kind !== 'work');
  if (changesLists || dropped.length > 0 || report.failed.length > 0) void refresh();
  return report;
}

/** Has the browser wake the service worker once there is a network, where browsers can do that. */
export function sendInBackground(): void {
  const ready = navigator.serviceWorker?.ready as
    | Promise<ServiceWorkerRegistration & { sync?: { register(tag: string): Promise<void> } }>
    | undefined;
  void ready?.then((registration) => registration.sync?.register('answers')).catch(() => {});
}

/** The page is hidden and may be closed: nothing is held back any longer. */
export async function releaseOutbox(): Promise<void> {
  if (!entries.value.some((entry) => entryState(entry) === 'held')) return;
  await outbox.release();
  if ((await sendOutbox()).stopped === 'offline') sendInBackground();
}

/** Removes what was not sent, or is stuck. Returns how many may have arrived. */
export async function cancelEntries(ids: readonly string[]): Promise<number> {
  const removed = await outbox.cancel(ids);
  await readOutbox();
  if (removed.some(({ tried }) => tried === true)) void refresh();
  return ids.length - removed.length;
}

session.onForget.push(() => {
  entries.value = [];
});
lists.onCurrent.push(() => void sendOutbox().catch(() => {}));
