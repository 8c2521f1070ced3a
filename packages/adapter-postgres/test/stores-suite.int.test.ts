import { randomBytes } from 'node:crypto';
import type { Job } from '@svc/application';
import { createFixedClock, PERSONAL_DATA_BEHAVIORS, type StoresUnderTest, storesSuite } from '@svc/testkit';
import pg from 'pg';
import { createDatabase } from '../../../tools/services/postgres.ts';
import { connect, type WrappingKeySource } from '../src/index.ts';

const PENDING = `SELECT j.payload AS job, j.run_at FROM graphile_worker._private_jobs j ORDER BY j.id`;

const storesWith = (encryption: WrappingKeySource | null) => async (): Promise<StoresUnderTest> => {
  const database = await createDatabase();
  const clock = createFixedClock();
  const stores = await connect({ url: database.url, clock, encryption });
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
