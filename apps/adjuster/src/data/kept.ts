import type { AppClaim, AppInvitation, Profile } from '@svc/contract';
import type { Language } from '../texts/language.ts';

/** An answer to an offer, from the moment the adjuster has given it until the service has it. */
export interface WaitingAnswer {
  readonly claimId: string;
  readonly answer: 'accept' | 'reject';
  readonly reason?: string;
  /** Who is to answer: nobody else's session may carry it. */
  readonly svcId: string;
  /** What the list says of it meanwhile. */
  readonly title: string;
  readonly firm: string;
  /** Which offer it answers: the same claim may be offered again. */
  readonly offeredAt?: string;
  /** It was on its way before, and may have arrived. */
  readonly tried?: boolean;
  readonly at: number;
}

/**
 * What came of it. `gone`: the offer was withdrawn, or was rejected before. `answered`: another device was faster.
 * `offeredAgain`: the offer was over, and another of the same claim waits for an answer of its own.
 */
export interface Outcome {
  readonly claimId: string;
  readonly result: 'accepted' | 'rejected' | 'gone' | 'answered' | 'offeredAgain' | 'refused';
  readonly title: string;
}

/** What is kept on the device, by name. All but the device's own id and language goes when the adjuster signs out. */
interface Kept {
  profile: Profile;
  offers: readonly AppClaim[];
  accepted: readonly AppClaim[];
  closed: readonly AppClaim[];
  invitations: readonly AppInvitation[];
  /** When the lists were read, by the device's clock. */
  readAt: number;
  /** What the service called the state of the lists before they were read. */
  edition: string;
  /** What came of answers that were sent while nobody looked. */
  outcomes: readonly Outcome[];
  language: Language;
  deviceId: string;
  /** Whose notifications this device's subscription is for, and when the service was last told of it. */
  noticesOf: { readonly svcId: string; readonly at: number };
  /** Whether the adjuster does not want to be asked about notifications again. */
  noticesAsked: boolean;
}

type Name = keyof Kept | `draft:${string}`;
type Value<N extends Name> = N extends keyof Kept ? Kept[N] : Draft;

/** Entries of one's own work that were not saved yet. */
export interface Draft {
  readonly contact_date?: string;
  readonly inspection_date?: string;
  readonly notes?: string;
}

const OF_THE_DEVICE: readonly string[] = ['language', 'deviceId', 'noticesOf'];
const LISTS = ['offers', 'accepted', 'closed', 'invitations', 'readAt', 'edition'] as const;

let opening: Promise<IDBDatabase> | undefined;

function database(): Promise<IDBDatabase> {
  opening ??= new Promise((resolve, reject) => {
    const request = indexedDB.open('claims', 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore('kept');
      request.result.createObjectStore('answers', { keyPath: 'claimId' });
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return opening;
}

async function using<T>(
  store: 'kept' | 'answers',
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const transaction = (await database()).transaction(store, mode);
  const request = work(transaction.objectStore(store));
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = () => reject(transaction.error);
    transaction.onerror = () => reject(transaction.error);
  });
}

export const kept = {
  get: <N extends Name>(name: N): Promise<Value<N> | undefined> =>
    using('kept', 'readonly', (store) => store.get(name)),
  put: <N extends Name>(name: N, value: Value<N>): Promise<unknown> =>
    using('kept', 'readwrite', (store) => store.put(value, name)),
  remove: (name: Name): Promise<unknown> => using('kept', 'readwrite', (store) => store.delete(name)),
  /** Everything of the adjuster's: the next one to sign in finds an empty device. */
  async clear(): Promise<void> {
    for (const name of await using('kept', 'readonly', (store) => store.getAllKeys())) {
      if (!OF_THE_DEVICE.includes(String(name))) await kept.remove(String(name) as Name);
    }
    await using('answers', 'readwrite', (store) => store.clear());
  },
  /** What the service would give again to whoever may have it. */
  async clearLists(): Promise<void> {
    for (const name of LISTS) await kept.remove(name);
  },
};

/** Removes the stored copy of an offer that this adjuster may no longer read. */
export const removeOffer = (claimId: string): Promise<unknown> =>
  using('kept', 'readwrite', (store) => {
    const held: IDBRequest<readonly AppClaim[] | undefined> = store.get('offers');
    held.onsuccess = () =>
      store.put(
        (held.result ?? []).filter(({ id }) => id !== claimId),
        'offers',
      );
    return held;
  });

/** Outcomes are told once, in whichever tab it is: to add and to take are each one step. */
export const outcomes = {
  add: (outcome: Outcome): Promise<unknown> =>
    using('kept', 'readwrite', (store) => {
      const held: IDBRequest<readonly Outcome[] | undefined> = store.get('outcomes');
      held.onsuccess = () => store.put([...(held.result ?? []), outcome], 'outcomes');
      return held;
    }),
  take: async (): Promise<readonly Outcome[]> =>
    (await using('kept', 'readwrite', (store) => {
      const held: IDBRequest<readonly Outcome[] | undefined> = store.get('outcomes');
      held.onsuccess = () => store.delete('outcomes');
      return held;
    })) ?? [],
};

export const waitingAnswers = {
  all: async (): Promise<WaitingAnswer[]> => {
    const found: WaitingAnswer[] = await using('answers', 'readonly', (store) => store.getAll());
    return found.sort((a, b) => a.at - b.at);
  },
  put: (answer: WaitingAnswer): Promise<unknown> =>
    using('answers', 'readwrite', (store) => store.put(answer)),
  remove: (claimId: string): Promise<unknown> =>
    using('answers', 'readwrite', (store) => store.delete(claimId)),
};

/** An id that the device has chosen for itself. */
export async function deviceId(): Promise<string> {
  const held = await kept.get('deviceId');
  if (held !== undefined) return held;
  const chosen = crypto.randomUUID();
  await kept.put('deviceId', chosen);
  return chosen;
}
