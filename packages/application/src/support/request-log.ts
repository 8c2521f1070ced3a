import type { LoggedRequest, RequestLogStore } from '../ports/request-log.ts';

/** What becomes of requests that were answered: noted on their way out, and written down in batches. */
export interface RequestLog {
  /** Takes note, at once and without fail. */
  note(request: LoggedRequest): void;
  /** Writes down what was noted; the caller does so every now and then, away from any request. */
  write(): Promise<void>;
}

export interface RequestLogDeps {
  readonly store: Pick<RequestLogStore, 'append'>;
  /** Told how many notes were given up since it was last told. */
  readonly onDropped: (count: number) => void;
  /** Notes that may wait. Beyond that new ones are given up: the log must not outgrow what it is about. */
  readonly capacity?: number;
  /** Notes that go out in one statement. */
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
      // They wait on, as far as there is room. A store that fails says so elsewhere.
    } finally {
      if (dropped > 0) onDropped(dropped);
      dropped = 0;
    }
  };

  return {
    note(request) {
      if (waiting.length < capacity) waiting.push(request);
      else dropped += 1;
    },
    async write() {
      writing ??= drain().finally(() => {
        writing = null;
      });
      await writing;
    },
  };
}
