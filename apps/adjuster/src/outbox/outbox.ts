import { isRefusal, NetworkError, needsSignIn } from '@svc/web-app/api-error';
import { loadOnce } from '@svc/web-app/load-once';
import { withFallback } from '../data/fallback.ts';
import { type Content, canCancel, type Entry, type Handler, isWaiting, stateOf } from './entry.ts';
import { type TypedNotes, withNote, withoutNote } from './notes.ts';

/** The entries of all adjusters on this device, oldest first. */
export interface OutboxStore {
  read(): Promise<readonly Entry[]>;
  /** Replaces the entries in one transaction, and after them the notes in their fields. Returns the entries before. */
  update(
    change: (entries: readonly Entry[]) => readonly Entry[],
    changeNotes: (notes: TypedNotes) => TypedNotes,
  ): Promise<readonly Entry[]>;
  /** False where the store is gone with the page. */
  isLasting?(): boolean;
  /** What the service has refused, whichever tab or worker has sent it. */
  readonly refused: {
    add(ids: readonly string[]): Promise<unknown>;
    has(ids: readonly string[]): Promise<boolean>;
  };
  /** Who is signed in on this device. */
  owner(): Promise<string | undefined>;
  /** Runs the task while no other tab or worker runs one. */
  exclusive<T>(task: () => Promise<T>): Promise<T>;
}

/** Entries of a kind without a handler are left for another sender. */
export type OutboxApi = { isOnline(): boolean } & {
  readonly [K in Content['kind']]?: Handler<Extract<Content, { kind: K }>>;
};

interface SendReport {
  readonly sent: readonly Entry[];
  readonly dropped: readonly Entry[];
  /** What the service could not process; it is sent again later. */
  readonly failed: readonly Entry[];
  readonly stopped?: 'offline' | 'signed out' | 'passkey required' | undefined;
}

/** The service's time, where the device's clock may be wrong. */
export interface ServiceTime {
  now(): number;
  /** False until the service has responded. */
  isKnown(): boolean;
  /** Makes it known. */
  ask(): Promise<unknown>;
}

const FIRST_RETRY_MS = 5000;
/** A firm waits for an answer. A proxy may ask for an hour. */
const MAX_RETRY_MS = { answer: 60_000, work: 5 * 60_000, settings: 5 * 60_000 } as const;

const is =
  ({ id }: Entry) =>
  (entry: Entry): boolean =>
    entry.id === id;
const isAssumed = ({ assumedOffsetMs, offlineOffsetMs }: Entry): boolean =>
  (assumedOffsetMs ?? offlineOffsetMs) !== undefined;
const unchanged = (entry: Entry): Entry => entry;
/** Not part of the first load. */
const loadTimes = loadOnce(() => import('./known-times.ts'));
const released = (entry: Entry): Entry => ({ ...entry, notBefore: undefined });

/**
 * Stores what the adjuster does until the service has it, and sends it in order. What cannot be stored is sent at once, and
 * again for as long as the page is open.
 */
