import { performance } from 'node:perf_hooks';
import { connect } from '@svc/adapter-postgres';
import type pg from 'pg';
import { withClient } from '../services/postgres.ts';
import { type BenchData, copyClaims, DAY_MS, requestsOf, START } from './data.ts';
import { load, type Measured } from './load.ts';
import type { Server } from './subject.ts';

const MONTH_MS = 30 * DAY_MS;
/** Months from creation to closing, and from closing to deletion. */
const OPEN_MONTHS = 2;
const KEPT_MONTHS = 3;
const MONTHS = 12;

export interface Size {
  readonly claims: number;
  readonly table_mb: number;
  readonly indexes_mb: number;
  readonly bytes_per_claim: number;
}

/** Size of the table `claims`, with what is stored apart from its rows. */
export const sizeOfClaims = (url: string): Promise<Size> => withClient(url, readSize);

async function readSize(client: pg.Client): Promise<Size> {
  const { rows } = await client.query<{ claims: number; table_bytes: number; index_bytes: number }>(
    `SELECT (SELECT count(*) FROM claims)::float8 AS claims, pg_table_size('claims')::float8 AS table_bytes,
       pg_indexes_size('claims')::float8 AS index_bytes`,
  );
  const { claims = 0, table_bytes = 0, index_bytes = 0 } = rows[0] ?? {};
  return {
    claims,
    table_mb: Math.round(table_bytes / 1e6),
    indexes_mb: Math.round(index_bytes / 1e6),
    bytes_per_claim: Math.round((table_bytes + index_bytes) / claims),
  };
}

interface Month extends Size {
  readonly month: number;
  readonly deleted: number;
  readonly purge_seconds: number;
  /** Rows that vacuum removes. */
  readonly dead_rows: number;
  readonly vacuum_seconds: number;
}

/**
 * Every month adds the same number of claims to each firm, closes those of two months ago, and deletes those that were
 * closed three months ago. Then the table is vacuumed: autovacuum does so more often, and has less to do each time.
 */
export async function year({
  url,
  data,
  subject,
  perMonth,
  say,
}: {
  url: string;
  data: BenchData;
  subject: Server;
  perMonth: number;
  say: (line: string) => void;
}): Promise<Record<string, unknown>> {
  const stores = await connect({ url, closedClaimRetentionMs: KEPT_MONTHS * MONTH_MS });
  const counts = data.firms.map(() => perMonth);
  const months: Month[] = [];
  let reads: readonly Measured[] = [];
  try {
    await withClient(url, async (client) => {
      await client.query('ALTER TABLE claims SET (autovacuum_enabled = false)');
      for (let month = 1; month <= MONTHS; month += 1) {
        const from = START + month * MONTH_MS;
        for (const { claims } of data.firms) claims.length = 0;
        await copyClaims(client, data.firms, { counts, from, days: 30 });
        await close(client, from - OPEN_MONTHS * MONTH_MS, from);
        const alone = month === MONTHS ? await measureReads(subject, data) : null;
        const began = performance.now();
        const purging = stores.purge(from).then(({ closedClaims }) => ({
          deleted: closedClaims,
          purge_seconds: secondsSince(began),
        }));
        if (alone !== null) reads = [alone, await measureReads(subject, data)];
        const purged = await purging;
        const dead_rows = await deadRows(client);
        const vacuumBegan = performance.now();
        await client.query('VACUUM ANALYZE claims');
        const vacuum_seconds = secondsSince(vacuumBegan);
        months.push({ month, ...(await readSize(client)), ...purged, dead_rows, vacuum_seconds });
        say(JSON.stringify(months.at(-1)));
      }
    });
  } finally {
    await stores.close();
  }
  const [alone, besidePurge] = reads;
  const besideAlone = (of: (one: Measured) => number): number =>
    alone === undefined || besidePurge === undefined ? 0 : Number((of(besidePurge) / of(alone)).toFixed(2));
  return {
    firms: data.firms.length,
    claims_per_month: perMonth * data.firms.length,
    reads_beside_purge: { p50: besideAlone(({ p50 }) => p50), p99: besideAlone(({ p99 }) => p99) },
    months,
  };
}

const secondsSince = (began: number): number => Number(((performance.now() - began) / 1000).toFixed(1));

/** In batches, as claims are closed one by one. */
async function close(client: pg.Client, createdBefore: number, at: number): Promise<void> {
  const [before, closedAt] = [createdBefore, at].map((time) => new Date(time).toISOString());
  for (let closed = 1; closed > 0; ) {
    const { rowCount } = await client.query(
      `UPDATE claims SET closed_at = $2 WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM claims WHERE closed_at IS NULL AND created_at < $1 LIMIT 5000))`,
      [before, closedAt],
    );
    closed = rowCount ?? 0;
  }
}

async function deadRows(client: pg.Client): Promise<number> {
  await client.query('SELECT pg_stat_clear_snapshot(), pg_stat_force_next_flush()');
  const { rows } = await client.query<{ dead: number }>(
    `SELECT n_dead_tup::float8 AS dead FROM pg_stat_user_tables WHERE relname = 'claims'`,
  );
  return rows[0]?.dead ?? 0;
}

const measureReads = (subject: Server, { firms }: BenchData): Promise<Measured> =>
  load(subject.url, requestsOf('get', firms), 200, 5);
