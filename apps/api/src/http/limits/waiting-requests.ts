import { createUsage } from './usage.ts';

/** More than any client has in flight on one connection. */
const MAX_PER_CONNECTION = 128;
/** Each request takes about 10 kB until it runs. */
const MAX_IN_ALL = 8192;

/**
 * Counts pipelined requests that wait for an earlier one of their connection: a client that sends requests without
 * reading the responses would fill the memory with them.
 */
export function createWaitingRequests<C extends object>() {
  const waiting = createUsage<C>();
  return {
    /** @returns false when the connection must be closed instead. */
    add(connection: C): boolean {
      if (waiting.of(connection) >= MAX_PER_CONNECTION || waiting.total() >= MAX_IN_ALL) return false;
      waiting.add(connection, 1);
      return true;
    },

    /** One of them runs. Without effect after `removeAll`. */
    remove(connection: C): void {
      if (waiting.of(connection) > 0) waiting.add(connection, -1);
    },

    /** The connection has closed. */
    removeAll(connection: C): void {
      waiting.add(connection, -waiting.of(connection));
    },
  };
}
