import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { Toasts } from '@svc/web-app/toasts';
import { type Content, type Entry, type EntryState, isWaiting, nextDueAt, stateOf } from '../outbox/entry.ts';
import { createOutbox, type OutboxApi, type OutboxStore, type ServiceTime } from '../outbox/outbox.ts';
import type { Texts } from '../texts/en.ts';
import type { Lists } from './lists.ts';
import type { Outcomes } from './outcomes.ts';
import type { Session } from './session.ts';

const isWork = ({ kind }: Entry): boolean => kind === 'work';

export type AppOutbox = ReturnType<typeof createAppOutbox>;

/** What this adjuster has done on this device and the service has not confirmed, with what came of sending it. */
export function createAppOutbox(deps: {
  readonly store: OutboxStore;
  readonly api: OutboxApi;
  readonly time: ServiceTime;
  readonly texts: ReadonlySignal<Texts>;
  readonly session: Session;
  readonly lists: Lists;
  readonly outcomes: Outcomes;
  readonly toasts: Toasts;
  /** Something could not be sent because there is no network. */
  readonly onOffline: () => void;
}) {
  const { texts, session, lists, outcomes, toasts } = deps;
  const outbox = createOutbox({ store: deps.store, api: deps.api, clock: Date, time: deps.time });
  /** Oldest first. */
  const entries = signal<readonly Entry[]>([]);
  const sends = signal(0);
  /** The time by which entries are held or due; moves when the next one is due. */
  const at = signal(Date.now());
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** How often the page was hidden. */
  let releases = 0;
  const entryState = (entry: Entry): EntryState => stateOf(entry, at.value);

  async function read(): Promise<void> {
    entries.value = await outbox.own();
    at.value = Date.now();
    clearTimeout(timer);
    const dueAt = nextDueAt(entries.value, at.value);
    if (dueAt !== undefined) timer = setTimeout(() => void send(), dueAt - at.value);
  }

  /** Sends what is due, and shows what came of it. */
  async function send(): Promise<void> {
    await read();
    if (entries.value.every((entry) => isWaiting(entry, at.value))) return;
    sends.value += 1;
    const { sent, dropped, failed, stopped } = await outbox.send().finally(() => {
      sends.value -= 1;
    });
    if (stopped === 'offline') session.connection.value = 'offline';
    if (stopped === 'signed out') session.expire();
    if (stopped === 'passkey required') session.needsPasskey.value = true;
    await read();
    await outcomes.show();
    if (stopped === 'offline') deps.onOffline();
    if (dropped.length > 0)
      toasts.showToast(
        () => (dropped.some(isWork) ? texts.value.outbox.refused : texts.value.network.failed),
        'error',
      );
    // The service sends a claim with each edit. After a failure, reading the lists shows whether the service works at all.
    if (dropped.length + failed.length > 0 || !sent.every(isWork)) void lists.refresh();
  }

  /** The page is hidden and may be closed: nothing is held back any longer. */
  async function release(): Promise<void> {
    releases += 1;
    if (!entries.value.some((entry) => entryState(entry) === 'held')) return;
    await outbox.release();
    await send();
  }

  return {
    ...{ entries, entryState, read, send, release },
    ...{ restore: outbox.restore, clear: outbox.clear, exclusive: outbox.exclusive },
    isStored: outbox.isStored,
    isRefused: outbox.isRefused,
    isSending: computed(() => sends.value > 0),

    async add(contents: readonly Content[], undoMs?: number): Promise<readonly string[]> {
      const before = releases;
      const ids = await outbox.add(contents, undoMs);
      await read();
      // The page was hidden while they were stored.
      if (releases !== before) await release();
      return ids;
    },

    async sendNow(ids: readonly string[]): Promise<void> {
      await outbox.hurry(ids);
      await send();
    },

    /**
     * Removes what was not sent, or is stuck, and asks about what may have arrived. Returns how much is too late, was asked
     * about, and is unknown.
     */
    async cancel(ids: readonly string[]): Promise<{ late: number; asked: number; unknown: number }> {
      const removed = await outbox.cancel(ids);
      await read();
      const tried = removed.filter((entry) => entry.tried === true);
      if (tried.some(isWork)) toasts.showToast(() => texts.value.outbox.stopped);
      const asked = await Promise.all(tried.map(outbox.hasArrived));
      if (asked.length > 0) {
        await outcomes.show();
        void lists.refresh();
      }
      return {
        late: ids.length - removed.length + asked.filter((arrived) => arrived === true).length,
        asked: asked.length,
        unknown: asked.filter((arrived) => arrived === undefined).length,
      };
    },

    /** Another tab, the service worker or this one has changed what is stored. */
    async readChanged(): Promise<void> {
      const before = entries.value;
      await read();
      await outcomes.show();
      const ids = new Set(entries.value.map(({ id }) => id));
      if (before.some(({ id, kind }) => kind === 'answer' && !ids.has(id))) void lists.refresh();
    },

    forget(): void {
      entries.value = [];
    },
  };
}
