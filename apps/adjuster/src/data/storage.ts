import type { AppClaim, AppInvitation, Profile } from '@svc/contract';
import type { DeadlineOverride, DevicePreferences } from '@svc/domain';
import type { Language } from '@svc/web-app/texts/languages';
import type { Arrangement } from '../model/arrange.ts';
import { type PastOffer, withPastOffers } from '../model/history.ts';
import { areListsExpired } from '../model/list-expiry.ts';
import type { TypedRejection } from '../model/rejection.ts';
import { isStoredShape } from '../model/shapes.ts';
import type { WorkEntries } from '../model/work-edits.ts';
import type { Outcome } from '../outbox/answers.ts';
import type { Entry } from '../outbox/entry.ts';
import { inTransaction, resultOf } from './database.ts';
import { withFallback } from './fallback.ts';

/** Where distances are measured from. It never leaves the device. */
export interface Origin {
  readonly latitude: number;
  readonly longitude: number;
  /** The ZIP code that the adjuster entered; undefined for the device's position. */
  readonly zip?: string;
}

export interface StoredValues {
  format: number;
  profile: Profile;
  /** The session may be another adjuster's than `profile`, which is not read yet. */
  signingIn: true;
  offers: readonly AppClaim[];
  accepted: readonly AppClaim[];
  closed: readonly AppClaim[];
  invitations: readonly AppInvitation[];
  /** When the lists were read, by the device's clock. */
  readAt: number;
  /** The service's revision of the lists, as known before they were read. */
  revision: string;
  /** The service's time shortly before the offers and accepted claims were read; the next reading starts there. */
  changesSince: string;
  /** What the adjusters of this device have done and the service has not confirmed, oldest first. */
  outbox: readonly Entry[];
  /** Ids of entries of the outbox that the service has refused lately. */
  refused: readonly string[];
  /** Results of answers, until they are dismissed. */
  outcomes: readonly Outcome[];
  /** Offers that are over. */
  history: readonly PastOffer[];
  /** Reasons for rejections and notes of the contact log that are typed and not sent, by claim. */
  rejections: Readonly<Record<string, TypedRejection>>;
  contactNotes: Readonly<Record<string, string>>;
  /** Other texts that are typed and not saved, by field. */
  fields: Readonly<Record<string, string>>;
  arrangement: Arrangement;
  origin: Origin;
  /** Claims that are stops of the route. */
  stops: readonly string[];
  deadlines: readonly DeadlineOverride[];
  /** The notification preferences of this device. */
  devicePreferences: Omit<DevicePreferences, 'timeZone'>;
  language: Language;
  deviceId: string;
  /** Who has turned on notifications on this device, and when they were last registered, and renewed after they had stopped. */
  notificationsOf: { readonly svcId: string; readonly at: number; readonly renewedAt?: number };
  /** Set once the adjuster has answered the suggestion to turn on notifications. */
  notificationsAsked: boolean;
  /** Set once the adjuster was asked for a location, which the app does by itself only once. */
  originAsked: boolean;
}

type DraftName = `draft:${string}`;
type Name = keyof StoredValues | DraftName;
export type TypedName = 'rejections' | 'contactNotes' | 'fields' | DraftName;
type Value<N extends Name> = N extends keyof StoredValues ? StoredValues[N] : WorkEntries;
type ValuesOf<Names extends readonly Name[]> = { readonly [I in keyof Names]: Value<Names[I]> | undefined };

/** What stays on the device when the adjuster signs out. */
const DEVICE_VALUES: readonly string[] = [
  'format',
  'signingIn',
  'language',
  'deviceId',
  'devicePreferences',
  'notificationsOf',
  // Its entries name their adjuster.
  'outbox',
];
const TYPED_BY = 'typed by ';
const isTyped = (name: string): name is TypedName =>
  name.startsWith('draft:') || ['rejections', 'contactNotes', 'fields'].includes(name);
const LISTS = ['offers', 'accepted', 'closed', 'invitations', 'readAt', 'revision', 'changesSince'] as const;

/** Another number than the stored one: the lists are read again. Raised when the shape of a stored value changes. */
const FORMAT = 1;

const MAX_OUTCOMES = 200;
const MAX_REFUSED = 100;

/** After a rejection the device keeps nobody's name. */
const seenOutcome = (outcome: Outcome): Outcome => ({
  ...outcome,
  isSeen: true,
  ...(outcome.result === 'rejected' && { title: outcome.detail ?? outcome.claimId, detail: undefined }),
});

/** A value of another shape counts as missing. */
const checked = <N extends Name>(name: N, value: unknown): Value<N> | undefined =>
  isStoredShape(name, value) ? (value as Value<N> | undefined) : undefined;

const namesIn = async (kept: IDBObjectStore): Promise<string[]> =>
  (await resultOf(kept.getAllKeys())).map(String);

export type Storage = ReturnType<typeof createStorage>;

