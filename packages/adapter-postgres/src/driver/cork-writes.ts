import type { Socket } from 'node:net';
import type pg from 'pg';

/**
 * Lets everything that is sent on this connection in one turn of the event loop leave in one write. Requests that
 * come in together ask the database together, and a system call costs more than the statement it carries.
 */
export function corkWrites(client: pg.PoolClient): void {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}
