/** Collects entries and stores them in batches, outside of requests. */
export interface Batch<T> {
  /** Synchronous; never throws. */
  add(entry: T): void;
  /** Stores what was collected before the call; called periodically, and at shutdown. */
  flush(): Promise<void>;
}

/** Puts entries into the rows in which they are stored. */
export interface RowCollector<Entry, Row> {
  add(entry: Entry): void;
  /** The rows of what was added since the last call. */
  take(): Row[];
}

interface RowRules<Entry, Row> {
  readonly keyOf: (entry: Entry) => string;
  readonly start: (entry: Entry) => Row;
  /** @returns false if the row is full. */
  readonly extend: (row: Row, entry: Entry) => boolean;
}

/** Entries with the same key share a row as long as they fit. */
export function collectRows<Entry, Row>({
  keyOf,
  start,
  extend,
}: RowRules<Entry, Row>): RowCollector<Entry, Row> {
  let rows: Row[] = [];
  /** The latest row of each key. */
  const latest = new Map<string, Row>();
  return {
    add(entry) {
      const key = keyOf(entry);
      const row = latest.get(key);
      if (row !== undefined && extend(row, entry)) return;
      const next = start(entry);
      latest.set(key, next);
      rows.push(next);
    },
    take() {
      const taken = rows;
      rows = [];
      latest.clear();
      return taken;
    },
  };
}

/** The rows of entries that are stored together. */
export function rowsOf<Entry, Row>(
  { add, take }: RowCollector<Entry, Row>,
  entries: readonly Entry[],
): Row[] {
  for (const entry of entries) add(entry);
  return take();
}

export interface BatchDeps<T, Row> {
  readonly rows: RowCollector<T, Row>;
  /** Gets the same rows again if it fails: it may have stored some of them. */
  readonly store: { append(rows: readonly Row[]): Promise<void> };
  /** Called with the number of entries dropped since the last call. */
  readonly onDropped: (count: number) => void;
  /** Maximum entries in memory; further ones are dropped. */
  readonly capacity?: number;
  /** Rows that are stored at once: requests wait while their statement is built. */
  readonly batchRows?: number;
}

export function createBatch<T, Row>({
  rows,
  store,
  onDropped,
  capacity = 20_000,
  batchRows = 20,
}: BatchDeps<T, Row>): Batch<T> {
  /** Entries in memory. */
  let waiting = 0;
  let dropped = 0;
  /** Oldest first. */
  let batches: Row[][] = [];
  let running = Promise.resolve();
  let following: Promise<void> | null = null;

  /** Stores only what was added before: otherwise it would not end under load, and rows would have few entries. */
  const drain = async (): Promise<void> => {
    const storing = waiting;
    const added = rows.take();
    for (let at = 0; at < added.length; at += batchRows) batches.push(added.slice(at, at + batchRows));
    try {
      for (let batch = batches[0]; batch !== undefined; batch = batches[0]) {
        await store.append(batch);
        batches = batches.slice(1);
      }
      waiting -= storing;
    } catch {
      // Entries stay queued up to the capacity. The store reports its own errors.
    } finally {
      if (dropped > 0) onDropped(dropped);
      dropped = 0;
    }
  };

  return {
    add(entry) {
      if (waiting < capacity) {
        waiting += 1;
        rows.add(entry);
      } else {
        dropped += 1;
      }
    },
    flush() {
      if (following === null) {
        following = running.then(() => {
          following = null;
          return drain();
        });
        running = following;
      }
      return following;
    },
  };
}