/** What the app keeps on the device. */
/** @param onWrite called with whether something could be stored: a disk may be full */
export function createStorage(database: () => Promise<IDBDatabase>, onWrite = (_isStored: boolean) => {}) {
  const reading = async <T>(work: (kept: IDBObjectStore) => Promise<T>): Promise<T> =>
    inTransaction(await database(), 'readonly', work);
  async function writing<T>(work: (kept: IDBObjectStore) => T | Promise<T>): Promise<T> {
    try {
      const result = await inTransaction(await database(), 'readwrite', work);
      onWrite(true);
      return result;
    } catch (error) {
      onWrite(false);
      throw error;
    }
  }
  const read = async <N extends Name>(kept: IDBObjectStore, name: N): Promise<Value<N> | undefined> =>
    checked(name, await resultOf(kept.get(name)));

  type Change<N extends Name> = (before: Value<N> | undefined) => Value<N> | undefined;
  const replace = async <N extends Name>(kept: IDBObjectStore, name: N, change: Change<N>) => {
    const before = await read(kept, name);
    const after = change(before);
    if (after === undefined) kept.delete(name);
    else if (after !== before) kept.put(after, name);
    return before;
  };
  /** Reads and replaces a value in one transaction; undefined removes it. Returns the value before. */
  const update = <N extends Name>(name: N, change: Change<N>): Promise<Value<N> | undefined> =>
    writing((kept) => replace(kept, name, change));

  const storage = {
    get: <N extends Name>(name: N): Promise<Value<N> | undefined> => reading((kept) => read(kept, name)),
    /** Reads several values in one transaction, which is faster. */
    getAll: <const Names extends readonly Name[]>(...names: Names): Promise<ValuesOf<Names>> =>
      reading(async (kept) => {
        const values = await Promise.all(names.map((name) => read(kept, name)));
        return values as ValuesOf<Names>;
      }),
    put: <N extends Name>(name: N, value: Value<N>): Promise<void> =>
      writing((kept) => void kept.put(value, name)),
    remove: (name: Name): Promise<void> => writing((kept) => void kept.delete(name)),
    /** Removes everything of the adjuster but the outbox, so that the next one to sign in finds nothing. */
    clear: (): Promise<void> =>
      writing(async (kept) => {
        for (const name of await namesIn(kept))
          if (!DEVICE_VALUES.includes(name) && !name.startsWith(TYPED_BY)) kept.delete(name);
      }),
    /** Keeps what an adjuster has typed and not sent until they sign in again, out of sight of the next one. */
    setTypedAside: (svcId: string): Promise<void> =>
      writing(async (kept) => {
        const names = (await namesIn(kept)).filter(isTyped);
        const values = await Promise.all(names.map((name) => resultOf(kept.get(name))));
        if (names.length > 0)
          kept.put(Object.fromEntries(names.map((name, i) => [name, values[i]])), `${TYPED_BY}${svcId}`);
      }),
    bringTypedBack: (svcId: string): Promise<void> =>
      writing(async (kept) => {
        const typed: object | undefined = await resultOf(kept.get(`${TYPED_BY}${svcId}`));
        for (const [name, value] of Object.entries(typed ?? {})) kept.put(value, name);
        kept.delete(`${TYPED_BY}${svcId}`);
      }),
    /** Removes what the service can send again. */
    clearLists: (): Promise<void> =>
      writing((kept) => {
        for (const name of LISTS) kept.delete(name);
      }),
    /** Removes the lists that another release has stored in another format. */
    async adoptFormat(): Promise<void> {
      const stored = await storage.get('format');
      if (stored === FORMAT) return;
      if (stored !== undefined) await storage.clearLists();
      await storage.put('format', FORMAT);
    },
    /** Removes the lists of an app that has not been in use, or had no network, for too long. */
    async clearExpiredLists(): Promise<void> {
      if (areListsExpired(await storage.get('readAt'), Date.now())) await storage.clearLists();
    },
    /** Removes the stored copy of an offer that this adjuster may no longer read. */
    removeOffer: (claimId: string) =>
      update('offers', (offers) => offers?.filter(({ id }) => id !== claimId)),
    /** Returns the entries before. A note is in its field or in its entry, whenever the page is closed. */
    updateOutbox: (entries: Change<'outbox'>, notes: Change<'contactNotes'>) =>
      writing(async (kept) => {
        const before = await replace(kept, 'outbox', entries);
        await replace(kept, 'contactNotes', notes);
        return before;
      }),
  };

  const typed = <N extends TypedName>(name: N) => ({
    read: () => storage.get(name),
    update: (change: Change<N>) => update(name, change),
  });

  /** Which of what the adjuster did the service has refused lately, in any tab. */
  const refused = {
    add: (ids: readonly string[]) =>
      update('refused', (before = []) => [...before, ...ids].slice(-MAX_REFUSED)),
    has: async (ids: readonly string[]): Promise<boolean> =>
      ((await storage.get('refused')) ?? []).some((id) => ids.includes(id)),
  };

  /** The result of each answer, the last one of a claim, which stay until they are dismissed. */
  const keptOutcomes = withFallback<readonly Outcome[]>(
    {
      read: async () => (await storage.get('outcomes')) ?? [],
      update: (change) => update('outcomes', (before = []) => change(before)),
    },
    [],
  );
  const outcomes = {
    read: keptOutcomes.read,
    forget: keptOutcomes.forget,
    add: (outcome: Outcome) =>
      keptOutcomes.update((before) => [
        ...before.filter(({ claimId }) => claimId !== outcome.claimId).slice(1 - MAX_OUTCOMES),
        outcome,
      ]),
    see: (seen: readonly Outcome[]) =>
      keptOutcomes.update((before) =>
        before.map((one) =>
          seen.some(({ claimId, at }) => claimId === one.claimId && at === one.at) ? seenOutcome(one) : one,
        ),
      ),
    dismiss: (claimIds: ReadonlySet<string>) =>
      keptOutcomes.update((before) => before.filter(({ claimId }) => !claimIds.has(claimId))),
  };

  const history = {
    add: (offers: readonly PastOffer[]) => update('history', (before = []) => withPastOffers(before, offers)),
  };

  /** A random id, created once per device. */
  async function deviceId(): Promise<string> {
    const stored = await storage.get('deviceId');
    if (stored !== undefined) return stored;
    const created = crypto.randomUUID();
    await storage.put('deviceId', created);
    return created;
  }

  return {
    ...storage,
    deviceId,
    update,
    outcomes,
    history,
    typed,
    refused,
  };
}
