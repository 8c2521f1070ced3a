import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { REQUEST_LOG_RETENTION_MS, requestIdAt } from '@svc/application';
import { HOUR } from '@svc/domain';
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

  test('is purged two weeks after the latest request of a row', async () => {
    const now = Date.UTC(2026, 8, 20);
    const expired = aLoggedRequest({ at: now - REQUEST_LOG_RETENTION_MS });
    const { firmId } = expired;
    const earlier = aLoggedRequest({ firmId, at: expired.at - 1 });
    const kept = [1, -1].map((ms) => aLoggedRequest({ firmId, at: expired.at + ms }));
    await stores.requestLog.append([earlier, expired]);
    await stores.requestLog.append(kept);
    expect((await stores.purge(now)).requestLog).toBe(1);
    expect(await stores.requestLog.requestsOf(firmId, { limit: 10 })).toEqual(kept);
  });

  test('stores the requests of a firm and batch in few rows', async () => {
    const { firmId } = aLoggedRequest();
    await stores.requestLog.append(Array.from({ length: 60 }, () => aLoggedRequest({ firmId })));
    const { rows } = await database.sql.query(
      'SELECT json_array_length(requests) AS requests FROM request_log WHERE firm_id = $1',
      [firmId],
    );
    expect(rows.map(({ requests }) => requests).sort()).toEqual([20, 20, 20]);
  });

  test('searches for an id that is not in it only around the time in the id', async () => {
    const { firmId, requestId } = aLoggedRequest();
    const at = Date.UTC(2026, 8, 20);
    const wanted = aLoggedRequest({ firmId, at, requestId: requestIdAt(at - 2 * HOUR, requestId) });
    await stores.requestLog.append([wanted, aLoggedRequest({ firmId, at: at + 1 })]);
    expect(await stores.requestLog.requestsOf(firmId, { requestId: wanted.requestId, limit: 1 })).toEqual([]);
    expect(await stores.requestLog.requestsOf(firmId, { limit: 10 })).toHaveLength(2);
  });

  test('has no fields for request bodies or personal data', async () => {
    const request = aLoggedRequest();
    await stores.requestLog.append([request]);
    const { rows } = await database.sql.query(
      `SELECT array_agg(DISTINCT field ORDER BY field) AS fields
         FROM request_log, json_array_elements(requests) request, json_object_keys(request) field WHERE firm_id = $1`,
      [request.firmId],
    );
    expect(rows[0].fields).toEqual([
      'at',
      'code',
      'durationMs',
      'keyId',
      'places',
      'requestId',
      'route',
      'status',
    ]);
  });
});
