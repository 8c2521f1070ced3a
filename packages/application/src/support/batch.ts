/** Collects entries and stores them in batches, outside of requests. */
export interface Batch<T> {
  /** Synchronous; never throws. */
  add(entry: T): void;
  /** Stores what was collected; called periodically, and at shutdown. */
  flush(): Promise<void>;
}

export interface BatchDeps<T> {
  /** Gets the same entries again if it fails: it may have stored some of them. */
  readonly store: { append(entries: readonly T[]): Promise<void> };
  /** Called with the number of entries dropped since the last call. */
  readonly onDropped: (count: number) => void;
  /** Maximum entries in memory; further ones are dropped. */
  readonly capacity?: number;
  /** Maximum entries per statement. */
  readonly batch?: number;
}

export function createBatch<T>({
  store,
  onDropped,
  capacity = 20_000,
  batch = 1000,
}: BatchDeps<T>): Batch<T> {
  let waiting: T[] = [];
  let dropped = 0;
  let writing: Promise<void> | null = null;
  /** How many of the first entries were passed to the store and are not confirmed. */
  let unconfirmed = 0;

  const drain = async (): Promise<void> => {
    try {
      while (waiting.length > 0) {
        unconfirmed ||= Math.min(waiting.length, batch);
        await store.append(waiting.slice(0, unconfirmed));
        waiting = waiting.slice(unconfirmed);
        unconfirmed = 0;
      }
    } catch {
      // Entries stay queued up to the capacity. The store reports its own errors.
    } finally {
      if (dropped > 0) onDropped(dropped);
      dropped = 0;
    }
  };

  return {
    add(entry) {
      if (waiting.length < capacity) waiting.push(entry);
      else dropped += 1;
    },
    async flush() {
      writing ??= drain().finally(() => {
        writing = null;
      });
      await writing;
    },
  };
}

/** Entries with the same key, in groups of at most `maxSize`, or of one that is larger. */
export function groupsOf<T>(
  entries: readonly T[],
  keyOf: (entry: T) => string,
  maxSize: number,
  sizeOf: (entry: T) => number = () => 1,
): [T, ...T[]][] {
  const groups: [T, ...T[]][] = [];
  const open = new Map<string, { readonly group: T[]; size: number }>();
  for (const entry of entries) {
    const key = keyOf(entry);
    const size = sizeOf(entry);
    const last = open.get(key);
    if (last !== undefined && last.size + size <= maxSize) {
      last.group.push(entry);
      last.size += size;
    } else {
      const group: [T, ...T[]] = [entry];
      open.set(key, { group, size });
      groups.push(group);
    }
  }
  return groups;
}
