import type pg from 'pg';

/** When a client connects, a pooler in transaction mode reports a process id that is not that of the server process. */
export async function isBehindPooler(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
  return rows[0].pid !== (client as pg.Client & { processID: number }).processID;
}
