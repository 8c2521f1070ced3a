import { NetworkError, needsSignIn } from '../model/api-error.ts';
import {
  type Content,
  canCancel,
  type Entry,
  type Handler,
  type Handlers,
  isWaiting,
  stateOf,
} from './entry.ts';

/** The entries of all adjusters on this device, oldest first. */
export interface OutboxStore {
  read(): Promise<readonly Entry[]>;
  /** Replaces the entries in one transaction, and returns them as they were. */
  update(change: (entries: readonly Entry[]) => readonly Entry[]): Promise<readonly Entry[]>;
  /** Who is signed in on this device. */
  owner(): Promise<string | undefined>;
  /** Runs the task while no other tab or worker runs one. */
  exclusive<T>(task: () => Promise<T>): Promise<T>;
}

export interface OutboxApi {
  isOnline(): boolean;
}

export interface SendReport {
  readonly sent: readonly string[];
  readonly dropped: readonly string[];
  /** Entries that the service could not process; they are sent again later. */
  readonly failed: readonly string[];
  readonly stopped?: 'offline' | 'signed out' | 'passkey required' | undefined;
}

const FIRST_RETRY_MS = 5000;
const MAX_RETRY_MS = 5 * 60_000;
const MAX_RETRY_AFTER_MS = 60 * 60_000;

