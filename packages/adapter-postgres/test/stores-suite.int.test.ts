import { randomBytes } from 'node:crypto';
import { expect } from '@jest/globals';
import { type GroupFailure, type Job, NO_METRICS } from '@svc/application';
import { createFixedClock, PERSONAL_DATA_BEHAVIORS, type StoresUnderTest, storesSuite } from '@svc/testkit';
import pg from 'pg';
import { createDatabase } from '../../../tools/services/postgres.ts';
import { connect, type WrappingKeySource } from '../src/index.ts';

const PENDING = `SELECT payload AS job, run_at FROM jobs ORDER BY id`;

const storesWith = (encryption: WrappingKeySource | null) => async (): Promise<StoresUnderTest> => {
  const database = await createDatabase();
  const clock = createFixedClock();
  const failed: GroupFailure[] = [];
  const metrics = { ...NO_METRICS, groupFailed: (reason: GroupFailure) => failed.push(reason) };
  const stores = await connect({ url: database.url, clock, encryption, metrics });
  // No port reads the queue; only this test does.
  const queue = new pg.Pool({ connectionString: database.url, max: 1 });
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
    async dispose() {
      // A defect of a group would be hidden by the transactions of its requests.
      expect(failed).toEqual([]);
      await queue.end();
      await stores.close();
      await database.drop();
    },
  };
};

const key = randomBytes(32);

storesSuite('PostgreSQL', storesWith(null));
const keys = { variable: 'ENCRYPTION_KEY', read: () => [key] };
storesSuite('PostgreSQL with encryption', storesWith(keys), PERSONAL_DATA_BEHAVIORS);
