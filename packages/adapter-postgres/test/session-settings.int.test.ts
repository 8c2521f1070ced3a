import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Job } from '@svc/application';
import type { ClaimId, FirmId, Svcid } from '@svc/domain';
import { eventually } from '@svc/testkit/eventually';
import { atEnd } from '../../../tools/services/at-end.ts';
import { type PgBouncer, startPgBouncer } from '../../../tools/services/pgbouncer.ts';
import { type Database, openDatabase } from '../src/driver/database.ts';
import { sql } from '../src/driver/executor.ts';
import { startPurge } from '../src/jobs/purge-closed-claims.ts';
import { pgFeeds } from '../src/stores/pg-feeds.ts';
import { newId } from './a-firm.ts';
import { type FreshDatabase, freshDatabase, openStores, undistributedDatabase } from './fresh-database.ts';

const PLANNING = ['jit', 'enable_seqscan', 'enable_sort', 'synchronous_commit'] as const;
const TIMEOUTS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'] as const;
const NAMES = [...PLANNING, ...TIMEOUTS, 'client_min_messages', 'application_name'] as const;
const CURRENT = `jsonb_build_object(${NAMES.map((name) => `'${name}', current_setting('${name}')`).join(', ')})`;
type Settings = Record<(typeof NAMES)[number], string>;

/** These connections keep the server's defaults of the other settings. */
const EXPECTED = {
  ...{ jit: 'off', enable_seqscan: 'off', enable_sort: 'on', client_min_messages: 'warning' },
  ...{ synchronous_commit: 'on', application_name: 'claim-assignment' },
  ...{ statement_timeout: '21s', lock_timeout: '20s', idle_in_transaction_session_timeout: '22s' },
};

const openOptions = (url: string) => ({
  ...{ url, poolMax: 6, connectTimeoutMs: 10_000 },
  ...{ statementTimeoutMs: 21_000, lockTimeoutMs: 20_000, idleInTransactionTimeoutMs: 22_000 },
});

describe.each(['directly', 'behind a pooler'] as const)('%s', (way) => {
  let database: FreshDatabase;
  let pooler: PgBouncer | undefined;
  let opened: Database;
  let url: string;
  beforeAll(async () => {
    database = await undistributedDatabase();
    await database.sql.query(`DO $$ BEGIN
      EXECUTE format('ALTER DATABASE %I SET client_min_messages = error', current_database());
      EXECUTE format('ALTER DATABASE %I SET synchronous_commit = on', current_database()); END $$`);
    if (way === 'behind a pooler') {
      pooler = await startPgBouncer({ databaseUrl: database.url, poolSize: 3 });
    }
    url = pooler?.url ?? database.url;
    opened = await openDatabase(openOptions(url));
    atEnd(() => opened.close());
    expect(opened.behindPooler).toBe(pooler !== undefined);
  });

  const READ = sql('settings', `SELECT ${CURRENT} AS settings, pg_sleep(0.05)`);
  type Row = { settings: Settings };

  const inTransaction = async (): Promise<Row[]> => {
    const transaction = await opened.begin();
    const rows = await transaction.rows<Row>(READ);
    await transaction.commit();
    return rows;
  };
  test.each<[string, () => Promise<Row[]>]>([
    ['read', () => opened.reads.rows<Row>(READ)],
    ['statement of maintenance', () => opened.maintenance.rows<Row>(READ)],
    ['transaction', inTransaction],
  ])('every %s has its timeouts, no JIT and no sequential scans, and gets warnings', async (_, read) => {
    const found = await Promise.all(Array.from({ length: 8 }, read));
    for (const [row] of found) expect(row?.settings).toEqual(EXPECTED);
  });

  test('shared connections reject writes, so that a failed read can neither undo nor repeat one', async () => {
    const WRITE = sql('write', "INSERT INTO service_secrets VALUES ('written', 'x')");
    const settled = await Promise.allSettled([opened.reads.rows(WRITE)]);
    // Behind a pooler, no connection is shared.
    expect(settled).toMatchObject([{ status: way === 'directly' ? 'rejected' : 'fulfilled' }]);
  });

  test('a prepared statement has one plan for all values, one of maintenance, a purge or a restamp one for its own', async () => {
    const MODE = sql('plan_cache', "SELECT current_setting('plan_cache_mode') AS mode");
    const transaction = await opened.begin();
    const modes = {
      transaction: await transaction.rows(MODE),
      reads: await opened.reads.rows(MODE),
      maintenance: await opened.maintenance.rows(MODE),
    };
    startPurge(transaction);
    const purge = await transaction.rows(MODE);
    await transaction.commit();
    const restamping = await opened.begin();
    await pgFeeds(restamping).restamp(newId<FirmId>(), { since: 0, startedAt: 0, finishedAt: null }, 10);
    const restamp = await restamping.rows(MODE);
    await restamping.commit();
    // Behind a pooler, no statement is prepared.
    const prepared = [{ mode: way === 'directly' ? 'force_generic_plan' : 'auto' }];
    const custom = [{ mode: 'force_custom_plan' }];
    expect(modes).toEqual({
      transaction: prepared,
      reads: prepared,
      maintenance: way === 'directly' ? custom : prepared,
    });
    expect([purge, restamp]).toEqual([custom, custom]);
  });

  test('the queue takes and completes jobs without JIT, sequential scans and sorts', async () => {
    await database.sql.query(`
      CREATE TABLE seen (statement text, settings jsonb);
      CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN INSERT INTO seen VALUES (TG_OP, ${CURRENT}); RETURN NULL; END $$;
      CREATE TRIGGER see AFTER UPDATE OR DELETE ON jobs
        FOR EACH ROW EXECUTE FUNCTION see();
    `);
    const stores = await openStores({ url, poolMax: 4, connectTimeoutMs: 10_000 });
    const job = (): Job => ({
      kind: 'notify_offer',
      firmId: newId<FirmId>(),
      claimId: newId<ClaimId>(),
      svcId: newId<Svcid>(),
    });
    await stores.unitOfWork.run(async (tx) => {
      for (let n = 0; n < 20; n += 1) await tx.outbox.add(job());
    });
    const running = stores.startJobs(async () => {});
    const read = async () =>
      (await database.sql.query<{ statement: string; settings: Settings }>('SELECT * FROM seen')).rows;
    const rows = await eventually(
      read,
      (rows) => rows.filter(({ statement }) => statement === 'DELETE').length === 20,
    );
    await running.stop();
    expect(rows.filter(({ statement }) => statement === 'UPDATE').length).toBeGreaterThanOrEqual(20);
    for (const { settings } of rows)
      expect(settings).toEqual({
        ...{ ...EXPECTED, enable_sort: 'off', synchronous_commit: 'off' },
        ...Object.fromEntries(TIMEOUTS.map((name) => [name, '0'])),
        application_name: 'claim-assignment-jobs',
      });
  });
});

test('startup options of the database URL are kept, and what is not set has its default', async () => {
  const database = await freshDatabase();
  const url = `${database.url}?options=${encodeURIComponent('-c work_mem=5MB -c jit=on')}`;
  const opened = await openDatabase({ url, connectTimeoutMs: 10_000 });
  atEnd(() => opened.close());
  const SHOW = sql('show', `SELECT current_setting('work_mem') AS memory, ${CURRENT} AS settings`);
  const waits = { statement_timeout: '10s', lock_timeout: '8s', idle_in_transaction_session_timeout: '10s' };
  const found = await opened.reads.rows(SHOW);
  expect(found).toMatchObject([{ memory: '5MB', settings: { jit: 'off', ...waits } }]);
  expect(opened.pool().max).toBe(10);
});
