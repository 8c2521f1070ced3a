import type pg from 'pg';

/**
 * Runs one statement in a transaction opened by `begin`. On a pipelined connection all three messages are sent at once:
 * no additional round trip.
 */
export async function inTransaction(
  client: pg.ClientBase,
  begin: string,
  statement: pg.QueryConfig,
): Promise<pg.QueryResult> {
  const [begun, executed, committed] = await Promise.allSettled([
    client.query(begin),
    client.query(statement),
    client.query('COMMIT'),
  ]);
  for (const result of [begun, executed, committed]) if (result.status === 'rejected') throw result.reason;
  return (executed as PromiseFulfilledResult<pg.QueryResult>).value;
}
