import { type DBSchema, type IDBPDatabase, openDB } from 'idb';

export interface Schema extends DBSchema {
  kept: { key: string; value: unknown };
}
export type Database = IDBPDatabase<Schema>;

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

interface DatabaseConnection {
  /** The open database; opened again when the browser or this page has closed it. */
  get(): Promise<Database>;
  /** Called after the browser has closed the database, for instance to clear its data. */
  readonly onLost: (() => void)[];
}

export function connectDatabase(name: string, version: number): DatabaseConnection {
  const onLost: (() => void)[] = [];
  let opening: Promise<Database> | undefined;
  const forget = (): void => {
    opening = undefined;
  };
  const lost = (): void => {
    forget();
    for (const listener of onLost) listener();
  };

  const open = (at: number | undefined): Promise<Database> =>
    new Promise((resolve, reject) => {
      const opened = openDB<Schema>(name, at, {
        upgrade(database) {
          if (!database.objectStoreNames.contains('kept')) database.createObjectStore('kept');
        },
        // It goes on without stored data until the other tab is closed, when the database opens after all.
        blocked: () => reject(new DatabaseBlocked()),
        // A later release is waiting in another tab, or the database is to be deleted.
        blocking(_, version) {
          void opened.then((database) => database.close());
          if (version === null) lost();
          else forget();
        },
        terminated: lost,
      });
      // Behind the waiting upgrade of yet another tab there is no event.
      const timer = setTimeout(() => reject(new DatabaseBlocked()), OPEN_TIMEOUT_MS);
      opened
        .then((database) => {
          opening = Promise.resolve(database);
          resolve(database);
        }, reject)
        .finally(() => clearTimeout(timer));
    });

  const openAnyVersion = (): Promise<Database> =>
    open(version).catch((error: unknown) => {
      if (error instanceof DOMException && error.name === 'VersionError') return open(undefined);
      throw error;
    });

  return {
    onLost,
    async get() {
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
function isOpen(database: Database): boolean {
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
  return {
    onLost: (listener: () => void): void => void connection.onLost.push(listener),
    async get(): Promise<Database> {
      try {
        return await connection.get();
      } catch (error) {
        if (error instanceof DatabaseBlocked || memory === undefined) throw error;
        inMemory ??= memory().then(() => {
          connection = connect();
        });
        await inMemory;
        return connection.get();
      }
    },
  };
}