export function createOutbox(deps: {
  readonly store: OutboxStore;
  readonly api: OutboxApi;
  readonly clock: { now(): number };
  readonly time: ServiceTime;
}) {
  const { api, clock, time } = deps;
  const offsetMs = (): number => time.now() - clock.now();
  const assumedMs = (): number | undefined => (time.isKnown() ? undefined : offsetMs());
  const entries = withFallback<readonly Entry[], TypedNotes>(deps.store, []);
  const { owner, exclusive } = deps.store;
  const isStored = (): boolean => entries.isStored() && deps.store.isLasting?.() !== false;
  /** What was refused and cannot be noted on the device. */
  const refused = new Set<string>();
  const handlerOf = ({ kind }: Content) => api[kind] as Handler<Content> | undefined;
  const isHeld = (entry: Entry): boolean => stateOf(entry, clock.now()) === 'held';

  /** Replaces entries in one transaction, or removes them, and returns what they were. */
  const replace = async (
    isMeant: (entry: Entry) => boolean,
    change: (entry: Entry) => Entry | undefined = () => undefined,
  ): Promise<Entry[]> => {
    const before = await entries.update((all) =>
      all.flatMap((entry) => (isMeant(entry) ? (change(entry) ?? []) : entry)),
    );
    return before.filter(isMeant);
  };
  const ofOwner = async () => {
    const svcId = await owner();
    return (entry: Entry): boolean => entry.owner === svcId;
  };
  const own = async (): Promise<Entry[]> => {
    const isOwn = await ofOwner();
    return (await entries.read()).filter(isOwn);
  };
  const keepDropped = async (entries: readonly Entry[]): Promise<void> => {
    for (const entry of entries) await handlerOf(entry)?.dropped?.(entry);
  };
  async function noteRefused(ids: readonly string[]): Promise<void> {
    for (const id of ids) refused.add(id);
    await deps.store.refused.add(ids).catch(() => {});
  }
  const append = (all: readonly Entry[], next: Entry): readonly Entry[] => {
    const isRelated = ({ owner, key }: Entry): boolean => owner === next.owner && key === next.key;
    const before = all.map((entry) =>
      next.notBefore === undefined && isRelated(entry) && isHeld(entry) ? released(entry) : entry,
    );
    const last = before.findLastIndex(isRelated);
    const earlier = before[last];
    const merged = earlier?.kind === next.kind ? handlerOf(next)?.merge?.(earlier, next) : undefined;
    return merged === undefined ? [...before, next] : before.with(last, merged);
  };

  /** For the receipts of answers: since when they have waited for a network. */
  const markOffline = async (): Promise<void> => {
    const isOwn = await ofOwner();
    const marked = { offlineSince: time.now(), offlineOffsetMs: assumedMs() };
    const isNew = (entry: Entry): boolean =>
      isOwn(entry) && !isHeld(entry) && entry.offlineSince === undefined;
    if ((await own()).some(isNew)) await replace(isNew, (entry) => ({ ...entry, ...marked }));
  };

  /** How entries are changed whose times were made before the service's time was known. */
  async function corrected(): Promise<(entry: Entry) => Entry> {
    if (!time.isKnown())
      await time.ask().catch((error: unknown) => {
        throw isRefusal(error) && !needsSignIn(error) ? new NetworkError('service') : error;
      });
    if (!time.isKnown()) return unchanged;
    const { withKnownTimes } = await loadTimes().catch(() => {
      throw new NetworkError();
    });
    const [now, by] = [time.now(), offsetMs()];
    return (entry) => withKnownTimes(entry, now, by);
  }

  async function send(): Promise<SendReport> {
    const report = { sent: [] as Entry[], dropped: [] as Entry[], failed: [] as Entry[] };
    /** Keys of entries that wait or have failed. */
    const blocked = new Set<string>();
    /** The entry without a response; it is the network unless another one gets a response. */
    let unanswered: Entry | undefined;
    const postpone = async (entry: Entry, retryAfterMs = 0): Promise<void> => {
      const { failures = 0 } = entry;
      const waitMs = Math.min(
        Math.max(FIRST_RETRY_MS * 2 ** failures, retryAfterMs),
        MAX_RETRY_MS[entry.kind],
      );
      const at = clock.now();
      await replace(is(entry), (one) => ({ ...one, at, notBefore: at + waitMs, failures: failures + 1 }));
      report.failed.push(entry);
    };
    for (const stored of await own()) {
      const handler = handlerOf(stored);
      if (handler === undefined || isWaiting(stored, clock.now())) blocked.add(stored.key);
      if (handler === undefined || blocked.has(stored.key)) continue;
      // Without a network nothing leaves the device, so it can still be undone.
      if (!api.isOnline()) {
        await markOffline();
        return { ...report, stopped: 'offline' };
      }
      let entry = stored;
      try {
        const timed = isAssumed(stored) ? await corrected() : unchanged;
        const isOwn = await ofOwner();
        const [before] = await replace(
          (one) => is(stored)(one) && isOwn(one),
          (one) => ({ ...timed(one), tried: true }),
        );
        // It was undone, or another adjuster has signed in.
        if (before === undefined) continue;
        entry = timed(before);
        await handler.send(entry);
        await replace(is(entry));
        report.sent.push(entry);
      } catch (error) {
        if (needsSignIn(error))
          return { ...report, stopped: error.status === 401 ? 'signed out' : 'passkey required' };
        if (isRefusal(error)) {
          // What follows was made in the belief that this is accepted.
          const related = (await own()).filter(({ key }) => key === entry.key);
          await keepDropped(related);
          await noteRefused(related.map(({ id }) => id));
          await replace((one) => related.some(is(one)));
          report.dropped.push(...related);
        } else {
          blocked.add(entry.key);
          const isNetwork = error instanceof NetworkError;
          if (!isNetwork || error.reason === 'service')
            await postpone(entry, isNetwork ? error.retryAfterMs : undefined);
          else if (unanswered !== undefined) return { ...report, stopped: 'offline' };
          else {
            await markOffline();
            unanswered = entry;
            continue;
          }
        }
      }
      if (unanswered !== undefined) await postpone(unanswered);
      unanswered = undefined;
    }
    return { ...report, stopped: unanswered === undefined ? undefined : 'offline' };
  }

  return {
    /** The entries of the adjuster who is signed in, oldest first. */
    own,
    exclusive,
    isStored,
    isRefused: async (ids: readonly string[]): Promise<boolean> =>
      ids.some((id) => refused.has(id)) || deps.store.refused.has(ids).catch(() => false),

    /**
     * Stores all contents or none, and returns the ids of their entries. While they can be undone they are held; others
     * release what is held under their keys, so that the order stays.
     */
    async add(contents: readonly Content[], undoMs = 0): Promise<readonly string[]> {
      const assumedOffsetMs = assumedMs();
      const [svcId, at] = [await owner(), clock.now()];
      if (svcId === undefined) throw new Error('Nobody is signed in.');
      const notBefore = undoMs > 0 ? at + undoMs : undefined;
      const added = contents.map(
        (content): Entry => ({
          ...content,
          ...{ id: crypto.randomUUID(), owner: svcId, at, notBefore, assumedOffsetMs },
        }),
      );
      await entries.update(
        (all) => added.reduce(append, all),
        (notes) => added.reduce(withoutNote, notes),
      );
      const ids = added.map(({ id }) => id);
      // A page that is closed takes with it what is not stored.
      if (!isStored()) await replace((entry) => ids.includes(entry.id), released);
      return ids;
    },

    /** Removes in one transaction what can be undone or has failed, and returns it. The rest may have arrived. */
    async cancel(ids: readonly string[]): Promise<readonly Entry[]> {
      const isMeant = (entry: Entry): boolean => ids.includes(entry.id) && canCancel(entry, clock.now());
      const wasTried = ({ tried }: Entry): boolean => tried === true;
      await keepDropped((await entries.read()).filter((entry) => isMeant(entry) && wasTried(entry)));
      let removed: readonly Entry[] = [];
      await entries.update(
        (all) => {
          removed = all.filter(isMeant);
          return all.filter((entry) => !isMeant(entry));
        },
        (notes) => removed.filter((entry) => !wasTried(entry)).reduce(withNote, notes),
      );
      return removed;
    },

    /** Whether the service has what was sent without a response; undefined where that cannot be asked. */
    hasArrived: async (entry: Entry): Promise<boolean | undefined> =>
      handlerOf(entry)
        ?.arrived?.(entry)
        .catch(() => undefined),

    /** Ends the waiting time of entries: the adjuster wants to send them now. */
    hurry: (ids: readonly string[]) => replace((entry) => ids.includes(entry.id), released),

    /** Ends the undo time: the page may be closed next. */
    async release(): Promise<void> {
      const isOwn = await ofOwner();
      await replace((entry) => isOwn(entry) && isHeld(entry), released);
    },

    /** Stores again what the store has lost. */
    restore: (shown: readonly Entry[]) =>
      entries.update((all) => [...all, ...shown.filter((entry) => !all.some(is(entry)))]),

    /** Removes everything of the adjuster who is signed in. */
    clear: async () => replace(await ofOwner()),

    /** Sends what is due. An entry that fails delays only those with its key. */
    send: () => exclusive(send),
  };
}
