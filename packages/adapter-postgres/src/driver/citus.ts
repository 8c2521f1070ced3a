import type { Job } from '@svc/application';
import type { Svcid } from '@svc/domain';
import { type Session, type Statement, sql, type TxSession, type Value } from './session.ts';

/** Whether `svc database distribute` has laid out the tables. `pg_dist_partition` belongs to the extension. */
export async function isDistributed(
  query: (text: string) => Promise<readonly { readonly yes: boolean }[]>,
): Promise<boolean> {
  const [extension] = await query(`SELECT to_regclass('pg_dist_partition') IS NOT NULL AS yes`);
  if (extension?.yes !== true) return false;
  const [claims] = await query(
    `SELECT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass('claims') AND partmethod = 'h') AS yes`,
  );
  return claims?.yes === true;
}

/** Settings of the database, besides those of plans. */
export const CITUS_SETTINGS = {
  // After statements on several shards at once, Citus would reject a change of `firms` or `adjusters`.
  'citus.multi_shard_modify_mode': 'sequential',
} as const;

/** Whether `svc database distribute` has been run since an upgrade that added settings. */
export async function hasCitusSettings(
  query: (text: string) => Promise<readonly { readonly yes: boolean }[]>,
): Promise<boolean> {
  const expected = Object.entries(CITUS_SETTINGS).map(
    ([name, value]) => `current_setting('${name}', true) = '${value}'`,
  );
  return (await query(`SELECT ${expected.join(' AND ')} AS yes`))[0]?.yes === true;
}

const LOCK_KEY = sql('citus_lock_key', 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))');

/** On Citus alone: instead of a row lock on a table that is on every node, which would lock all of its rows. */
export const lockByKey = (session: TxSession, key: string): void => {
  if (session.onCitus) session.send(LOCK_KEY, [key]);
};

/** The key is arbitrary. */
const LOCK_REFERENCE_TABLES = sql(
  'citus_lock_reference_tables',
  'SELECT pg_advisory_xact_lock(7262811543019266)',
);

/**
 * Before each change of a table that is on every node. Citus locks this table, and then the tables that it references:
 * two transactions that change several of them would wait for each other.
 */
export const lockReferenceTables = (session: TxSession): void => {
  if (session.onCitus) session.send(LOCK_REFERENCE_TABLES, []);
};

/** A statement over `memberships m` of the adjusters `$1`. */
export interface ByAdjuster {
  readonly everywhere: Statement;
  /** Names the firms, so that Citus runs it on their shards alone. */
  readonly inFirms: Statement;
}

/** @param text given the condition that names the firms; on plain PostgreSQL, nothing. */
export function byAdjuster(name: string, text: (inFirms: string) => string): ByAdjuster {
  const everywhere = text('');
  const values = [...everywhere.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number));
  const firms = `$${Math.max(...values) + 1}::uuid[]`;
  return {
    everywhere: sql(name, everywhere),
    inFirms: sql(`${name}_in_firms`, text(`AND m.firm_id = ANY (${firms})`)),
  };
}

const FIRMS_OF = sql(
  'adjuster_firms_of',
  'SELECT DISTINCT firm_id FROM adjuster_firms WHERE svc_id = ANY ($1::text[])',
);

export async function rowsByAdjuster<R>(
  session: Session,
  statement: ByAdjuster,
  values: readonly [adjusters: Svcid | readonly Svcid[], ...others: Value[]],
): Promise<R[]> {
  if (!session.onCitus) return session.rows<R>(statement.everywhere, values);
  const [adjusters] = values;
  const ids = typeof adjusters === 'string' ? [adjusters] : adjusters;
  const firms = await session.rows<{ firm_id: string }>(FIRMS_OF, [ids]);
  if (firms.length === 0) return [];
  return session.rows<R>(statement.inFirms, [...values, firms.map(({ firm_id }) => firm_id)]);
}

/** A transaction that adds the first job for a change also adds to the firm's audit trail: it locks this row until its commit. */
const LOCK_FEED = sql('citus_lock_feed', 'SELECT 1 FROM firm_feeds WHERE firm_id = $1 FOR SHARE');

/**
 * Citus commits on the coordinator, where the jobs are, before it commits on a worker: a job could not find the claim
 * that it is for, and would do nothing. This waits until the transaction that added the job is committed on the worker.
 */
export const afterCommitOnWorkers = (
  session: Session,
  handler: (job: Job) => Promise<void>,
): ((job: Job) => Promise<void>) =>
  session.onCitus
    ? async (job) => {
        if ('firmId' in job) await session.rows(LOCK_FEED, [job.firmId]);
        await handler(job);
      }
    : handler;
