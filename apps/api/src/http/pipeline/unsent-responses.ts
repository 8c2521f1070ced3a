import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Bytes of responses that one process holds for clients that do not read them. */
const MAX_BYTES = 128 * 2 ** 20;
const CHECK_INTERVAL_MS = 250;

type Connection = Pick<Socket, 'writableLength' | 'destroy'>;

interface UnsentResponses<C extends Connection> {
  check(now: number): void;
  /** Looks every quarter of a second until told to stop. */
  start(): { stop(): void };
  readonly connections: Set<C>;
}

/**
 * Destroys connections whose client does not read: each that has not taken a response in time, and, when all of them
 * together hold too much, the ones that have waited longest. Connections are sampled, so a request costs nothing.
 */
export function createUnsentResponses<C extends Connection>(options: {
  readonly withinMs: number;
  readonly maxBytes?: number;
  /** The last response of a connection. */
  readonly latest: { get(connection: C): Pick<ServerResponse, 'writableLength'> | undefined };
}): UnsentResponses<C> {
  const { withinMs, maxBytes = MAX_BYTES, latest } = options;
  const connections = new Set<C>();
  /** In the order in which they began to wait. */
  const waiting = new Map<C, { readonly response: unknown; readonly since: number; bytes: number }>();

  const drop = (connection: C): void => {
    waiting.delete(connection);
    connections.delete(connection);
    connection.destroy();
  };

  const check = (now: number): void => {
    let total = 0;
    for (const connection of waiting.keys()) if (!connections.has(connection)) waiting.delete(connection);
    for (const connection of connections) {
      if (connection.writableLength === 0) {
        waiting.delete(connection);
        continue;
      }
      const response = latest.get(connection);
      const bytes = Math.max(connection.writableLength, response?.writableLength ?? 0);
      const known = waiting.get(connection);
      if (known === undefined || known.response !== response) {
        waiting.delete(connection);
        waiting.set(connection, { response, since: now, bytes });
      } else if (now - known.since >= withinMs) {
        drop(connection);
        continue;
      } else {
        known.bytes = bytes;
      }
      total += bytes;
    }
    for (const [connection, { bytes }] of waiting) {
      if (total <= maxBytes) return;
      total -= bytes;
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
