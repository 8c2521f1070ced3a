import { randomBytes } from 'node:crypto';
import { expect } from '@jest/globals';
import { type GroupFailure, type Job, NO_METRICS } from '@svc/application';
import {
  createFixedClock,
  InjectedFault,
  OTHER_BEHAVIORS,
  PERSONAL_DATA_BEHAVIORS,
  type StoresUnderTest,
  storesSuite,
} from '@svc/testkit';
import pg from 'pg';
import { createDatabase } from '../../../tools/services/postgres.ts';
import { writeStores } from '../src/connect.ts';
import { openDatabase } from '../src/driver/database.ts';
import type { Orm } from '../src/driver/executor.ts';
import type { Transaction } from '../src/driver/transaction.ts';
import { DataKeys } from '../src/encryption/data-keys.ts';
import { Encryption, NO_ENCRYPTION } from '../src/encryption/encryption.ts';
import { WrappingKeys } from '../src/encryption/wrapping-keys.ts';
import { connect, type WrappingKeySource } from '../src/index.ts';

const PENDING = `SELECT payload AS job, run_at FROM jobs ORDER BY id`;

/** Throws after this number of statements, and before the commit of the last one. */
function failAfter(statements: number, transaction: Transaction, onFault: () => void): Transaction {
  let left = statements;
  const count = (name: string): void => {
    left -= 1;
    if (left > 0) return;
    onFault();
    throw new InjectedFault(`after ${name}`);
  };
  const rows = transaction.rows.bind(transaction);
  const send = transaction.send.bind(transaction);
  const { orm } = transaction;
  const countedOrm: Orm = async (name, work) => {
    const result = await orm(name, work);
    count(name);
    return result;
  };
  transaction.rows = async (statement, values) => {
    const result = await rows<never>(statement, values);
    count(statement.name);
    return result;
  };
  transaction.send = (statement, ...rest) => {
    send(statement, ...rest);
    count(statement.name);
  };
  transaction.rowsAndCommit = async (statement, values) => {
    const result = await transaction.rows<never>(statement, values);
    await transaction.commit();
    return result;
  };
  return Object.assign(transaction, { orm: countedOrm });
}

const storesWith = (encryption: WrappingKeySource | null) => async (): Promise<StoresUnderTest> => {
  const database = await createDatabase();
  const clock = createFixedClock();
  const failed: GroupFailure[] = [];
  const metrics = { ...NO_METRICS, groupFailed: (reason: GroupFailure) => failed.push(reason) };
  // On a busy machine a request may wait longer for a connection than in production.
  const connectTimeoutMs = 10_000;
  const stores = await connect({ url: database.url, clock, encryption, metrics, connectTimeoutMs });
  // The same on other connections, for transactions that fail.
  const beside = await openDatabase({ url: database.url, poolMax: 4, metrics, connectTimeoutMs });
  const keysBeside = encryption && new DataKeys(beside.reserved, new WrappingKeys(encryption));
  // No port reads the queue; only this test does.
  const queue = new pg.Pool({ connectionString: database.url, max: 1 });
  // Dropping the database may end a connection that is still closing.
  queue.on('error', () => {});
  return {
    stores: {
      ...stores,
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
          beside.reads.layout,
          clock,
          keysBeside ? new Encryption(keysBeside) : NO_ENCRYPTION,
        ),
        hasFailed: () => hasFailed,
      };
    },
    async dispose() {
      // A defect of a group would be hidden by the transactions of its requests.
      expect(failed).toEqual([]);
      await queue.end();
      keysBeside?.close();
      await beside.close();
      await stores.close();
      await database.drop();
    },
  };
};

const key = randomBytes(32);

// Whether values are encrypted is decided in `Encryption` alone, which its own tests and all of HTTP use without a key.
storesSuite('PostgreSQL', storesWith(null), OTHER_BEHAVIORS);
const keys = { variable: 'ENCRYPTION_KEY', read: () => [key] };
storesSuite('PostgreSQL with encryption', storesWith(keys), PERSONAL_DATA_BEHAVIORS);
