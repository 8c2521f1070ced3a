import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { type AnswerApi, answerHandler } from '../outbox/answers.ts';
import { type Entry, type EntryState, isWaiting, nextDueAt, stateOf } from '../outbox/entry.ts';
import { createOutbox, type OutboxApi, type OutboxStore, type SendReport } from '../outbox/outbox.ts';
import { type SettingsApi, settingsHandler } from '../outbox/settings.ts';
import { type WorkApi, workHandler } from '../outbox/work.ts';
import type { Texts } from '../texts/en.ts';
import type { Lists } from './lists.ts';
import type { Outcomes } from './outcomes.ts';
import type { Session } from './session.ts';
import type { Toasts } from './toast.ts';

export type AppOutbox = ReturnType<typeof createAppOutbox>;

/** What this adjuster has done on this device and the service has not confirmed, with what came of sending it. */
export function createAppOutbox(deps: {
  readonly store: OutboxStore;
  readonly api: AnswerApi & WorkApi & SettingsApi & OutboxApi;
  readonly texts: ReadonlySignal<Texts>;
  readonly session: Session;
  readonly lists: Lists;
  readonly outcomes: Outcomes;
  readonly toasts: Toasts;
  /** Has the browser wake the service worker once there is a network. */
  readonly sendInBackground: () => void;
  /** Something could not be sent because there is no network. */
  readonly onOffline: () => void;
}) {
  const { session, lists, toasts, sendInBackground } = deps;
  const outbox = createOutbox({
    store: deps.store,
    api: deps.api,
    clock: Date,
    handlers: { answer: answerHandler, work: workHandler, settings: settingsHandler },
  });
  /** Oldest first. */
  const entries = signal<readonly Entry[]>([]);
  const sends = signal(0);
  /** The time by which entries are held or due; moves when the next one is due. */
  const at = signal(Date.now());
  let timer: ReturnType<typeof setTimeout> | undefined;
  const entryState = (entry: Entry): EntryState => stateOf(entry, at.value);

  async function read(): Promise<void> {
    entries.value = await outbox.own();
    at.value = Date.now();
    clearTimeout(timer);
    const dueAt = nextDueAt(entries.value, at.value);
    if (dueAt !== undefined) timer = setTimeout(() => void send(), dueAt - at.value);
  }

  /** Sends what is due, and shows what came of it. */
  async function send(): Promise<SendReport> {
    await read();
    const before = entries.value;
    if (before.every((entry) => isWaiting(entry, at.value))) return { sent: [], dropped: [], failed: [] };
    sends.value += 1;
    const report = await outbox.send().finally(() => {
      sends.value -= 1;
    });
    const { stopped } = report;
    if (stopped === 'offline') session.connection.value = 'offline';
    if (stopped === 'signed out') session.expire();
    if (stopped === 'passkey required') session.needsPasskey.value = true;
    await read();
    await deps.outcomes.show();
    if (stopped === 'offline') deps.onOffline();
    const of = (ids: readonly string[]) =>
      before.filter(({ id }) => ids.includes(id)).map(({ kind }) => kind);
    const dropped = of(report.dropped);
    const { texts } = deps;
    if (dropped.includes('work')) toasts.showToast(() => texts.value.outbox.refused, 'error');
    else if (dropped.length > 0) toasts.showToast(() => texts.value.network.failed, 'error');
    // The service sends a claim with each edit. After a failure, reading the lists shows whether the service works at all.
    const changesLists = of(report.sent).some((kind) => kind !== 'work');
    if (changesLists || dropped.length > 0 || report.failed.length > 0) void lists.refresh();
    return report;
  }

  return {
    ...{ entries, entryState, read, send },
    ...{ add: outbox.add, restore: outbox.restore, clear: outbox.clear, exclusive: outbox.exclusive },
    isSending: computed(() => sends.value > 0),

    /** The page is hidden and may be closed: nothing is held back any longer. */
    async release(): Promise<void> {
      if (!entries.value.some((entry) => entryState(entry) === 'held')) return;
      await outbox.release();
      if ((await send()).stopped === 'offline') sendInBackground();
    },

    /** Removes what was not sent, or is stuck. Returns how many may have arrived. */
    async cancel(ids: readonly string[]): Promise<number> {
      const removed = await outbox.cancel(ids);
      await read();
      if (removed.some(({ tried }) => tried === true)) void lists.refresh();
      return ids.length - removed.length;
    },

    /** Another tab, the service worker or this one has changed what is stored. */
    async readChanged(): Promise<void> {
      const before = entries.value;
      await read();
      await deps.outcomes.show();
      const ids = new Set(entries.value.map(({ id }) => id));
      if (before.some(({ id, kind }) => kind === 'answer' && !ids.has(id))) void lists.refresh();
    },

    forget(): void {
      entries.value = [];
    },
  };
}
