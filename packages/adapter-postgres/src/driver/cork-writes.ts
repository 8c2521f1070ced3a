import type { Socket } from 'node:net';
import type pg from 'pg';

/**
 * Sends everything written to this connection in one turn of the event loop with one system call. Without it,
 * concurrent reads and transactions take 1.2 times the processor time here.
 */
export function corkWrites(client: pg.PoolClient): void {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}
