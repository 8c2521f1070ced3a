/** More than any client has in flight on one connection. */
const MAX_PER_CONNECTION = 128;
/** Each request takes about 10 kB until it runs. */
const MAX_IN_ALL = 8192;

/**
 * Counts pipelined requests that wait for an earlier one of their connection: a client that sends requests without
 * reading the responses would fill the memory with them.
 */
export function createWaitingRequests<C extends object>() {
  const counts = new Map<C, number>();
  let total = 0;
  return {
    /** @returns false when the connection must be closed instead. */
    add(connection: C): boolean {
      const count = (counts.get(connection) ?? 0) + 1;
      if (count > MAX_PER_CONNECTION || total >= MAX_IN_ALL) return false;
      counts.set(connection, count);
      total += 1;
      return true;
    },

    /** One of them runs. Without effect after `removeAll`. */
    remove(connection: C): void {
      const count = counts.get(connection);
      if (count === undefined) return;
      if (count === 1) counts.delete(connection);
      else counts.set(connection, count - 1);
      total -= 1;
    },

    /** The connection has closed. */
    removeAll(connection: C): void {
      total -= counts.get(connection) ?? 0;
      counts.delete(connection);
    },
  };
}
