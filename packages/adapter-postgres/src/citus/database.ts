import type { Job } from '@svc/application';
import { type Database, type DatabaseOptions, openDatabase } from '../driver/database.ts';
import {
  type CancelableExecutor,
  type Executor,
  type OpenTransaction,
  type Orm,
  type Statement,
  sql,
  type TransactionExecutor,
  type Value,
} from '../driver/executor.ts';
import { ONE_PLAN, type SessionSettings } from '../driver/session-settings.ts';
import { transact } from '../driver/transaction.ts';
import { type DatabaseLog, SILENT } from '../log.ts';
import { CHANGES_BY_ORM, checkRules, type Form, formOf, LOCK_KEY, LOCK_SHARED_TABLES } from './rules.ts';
import { CITUS_SETTINGS } from './settings.ts';

type Query = (text: string) => Promise<readonly { readonly yes: boolean }[]>;

const HAS_CITUS = `SELECT to_regclass('pg_dist_partition') IS NOT NULL AS yes`;
const IS_DISTRIBUTED = `SELECT EXISTS (SELECT FROM pg_dist_partition
  WHERE logicalrelid = to_regclass('claims') AND partmethod = 'h') AS yes`;
const HAS_SETTINGS = `SELECT ${Object.entries(CITUS_SETTINGS)
  .map(([name, value]) => `current_setting('${name}', true) = '${value}'`)
  .join(' AND ')} AS yes`;

/** Whether `svc database distribute` has laid out the tables over a cluster. */
async function isDistributed(query: Query, log: DatabaseLog): Promise<boolean> {
  const is = async (text: string): Promise<boolean> => (await query(text))[0]?.yes === true;
  if (!(await is(HAS_CITUS)) || !(await is(IS_DISTRIBUTED))) return false;
  if (!(await is(HAS_SETTINGS)))
    log.warn('the database lacks settings for Citus: run "svc database distribute" again');
  return true;
}

/** Opens a database whose tables are on one server or distributed over several. */
export async function openTables(
  options: DatabaseOptions,
): Promise<{ readonly database: Database; readonly distributed: boolean }> {
  let distributed = false;
  const settingsOf = async (query: Query): Promise<SessionSettings> => {
    distributed = await isDistributed(query, options.log ?? SILENT);
    if (distributed) checkRules();
    // A plan whose values are unknown may be rejected where tables are distributed.
    return distributed ? {} : ONE_PLAN;
  };
  const database = await openDatabase({ ...options, settingsOf });
  return { database: distributed ? databaseOnCitus(database) : database, distributed };
}

const FIRMS_OF = sql(
  'citus_firms_of',
  'SELECT DISTINCT firm_id FROM adjuster_firms WHERE svc_id = ANY ($1::text[])',
);
const FIND_FIRM = sql('citus_find_firm', 'SELECT 1 FROM adjuster_firms WHERE svc_id = $2 AND firm_id = $1');
const SAVE_FIRM = sql(
  'citus_save_firm',
  'INSERT INTO adjuster_firms (firm_id, svc_id) VALUES ($1, $2) ON CONFLICT DO NOTHING',
);
const LOCK_ACCOUNT = sql('citus_lock_account', LOCK_KEY);
const LOCK_SHARED = sql('citus_lock_shared_tables', LOCK_SHARED_TABLES);

/** What a statement does before it without waiting. */
function lockBefore(executor: TransactionExecutor, { before }: Form, values: readonly Value[]): void {
  if (before.includes('lock_account')) executor.send(LOCK_ACCOUNT, values.slice(0, 1));
  if (before.includes('lock_shared_tables')) executor.send(LOCK_SHARED, []);
}

/** Without firms there are no rows. */
async function rowsOfFirms<R>(
  executor: CancelableExecutor,
  form: Form,
  values: readonly Value[],
  signal?: AbortSignal,
): Promise<R[]> {
  const adjusters = [values[0]].flat() as string[];
  const firms = await executor.rows<{ firm_id: string }>(FIRMS_OF, [adjusters]);
  if (firms.length === 0) return [];
  return executor.rows<R>(form, [...values, firms.map(({ firm_id }) => firm_id)], signal);
}

/** Only for a new firm, since it locks the table and writes on every node. */
async function addFirm(transaction: TransactionExecutor, ids: readonly Value[]): Promise<void> {
  if ((await transaction.rows(FIND_FIRM, ids)).length > 0) return;
  transaction.send(LOCK_SHARED, []);
  transaction.send(SAVE_FIRM, ids);
}

/** Statements are sent in the order of the calls, as without Citus. */
export const transactionOnCitus = (transaction: OpenTransaction): OpenTransaction => ({
  rows<R>(statement: Statement, values: readonly Value[] = []): Promise<R[]> {
    const form = formOf(statement);
    lockBefore(transaction, form, values);
    if (form.before.includes('find_firms_of_adjusters')) return rowsOfFirms(transaction, form, values);
    if (form.before.includes('add_firm_of_adjuster'))
      return addFirm(transaction, values.slice(0, 2)).then(() => transaction.rows<R>(form, values));
    return transaction.rows<R>(form, values);
  },
  send(statement, values, check) {
    const form = formOf(statement);
    lockBefore(transaction, form, values);
    transaction.send(form, values, check);
  },
  rowsAndCommit: (statement, values) => transaction.rowsAndCommit(formOf(statement), values),
  orm: ormOnCitus(transaction),
  commit: () => transaction.commit(),
  rollback: () => transaction.rollback(),
  get commitSeconds() {
    return transaction.commitSeconds;
  },
  get failure() {
    return transaction.failure;
  },
});

const ormOnCitus =
  (transaction: OpenTransaction): Orm =>
  (name, work) => {
    if (CHANGES_BY_ORM.includes(name)) transaction.send(LOCK_SHARED, []);
    return transaction.orm(name, work);
  };

/** @param begin a transaction, for statements that lock. */
export const executorOnCitus = (
  executor: CancelableExecutor,
  begin?: () => Promise<OpenTransaction>,
): CancelableExecutor => ({
  rows<R>(statement: Statement, values: readonly Value[] = [], signal?: AbortSignal): Promise<R[]> {
    const form = formOf(statement);
    if (form.before.includes('find_firms_of_adjusters')) return rowsOfFirms(executor, form, values, signal);
    if (begin !== undefined && form.before.includes('lock_shared_tables'))
      return transact({ begin }, (transaction) => transaction.rows<R>(statement, values));
    return executor.rows<R>(form, values, signal);
  },
});

function databaseOnCitus(database: Database): Database {
  const begin = async (): Promise<OpenTransaction> => transactionOnCitus(await database.begin());
  return {
    ...database,
    reads: executorOnCitus(database.reads),
    maintenance: executorOnCitus(database.maintenance, begin),
    begin,
  };
}

/** A transaction that adds the first job for a change also adds to the firm's audit trail: it locks this row until its commit. */
const LOCK_FEED = sql('citus_lock_feed', 'SELECT 1 FROM firm_feeds WHERE firm_id = $1 FOR SHARE');

/**
 * Runs a job after all changes of the transaction that added it can be seen: the coordinator, where the jobs are, commits
 * before a worker, so a job could not find the claim that it is for, and would do nothing.
 */
export async function runAfterCommit(
  executor: Executor,
  job: Job,
  run: (job: Job) => Promise<void>,
): Promise<void> {
  if ('firmId' in job) await executor.rows(LOCK_FEED, [job.firmId]);
  await run(job);
}
