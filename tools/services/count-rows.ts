import { setTimeout as sleep } from 'node:timers/promises';
import { withClient } from './postgres.ts';

/**
 * Row counts of all tables including the job queue, which a rejected request must not change. Waits until due jobs are
 * done. The request log and the audit trail are left out because they record rejected requests.
 */
export const countRows = (databaseUrl: string): Promise<Record<string, number>> =>
  withClient(databaseUrl, async (client) => {
    for (let waited = 0; waited < 100; waited++) {
      const due = await client.query(
        'SELECT 1 FROM jobs WHERE run_at <= now() AND failed_at IS NULL LIMIT 1',
      );
      if (due.rowCount === 0) break;
      await sleep(50);
    }
    const tables = await client.query<{ name: string }>(
      `SELECT format('public.%I', relname) AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
          AND relname NOT IN ('request_log', 'audit_log') ORDER BY 1`,
    );
    const counts: Record<string, number> = {};
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ count: string }>(`SELECT count(*) FROM ${name}`);
      counts[name] = Number(rows[0]?.count);
    }
    return counts;
  });
