import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Response data that one process buffers for clients that do not read. */
const MAX_BYTES = 128 * 2 ** 20;
const CHECK_INTERVAL_MS = 250;
/** A client that takes this much within the response timeout is reading: its time starts again. */
const PROGRESS_BYTES = 64 * 2 ** 10;

type Connection = Pick<Socket, 'bytesWritten' | 'writableLength'> & { destroy(): unknown };

interface UnsentResponses<C extends Connection> {
  check(now: number): void;
  /** Checks at an interval until stopped. */
  start(): { stop(): void };
  readonly connections: Set<C>;
}

/**
 * Destroys connections whose client does not read: those that exceed the response timeout and, when all of them together
 * buffer too much, those that have waited longest. Connections are sampled, so a request costs nothing.
 */
export function createUnsentResponses<C extends Connection>(options: {
  readonly withinMs: number;
  /** The latest response of each connection. */
  readonly latest: { get(connection: C): Pick<ServerResponse, 'writableLength'> | undefined };
}): UnsentResponses<C> {
  const { withinMs, latest } = options;
  const connections = new Set<C>();
  /** Longest waiting first. */
  const waiting = new Map<
    C,
    { readonly response: unknown; readonly since: number; readonly sentBytes: number; bytes: number }
  >();

  const drop = (connection: C): void => {
    waiting.delete(connection);
    connections.delete(connection);
    connection.destroy();
  };

  const check = (now: number): void => {
    let totalBytes = 0;
    for (const connection of waiting.keys()) if (!connections.has(connection)) waiting.delete(connection);
    for (const connection of connections) {
      if (connection.writableLength === 0) {
        waiting.delete(connection);
        continue;
      }
      const response = latest.get(connection);
      const bytes = Math.max(connection.writableLength, response?.writableLength ?? 0);
      const sentBytes = connection.bytesWritten - connection.writableLength;
      const previous = waiting.get(connection);
      if (
        previous === undefined ||
        previous.response !== response ||
        sentBytes - previous.sentBytes >= PROGRESS_BYTES
      ) {
        waiting.delete(connection);
        waiting.set(connection, { response, since: now, sentBytes, bytes });
      } else if (now - previous.since >= withinMs) {
        drop(connection);
        continue;
      } else {
        previous.bytes = bytes;
      }
      totalBytes += bytes;
    }
    for (const [connection, { bytes }] of waiting) {
      if (totalBytes <= MAX_BYTES) return;
      totalBytes -= bytes;
      drop(connection);
    }
  };

  return {
    connections,
    check,
    start() {
      const timer = setInterval(() => check(performance.now()), CHECK_INTERVAL_MS).unref();
      return { stop: () => clearInterval(timer) };
    },
  };
}
