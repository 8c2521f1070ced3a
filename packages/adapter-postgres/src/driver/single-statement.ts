import type pg from 'pg';

/**
 * Runs one statement in a transaction that `begin` opens. All three messages are sent without waiting for each other
 * where the connection pipelines, so this costs no additional round trip.
 */
export async function inTransaction(
  client: pg.ClientBase,
  begin: string,
  statement: pg.QueryConfig,
): Promise<pg.QueryResult> {
  const [begun, answered, committed] = await Promise.allSettled([
    client.query(begin),
    client.query(statement),
    client.query('COMMIT'),
  ]);
  for (const result of [begun, answered, committed]) if (result.status === 'rejected') throw result.reason;
  return (answered as PromiseFulfilledResult<pg.QueryResult>).value;
}
