/** Collects entries and stores them in batches, outside of requests. */
export interface Batch<T> {
  /** Synchronous; never throws. */
  add(entry: T): void;
  /** Stores what was collected; called periodically, and at shutdown. */
  flush(): Promise<void>;
}

export interface BatchDeps<T> {
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

  const drain = async (): Promise<void> => {
    try {
      while (waiting.length > 0) {
        const next = waiting.slice(0, batch);
        await store.append(next);
        waiting = waiting.slice(next.length);
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
