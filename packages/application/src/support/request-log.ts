import type { LoggedRequest, RequestLogStore } from '../ports/request-log.ts';

/** Collects finished requests and stores them in batches. */
export interface RequestLog {
  /** Synchronous; never throws. */
  add(request: LoggedRequest): void;
  /** Stores what was collected; called periodically, outside of requests. */
  flush(): Promise<void>;
}

export interface RequestLogDeps {
  readonly store: Pick<RequestLogStore, 'append'>;
  /** Called with the number of entries dropped since the last call. */
  readonly onDropped: (count: number) => void;
  /** Maximum entries in memory; further ones are dropped. */
  readonly capacity?: number;
  /** Maximum entries per statement. */
  readonly batch?: number;
}

export function createRequestLog({
  store,
  onDropped,
  capacity = 20_000,
  batch = 1000,
}: RequestLogDeps): RequestLog {
  let waiting: LoggedRequest[] = [];
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
    add(request) {
      if (waiting.length < capacity) waiting.push(request);
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