/** Stores what the adjuster does until the service has it, and sends it in order. */
export function createOutbox<Api extends OutboxApi>(deps: {
  readonly store: OutboxStore;
  readonly api: Api;
  readonly clock: { now(): number };
  readonly handlers: Handlers<NoInfer<Api>>;
}) {
  const { store, api, clock } = deps;
  const handlerOf = (kind: Content['kind']) => deps.handlers[kind] as Handler<Content, Api> | undefined;
  const isHeld = (entry: Entry): boolean => stateOf(entry, clock.now()) === 'held';
  const released = (entry: Entry): Entry => ({ ...entry, notBefore: undefined });

  /** Replaces entries in one transaction, or removes them, and returns what they were. */
  const replace = async (
    isMeant: (entry: Entry) => boolean,
    change: (entry: Entry) => Entry | undefined = () => undefined,
  ): Promise<Entry[]> => {
    const before = await store.update((all) =>
      all.flatMap((entry) => (isMeant(entry) ? (change(entry) ?? []) : entry)),
    );
    return before.filter(isMeant);
  };
  const ofOwner = async () => {
    const owner = await store.owner();
    return (entry: Entry): boolean => entry.owner === owner;
  };
  const own = async (): Promise<Entry[]> => {
    const isOwn = await ofOwner();
    return (await store.read()).filter(isOwn);
  };
  const drop = async (entries: readonly Entry[]): Promise<void> => {
    for (const entry of entries) await handlerOf(entry.kind)?.dropped?.(entry, api);
    await replace(({ id }) => entries.some((one) => one.id === id));
  };
  const postpone = (id: string, retryAfterMs = 0) =>
    replace(
      (entry) => entry.id === id,
      (entry) => {
        const [at, failures] = [clock.now(), entry.failures ?? 0];
        const backoffMs = Math.min(FIRST_RETRY_MS * 2 ** failures, MAX_RETRY_MS);
        const waitMs = Math.max(backoffMs, Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
        return { ...entry, at, notBefore: at + waitMs, failures: failures + 1 };
      },
    );

  const send = async (): Promise<SendReport> => {
    const [sent, dropped, failed]: [string[], string[], string[]] = [[], [], []];
    const stop = (stopped?: SendReport['stopped']): SendReport => ({ sent, dropped, failed, stopped });
    /** Keys of entries that wait or have failed. */
    const blocked = new Set<string>();
    /** The entry without a response; it is the network unless another one gets a response. */
    let unanswered: string | undefined;
    for (const { id, key, ...stored } of await own()) {
      const handler = handlerOf(stored.kind);
      if (handler === undefined || isWaiting(stored, clock.now())) blocked.add(key);
      if (handler === undefined || blocked.has(key)) continue;
      // Without a network nothing leaves the device, so it can still be undone.
      if (!api.isOnline()) return stop('offline');
      const isOwn = await ofOwner();
      const [entry] = await replace(
        (one) => one.id === id && isOwn(one),
        (one) => ({ ...one, tried: true }),
      );
      // It was undone, or another adjuster has signed in.
      if (entry === undefined) continue;
      try {
        if (await handler.send(entry, api)) {
          await replace((one) => one.id === id);
          sent.push(id);
        } else {
          // What follows was made in the belief that this is accepted.
          const related = (await own()).filter((one) => one.key === key);
          await drop(related);
          dropped.push(...related.map((one) => one.id));
        }
      } catch (error) {
        if (needsSignIn(error)) return stop(error.status === 401 ? 'signed out' : 'passkey required');
        blocked.add(key);
        const isNetwork = error instanceof NetworkError;
        if (isNetwork && error.reason !== 'service') {
          if (unanswered !== undefined) return stop('offline');
          unanswered = id;
          continue;
        }
        await postpone(id, isNetwork ? error.retryAfterMs : undefined);
        failed.push(id);
      }
      if (unanswered !== undefined) {
        await postpone(unanswered);
        failed.push(unanswered);
        unanswered = undefined;
      }
    }
    return stop(unanswered === undefined ? undefined : 'offline');
  };

  return {
    /** The entries of the adjuster who is signed in, oldest first. */
    own,
    exclusive: store.exclusive,

    /**
     * Stores all contents or none, and returns the ids of their entries. While they can be undone they are held; others
     * release what is held under their keys, so that the order stays.
     */
    async add(contents: readonly Content[], undoMs = 0): Promise<readonly string[]> {
      const [owner, at] = [await store.owner(), clock.now()];
      if (owner === undefined) throw new Error('Nobody is signed in.');
      const notBefore = undoMs > 0 ? at + undoMs : undefined;
      const keys = new Set(contents.map(({ key }) => key));
      const added = contents.map(
        (content): Entry => ({ ...content, id: crypto.randomUUID(), owner, at, notBefore }),
      );
      await store.update((before) => {
        const all = before.map((entry) =>
          undoMs === 0 && entry.owner === owner && keys.has(entry.key) && isHeld(entry)
            ? released(entry)
            : entry,
        );
        for (const next of added) {
          const last = all.findLastIndex((entry) => entry.owner === owner && entry.key === next.key);
          const earlier = all[last];
          const merged =
            earlier?.kind === next.kind ? handlerOf(next.kind)?.merge?.(earlier, next) : undefined;
          if (merged === undefined) all.push(next);
          else all[last] = merged;
        }
        return all;
      });
      return added.map(({ id }) => id);
    },

    /** Removes in one transaction what can be undone or has failed, and returns it. The rest may have arrived. */
    async cancel(ids: readonly string[]): Promise<readonly Entry[]> {
      const wanted = new Set(ids);
      const removed = await replace((entry) => wanted.has(entry.id) && canCancel(entry, clock.now()));
      await drop(removed.filter(({ tried }) => tried === true));
      return removed;
    },

    /** Ends the undo time: the page may be closed next. */
    async release(): Promise<void> {
      const isOwn = await ofOwner();
      await replace((entry) => isOwn(entry) && isHeld(entry), released);
    },

    /** Stores again what the store has lost. */
    restore: (shown: readonly Entry[]) =>
      store.update((all) => [...all, ...shown.filter(({ id }) => !all.some((entry) => entry.id === id))]),

    /** Removes everything of the adjuster who is signed in. */
    clear: async () => replace(await ofOwner()),

    /** Sends what is due. An entry that fails delays only those with its key. */
    send: () => store.exclusive(send),
  };
}
