import { type Layout, sql } from '../driver/executor.ts';
import { ONE_SERVER } from '../driver/layout.ts';
import type { DatabaseLog } from '../log.ts';
import { LOCK_KEY, LOCK_SHARED_TABLES, rewriteForCitus } from './rewrite-statement.ts';
import { CITUS_SETTINGS } from './settings.ts';

type Query = (text: string) => Promise<readonly { readonly yes: boolean }[]>;

const HAS_CITUS = `SELECT to_regclass('pg_dist_partition') IS NOT NULL AS yes`;
const IS_DISTRIBUTED = `SELECT EXISTS (SELECT FROM pg_dist_partition
  WHERE logicalrelid = to_regclass('claims') AND partmethod = 'h') AS yes`;
const HAS_SETTINGS = `SELECT ${Object.entries(CITUS_SETTINGS)
  .map(([name, value]) => `current_setting('${name}', true) = '${value}'`)
  .join(' AND ')} AS yes`;

/** Where the tables of this database are: `svc database distribute` may have laid them out over a cluster. */
export async function layoutOf(query: Query, log: DatabaseLog): Promise<Layout> {
  const is = async (text: string): Promise<boolean> => (await query(text))[0]?.yes === true;
  if (!(await is(HAS_CITUS)) || !(await is(IS_DISTRIBUTED))) return ONE_SERVER;
  if (!(await is(HAS_SETTINGS)))
    log.warn('the database lacks settings for Citus: run "svc database distribute" again');
  return CITUS;
}

const FIRMS_OF = sql(
  'citus_firms_of',
  'SELECT DISTINCT firm_id FROM adjuster_firms WHERE svc_id = ANY ($1::text[])',
);
const FIND_FIRM = sql('citus_find_firm', 'SELECT 1 FROM adjuster_firms WHERE svc_id = $1 AND firm_id = $2');
const SAVE_FIRM = sql(
  'citus_save_firm',
  'INSERT INTO adjuster_firms (svc_id, firm_id) VALUES ($1, $2) ON CONFLICT DO NOTHING',
);

/** A transaction that adds the first job for a change also adds to the firm's audit trail: it locks this row until its commit. */
const LOCK_FEED = sql('citus_lock_feed', 'SELECT 1 FROM firm_feeds WHERE firm_id = $1 FOR SHARE');

export const CITUS: Layout = {
  joinsFirms: false,
  formOf: rewriteForCitus,

  firmsOf: async (executor, adjusters) =>
    (await executor.rows<{ firm_id: string }>(FIRMS_OF, [adjusters])).map(({ firm_id }) => firm_id),

  /** Written only for a new firm, since it locks the table and writes on every node. */
  async addFirmOf(executor, svcId, firmId) {
    if ((await executor.rows(FIND_FIRM, [svcId, firmId])).length > 0) return;
    CITUS.lockSharedTables(executor);
    executor.send(SAVE_FIRM, [svcId, firmId]);
  },

  lockByKey: (executor, key) => executor.send(sql('citus_lock_key', LOCK_KEY), [key]),

  /** Citus locks such a table and those that it references: two changes of several of them would wait for each other. */
  lockSharedTables: (executor) => executor.send(sql('citus_lock_shared_tables', LOCK_SHARED_TABLES), []),

  /**
   * The coordinator, where the jobs are, commits before a worker: a job could not find the claim that it is for, and would
   * do nothing.
   */
  async runAfterCommit(executor, job, run) {
    if ('firmId' in job) await executor.rows(LOCK_FEED, [job.firmId]);
    await run(job);
  },
};
