import { setTimeout as sleep } from 'node:timers/promises';
import { withClient } from './postgres.ts';

/**
 * How many rows each table holds, the job queue's included: what a refused request must leave as it was. Counted once
 * the jobs that are due have been done, since those come and go by themselves. The log of requests is left out: that a
 * request was refused is what it is there to tell.
 */
export const countRows = (databaseUrl: string): Promise<Record<string, number>> =>
  withClient(databaseUrl, async (client) => {
    for (let waited = 0; waited < 100; waited++) {
      const due = await client.query(
        'SELECT 1 FROM graphile_worker._private_jobs WHERE run_at <= now() AND attempts < max_attempts LIMIT 1',
      );
      if (due.rowCount === 0) break;
      await sleep(50);
    }
    const tables = await client.query<{ name: string }>(
      `SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind = 'r' AND n.nspname IN ('public', 'graphile_worker')
          AND c.relname <> 'request_log' ORDER BY 1`,
    );
    const counts: Record<string, number> = {};
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ count: string }>(`SELECT count(*) FROM ${name}`);
      counts[name] = Number(rows[0]?.count);
    }
    return counts;
  });
