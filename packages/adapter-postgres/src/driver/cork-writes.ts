import type { Socket } from 'node:net';
import type pg from 'pg';

/**
 * Sends everything written to this connection in one turn of the event loop with one system call. Concurrent requests
 * query concurrently, and the system call costs more than the statement it carries: sockets take half of a busy
 * process's time (docs/performance.md).
 */
export function corkWrites(client: pg.PoolClient): void {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}
