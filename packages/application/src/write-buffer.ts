export type WriteBuffer<T> = ReturnType<typeof createWriteBuffer<T>>;

export interface WriteBufferDeps<T> {
  /** Entries with the same key are stored together. */
  readonly keyOf: (entry: T) => string;
  /** Gets the same entries again if it fails: it may have stored some of them. */
  readonly store: { append(entries: readonly T[]): Promise<void> };
  /** Called with the number of entries dropped since the last call. */
  readonly onDropped: (count: number) => void;
  /** Maximum entries in memory; further ones are dropped. */
  readonly capacity?: number;
  /** Entries that are stored at once: requests wait while their statement is built. */
  readonly batchSize?: number;
}

/** Collects entries and stores them in batches, outside of requests. */
export function createWriteBuffer<T>({
  keyOf,
  store,
  onDropped,
  capacity = 20_000,
  batchSize = 280,
}: WriteBufferDeps<T>) {
  /** Entries in memory. */
  let waiting = 0;
  let dropped = 0;
  /** Since the last flush, by key. */
  let added = new Map<string, T[]>();
  /** Oldest first. */
  let batches: T[][] = [];
  let running = Promise.resolve();
  let following: Promise<void> | null = null;

  /** Stores only what was added before: otherwise it would not end under load, and batches would be small. */
  const drain = async (): Promise<void> => {
    const storing = waiting;
    const entries = [...added.values()].flat();
    added = new Map();
    for (let at = 0; at < entries.length; at += batchSize) batches.push(entries.slice(at, at + batchSize));
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
    /** Synchronous; never throws. */
    add(entry: T): void {
      if (waiting === capacity) {
        dropped += 1;
        return;
      }
      waiting += 1;
      const key = keyOf(entry);
      const sameKey = added.get(key);
      if (sameKey === undefined) added.set(key, [entry]);
      else sameKey.push(entry);
    },
    /** Stores what was collected before the call; called periodically, and at shutdown. */
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
