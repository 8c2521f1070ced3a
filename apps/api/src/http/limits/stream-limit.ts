import { getHeapStatistics } from 'node:v8';

/** Of an open stream: its connection, request and response. */
const STREAM_BYTES = 64 * 2 ** 10;
const LOG_INTERVAL_MS = 60_000;

/** How many live updates are open, of all accounts. */
export interface StreamLimit {
  /** @returns false if as many are open as this process can have. */
  add(): boolean;
  remove(): void;
}

/** Streams take at most half of the connections and a quarter of the heap; requests have the rest. */
export function createStreamLimit({
  maxConnections = Number.POSITIVE_INFINITY,
  heapBytes = getHeapStatistics().heap_size_limit,
  onFull = () => {},
}: {
  readonly maxConnections?: number | undefined;
  readonly heapBytes?: number;
  /** Called at most once a minute. */
  readonly onFull?: (max: number) => void;
}): StreamLimit {
  const max = Math.max(1, Math.floor(Math.min(maxConnections / 2, heapBytes / 4 / STREAM_BYTES)));
  let open = 0;
  let reportedAt = Number.NEGATIVE_INFINITY;
  return {
    add() {
      if (open < max) {
        open += 1;
        return true;
      }
      if (performance.now() - reportedAt >= LOG_INTERVAL_MS) {
        reportedAt = performance.now();
        onFull(max);
      }
      return false;
    },
    remove() {
      open -= 1;
    },
  };
}
