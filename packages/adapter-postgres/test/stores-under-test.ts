import { expect } from '@jest/globals';
import { type GroupFailure, type Job, NO_METRICS } from '@svc/application';
import { createFixedClock, InjectedFault, type StoresUnderTest } from '@svc/testkit';
import pg from 'pg';
import { createDatabase, withClient } from '../../../tools/services/postgres.ts';
import { openTables } from '../src/citus/database.ts';
import { writeStores } from '../src/connect.ts';
import type { OpenTransaction } from '../src/driver/executor.ts';
import { DataKeys } from '../src/encryption/data-keys.ts';
import { ENCRYPTED, Encryption, NO_ENCRYPTION } from '../src/encryption/encryption.ts';
import { PERSONAL } from '../src/encryption/personal-columns.ts';
import { WrappingKeys } from '../src/encryption/wrapping-keys.ts';
import { connect, type WrappingKeySource } from '../src/index.ts';

const PENDING = `SELECT payload AS job, run_at FROM jobs ORDER BY id`;

/** As the extension describes distributed tables, for `storesWith`. */
export const DISTRIBUTED = `CREATE TABLE pg_dist_partition AS
  SELECT 'claims'::regclass AS logicalrelid, 'h' AS partmethod`;

/** The personal columns of which some row is stored as it is. */
const PLAIN_COLUMNS = Object.values(PERSONAL)
  .flatMap(({ name, columns }) => Object.keys(columns).map((column) => [name, column] as const))
  .map(
    ([table, column]) =>
      `SELECT '${table}.${column}' AS stored_plain FROM ${table} WHERE trim('"' FROM ${column}::text) !~ '^${ENCRYPTED}'`,
  )
  .join(' UNION ');

/** What only the check of a COMMIT finds. */
const FAIL_AT_COMMIT = [
  'CREATE TEMPORARY TABLE twice (n integer UNIQUE DEFERRABLE INITIALLY DEFERRED) ON COMMIT DROP',
  'INSERT INTO twice VALUES (1), (1)',
].map((text, n) => ({ name: `fail_at_commit_${n}`, text }));

/** Throws after this number of statements, or in the commit after the last one, which fails in the server. */
function failAfter(statements: number, transaction: OpenTransaction, onFault: () => void): OpenTransaction {
  let left = statements;
  const isFault = (): boolean => {
    left -= 1;
    if (left === 0) onFault();
    return left <= 0;
  };
  const after = <T>(name: string, result: T): T => {
    if (isFault()) throw new InjectedFault(`after ${name}`);
    return result;
  };
  const committing = async <T>(commit: () => Promise<T>): Promise<T> => {
    if (!isFault()) return commit();
    for (const statement of FAIL_AT_COMMIT) transaction.send(statement, []);
    await expect(commit()).rejects.toThrow('23505');
    throw new InjectedFault('at the commit');
  };
  return {
    rows: async (statement, values) =>
      after(statement.name, await transaction.rows<never>(statement, values)),
    send: (statement, ...rest) => after(statement.name, transaction.send(statement, ...rest)),
    orm: async (name, work) => after(name, await transaction.orm(name, work)),
    rowsAndCommit: (statement, values) => committing(() => transaction.rowsAndCommit(statement, values)),
    commit: () => committing(() => transaction.commit()),
    rollback: () => transaction.rollback(),
    get commitSeconds() {
      return transaction.commitSeconds;
    },
    get failure() {
      return transaction.failure;
    },
  };
}

/**
 * Stores in PostgreSQL for one suite, in a new database.
 * @param sql is run in it first
 */
export const storesWith =
  (encryption: WrappingKeySource | null, sql = '') =>
  async (): Promise<StoresUnderTest> => {
    const database = await createDatabase();
    await withClient(database.url, (client) => client.query(sql));
    const clock = createFixedClock();
    const failed: GroupFailure[] = [];
    const metrics = { ...NO_METRICS, groupFailed: (reason: GroupFailure) => failed.push(reason) };
    // On a busy machine a request may wait longer for a connection than in production.
    const connectTimeoutMs = 10_000;
    const stores = await connect({ url: database.url, clock, encryption, metrics, connectTimeoutMs });
    // The same on other connections, for transactions that fail.
    const { database: beside, distributed } = await openTables({
      url: database.url,
      poolMax: 4,
      metrics,
      connectTimeoutMs,
    });
    const keysBeside = encryption && new DataKeys(beside.reserved, new WrappingKeys(encryption));
    // No port reads the queue; only this test does.
    const queue = new pg.Pool({ connectionString: database.url, max: 1 });
    // Dropping the database may end a connection that is still closing.
    queue.on('error', () => {});
    return {
      stores: {
        ...stores,
        distributed,
        jobs: {
          async pending() {
            const { rows } = await queue.query<{ job: Job; run_at: Date }>(PENDING);
            return rows.map(({ job, run_at }) => ({ job, runAt: run_at.getTime() }));
          },
        },
      },
      clock,
      failingAfter(statements) {
        let hasFailed = false;
        const begin = async () =>
          failAfter(statements, await beside.begin(), () => {
            hasFailed = true;
          });
        return {
          stores: writeStores(
            { begin, metrics },
            distributed,
            clock,
            keysBeside ? new Encryption(keysBeside) : NO_ENCRYPTION,
          ),
          hasFailed: () => hasFailed,
        };
      },
      async dispose() {
        // A defect of a group would be hidden by the transactions of its requests.
        expect(failed).toEqual([]);
        if (encryption !== null) expect((await queue.query(PLAIN_COLUMNS)).rows).toEqual([]);
        await queue.end();
        keysBeside?.close();
        await beside.close();
        await stores.close();
      },
    };
  };
