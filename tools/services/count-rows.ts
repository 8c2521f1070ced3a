import pg from 'pg';

/** How many rows each table holds, the job queue's included: what a refused request must leave as it was. */
export async function countRows(databaseUrl: string): Promise<Record<string, number>> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const tables = await client.query<{ name: string }>(
      `SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind = 'r' AND n.nspname IN ('public', 'graphile_worker') ORDER BY 1`,
    );
    const counts: Record<string, number> = {};
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ count: string }>(`SELECT count(*) FROM ${name}`);
      counts[name] = Number(rows[0]?.count);
    }
    return counts;
  } finally {
    await client.end();
  }
}
