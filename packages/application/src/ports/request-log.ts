import type { FirmId, Instant, KeyId } from '@svc/domain';

/** What support may know of a request: what was asked and how it ended, nothing of what was sent. */
export interface LoggedRequest {
  readonly requestId: string;
  readonly at: Instant;
  readonly firmId: FirmId;
  readonly keyId: KeyId;
  /** Method and template of the path. */
  readonly route: string;
  /** Null: the client hung up before it was answered. */
  readonly status: number | null;
  readonly code: string | null;
  /** Where a refused request was wrong: names of fields, parameters and headers, never their values. */
  readonly places: readonly string[];
  readonly durationMs: number;
}

export interface RequestLogQuery {
  readonly requestId?: string | undefined;
  readonly limit: number;
}

export interface RequestLogStore {
  /** What is there already, by firm and request id, is left as it is: a batch may be written again. */
  append(requests: readonly LoggedRequest[]): Promise<void>;
  /** A firm's own requests, latest first. */
  requestsOf(firmId: FirmId, query: RequestLogQuery): Promise<LoggedRequest[]>;
}

/** How long support can look back. */
export const REQUEST_LOG_KEPT = 14 * 24 * 60 * 60 * 1000;

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
