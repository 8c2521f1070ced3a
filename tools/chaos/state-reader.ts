import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** Reads the database directly. */
export async function openStateReader(databaseUrl: string) {
  const sql = new pg.Client({ connectionString: databaseUrl });
  await sql.connect();

  /** The transactions of a dead process are rolled back once its connections end. */
  async function idle(): Promise<void> {
    for (;;) {
      const { rowCount } = await sql.query(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
          AND backend_type = 'client backend' AND state <> 'idle'`,
      );
      if (rowCount === 0) return;
      await sleep(2);
    }
  }

  return {
    /** All rows and jobs of the firm as text, in a stable order. */
    async stateOf(firmId: string) {
      await idle();
      const { rows } = await sql.query<{ row: string }>(
        `SELECT 'claim ' || row_to_json(c)::text AS row FROM claims c WHERE firm_id = $1::uuid
         UNION ALL SELECT 'idempotency ' || row_to_json(r)::text FROM idempotency_records r WHERE firm_id = $1::uuid
         UNION ALL SELECT 'carrier ' || row_to_json(b)::text FROM carriers b WHERE firm_id = $1::uuid
         UNION ALL SELECT 'membership ' || row_to_json(m)::text FROM memberships m WHERE firm_id = $1::uuid
         UNION ALL SELECT 'feed ' || to_json(last_stamp)::text FROM firm_feeds WHERE firm_id = $1::uuid
         UNION ALL SELECT 'job ' || payload::text FROM jobs WHERE firm_id = $1::uuid
         UNION ALL SELECT 'credentials ' || a.credentials::text FROM memberships m JOIN adjusters a USING (svc_id)
           WHERE m.firm_id = $1::uuid AND a.credentials IS NOT NULL
         UNION ALL SELECT 'reminder ' || j.payload::text FROM memberships m
           JOIN jobs j ON j.payload->>'kind' = 'remind_credentials' AND j.payload->>'svcId' = m.svc_id
           WHERE m.firm_id = $1::uuid`,
        [firmId],
      );
      return rows.map(({ row }) => row).sort();
    },
    close: () => sql.end(),
  };
}
