/** A function of IndexedDB as a promise. */
export const resultOf = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** Runs a transaction on the stored values. Whatever ends it, such as a closed database, is the rejection of this promise. */
export const inTransaction = <T>(
  database: IDBDatabase,
  mode: 'readonly' | 'readwrite',
  work: (kept: IDBObjectStore) => T | Promise<T>,
): Promise<T> =>
  new Promise((resolve, reject) => {
    const transaction = database.transaction('kept', mode);
    const worked = (async () => work(transaction.objectStore('kept')))();
    transaction.oncomplete = () => resolve(worked);
    transaction.onabort = () => reject(transaction.error ?? new DOMException('Aborted.', 'AbortError'));
    worked.catch((error: unknown) => {
      reject(error);
      try {
        transaction.abort();
      } catch {
        // It is over.
      }
    });
  });

/**
 * Raised only for a new object store, which earlier releases ignore: one that an operator went back to opens the
 * database at the later version it finds. Another shape of values is a new `FORMAT` of the storage.
 */
const VERSION = 1;

const OPEN_TIMEOUT_MS = 3000;

/** Another tab with an earlier release has not closed its connection, so the database cannot be upgraded yet. */
export class DatabaseBlocked extends Error {
  override readonly name = 'DatabaseBlocked';
}

export function connectDatabase(name: string, version: number) {
  const onLost: (() => void)[] = [];
  let opening: Promise<IDBDatabase> | undefined;
  const forget = (): void => {
    opening = undefined;
  };
  const lost = (): void => {
    forget();
    for (const listener of onLost) listener();
  };

  const open = (at: number | undefined): Promise<IDBDatabase> =>
    new Promise((resolve, reject) => {
      const opened = indexedDB.open(name, at);
      opened.onupgradeneeded = () => {
        const { result } = opened;
        if (!result.objectStoreNames.contains('kept')) result.createObjectStore('kept');
      };
      // It goes on without stored data until the other tab is closed, when the database opens after all.
      opened.onblocked = () => reject(new DatabaseBlocked());
      // Behind the waiting upgrade of yet another tab there is no event.
      const timer = setTimeout(() => reject(new DatabaseBlocked()), OPEN_TIMEOUT_MS);
      opened.onerror = () => {
        clearTimeout(timer);
        reject(opened.error);
      };
      opened.onsuccess = () => {
        clearTimeout(timer);
        const { result: database } = opened;
        // A later release is waiting in another tab, or the database is to be deleted.
        database.onversionchange = ({ newVersion }) => {
          database.close();
          if (newVersion === null) lost();
          else forget();
        };
        database.onclose = lost;
        opening = Promise.resolve(database);
        resolve(database);
      };
    });

  const openAnyVersion = (): Promise<IDBDatabase> =>
    open(version).catch((error: unknown) => {
      if (error instanceof DOMException && error.name === 'VersionError') return open(undefined);
      throw error;
    });

  return {
    /** Called after the browser has closed the database, for instance to clear its data. */
    onLost,
    /** The open database; opened again when the browser or this page has closed it. */
    async get(): Promise<IDBDatabase> {
      opening ??= openAnyVersion();
      const found = opening;
      try {
        const database = await found;
        if (isOpen(database)) return database;
      } catch (error) {
        // A request that is blocked stays in the browser's queue, and another one would wait behind it.
        if (opening === found && !(error instanceof DatabaseBlocked)) forget();
        throw error;
      }
      if (opening === found) lost();
      opening ??= openAnyVersion();
      return opening;
    },
  };
}

/** Safari closes the connections of a page in the background without an event. */
function isOpen(database: IDBDatabase): boolean {
  try {
    database.transaction('kept');
    return true;
  } catch {
    return false;
  }
}

/**
 * The app's database. `memory` prepares one for where the browser provides none: it is gone when the page is closed.
 */
export function openAppDatabase(memory?: () => Promise<unknown>) {
  const connect = () => connectDatabase('claims', VERSION);
  let connection = connect();
  let inMemory: Promise<void> | undefined;
  let wasOpen = false;
  return {
    onLost: (listener: () => void): void => void connection.onLost.push(listener),
    async get(): Promise<IDBDatabase> {
      try {
        const database = await connection.get();
        wasOpen = true;
        return database;
      } catch (error) {
        // A disk that is full now may have room later.
        if (error instanceof DatabaseBlocked || memory === undefined || wasOpen) throw error;
        inMemory ??= memory().then(() => {
          connection = connect();
        });
        await inMemory;
        return connection.get();
      }
    },
  };
}
