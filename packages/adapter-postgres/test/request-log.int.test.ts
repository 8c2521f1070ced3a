import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { REQUEST_LOG_RETENTION_MS } from '@svc/application';
import { aLoggedRequest, requestLogSuite } from '@svc/testkit';
import { connect, type PostgresStores } from '../src/index.ts';
import { distributedDatabase, type FreshDatabase } from './fresh-database.ts';

requestLogSuite('PostgreSQL', async () => {
  const database = await distributedDatabase();
  const stores = await connect({ url: database.url });
  return {
    store: stores.requestLog,
    async close() {
      await stores.close();
      await database.drop();
    },
  };
});

describe('the request log in PostgreSQL', () => {
  let database: FreshDatabase;
  let stores: PostgresStores;
  beforeAll(async () => {
    database = await distributedDatabase();
    stores = await connect({ url: database.url });
  });
  afterAll(async () => {
    await stores.close();
    await database.drop();
  });

  test('is purged after two weeks', async () => {
    const now = Date.UTC(2026, 8, 20);
    const old = aLoggedRequest({ at: now - REQUEST_LOG_RETENTION_MS });
    const recent = aLoggedRequest({ at: now - REQUEST_LOG_RETENTION_MS + 1, firmId: old.firmId });
    await stores.requestLog.append([old, recent]);
    expect((await stores.purge(now)).requestLog).toBe(1);
    expect(await stores.requestLog.requestsOf(old.firmId, { limit: 10 })).toEqual([recent]);
  });

  test('has no columns for request bodies or personal data', async () => {
    const { rows } = await database.sql.query(
      `SELECT column_name FROM information_schema.columns WHERE table_name = 'request_log' ORDER BY ordinal_position`,
    );
    expect(rows.map(({ column_name }) => column_name)).toEqual([
      'firm_id',
      'request_id',
      'at',
      'key_id',
      'route',
      'status',
      'code',
      'places',
      'duration_ms',
    ]);
  });
});
