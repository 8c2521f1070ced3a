import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  inPages,
  type LoggedRequest,
  latestRequestFirst,
  REQUEST_LOG_RETENTION_MS,
  requestIdAt,
} from '@svc/application';
import { DAY, ENVIRONMENTS, type FirmId, HOUR, type KeyId, MINUTE } from '@svc/domain';
import { aLoggedRequest } from '@svc/testkit';
import fc from 'fast-check';
import type { PostgresStores } from '../src/index.ts';
import { newId } from './a-firm.ts';
import { distributedDatabase, type FreshDatabase, openStores } from './fresh-database.ts';

const keyId = fc.constantFrom('key_1' as KeyId, 'key_2' as KeyId);
const environment = fc.constantFrom(...ENVIRONMENTS);
const route = fc.constantFrom('POST /v1/claims', 'GET /v1/claims/{id}', 'none');
const status = fc.constantFrom(200, 422, null);
const code = fc.constantFrom('validation_failed', null);
const behavior = fc.constantFrom({}, { behavior: { operation: 'GET /v1/claims', cursor: 'c1' } });
const places = fc.constantFrom([], ['/loss/date'], ['?"', 'Idempotency-Key:\n']);
const durationMs = fc.constantFrom(0, 0.1, 12.5);
/** Few different times, so that batches overlap. */
const anyRequest = fc
  .record({
    requestId: fc.uuid({ version: 4 }),
    at: fc.integer({ min: 1, max: 50 }),
    keyId,
    environment,
    route,
    status,
    code,
    places,
    durationMs,
    behavior,
  })
  .map(({ behavior: withBehavior, ...request }) => ({ ...request, ...withBehavior }));
/** One batch of each process. */
const anyBatches = fc.array(fc.array(anyRequest, { maxLength: 60, size: 'max' }), {
  maxLength: 8,
  size: 'max',
});

describe('the request log in PostgreSQL', () => {
  let database: FreshDatabase;
  let stores: PostgresStores;
  beforeAll(async () => {
    database = await distributedDatabase();
    stores = await openStores({ url: database.url });
  });

  // First, since it counts the rows of all firms.
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

  test('a request is found by an id with its time, also in a row of requests almost an hour later', async () => {
    const store = stores.requestLog;
    const firmId = newId<FirmId>();
    const at = Date.UTC(2026, 7, 29, 15);
    const wanted = aLoggedRequest({ firmId, at, requestId: requestIdAt(at, newId()) });
    const others = [0, 10, HOUR - 1].map((ms) => aLoggedRequest({ firmId, at: at + ms }));
    await store.append([wanted, ...others]);
    // The id is from another clock, which was ahead.
    const early = aLoggedRequest({ firmId, at: at - MINUTE, requestId: requestIdAt(at, newId()) });
    await store.append([early]);
    const found = (requestId: string) => store.requestsOf(firmId, { requestId, limit: 1 });
    for (const one of [wanted, early])
      for (const requestId of [one.requestId, one.requestId.toUpperCase()])
        expect(await found(requestId)).toEqual([one]);
  });

  test('only the latest requests with a behavior since a time are returned for a check of the integration', async () => {
    const store = stores.requestLog;
    const firmId = newId<FirmId>();
    const behavior = {
      operation: 'GET /v1/claims',
      page: { since: 1, from: 1, to: null, next: null, isFiltered: false },
    };
    const all = [1, 2, 3, 4, 5].map((at) => aLoggedRequest({ firmId, at, ...(at % 2 && { behavior }) }));
    await store.append([...all, aLoggedRequest({ behavior, at: 4 })]);
    const found = async (since: number, limit: number) => await store.behaviorOf(firmId, since, limit);
    expect(await found(2, 10)).toEqual([all[4], all[2]]);
    expect(await found(1, 2)).toEqual([all[4], all[2]]);
    expect(await found(5, 10)).toEqual([all[4]]);
    expect(await found(0, 10)).toEqual([all[4], all[2], all[0]]);
  });

  test('limited requests are counted by key, environment and day since a time, the latest first', async () => {
    const store = stores.requestLog;
    const firmId = newId<FirmId>();
    const since = Date.UTC(2029, 0, 2);
    const [one, other] = ['key_1' as KeyId, 'key_2' as KeyId];
    const at = [-1, 0, 1, DAY - 1, DAY].map((ms) => since + ms);
    const limited = at.map((at) => aLoggedRequest({ firmId, keyId: one, at, status: 429 }));
    const others = [200, 500, null].map((status) => aLoggedRequest({ firmId, at: since + DAY + 2, status }));
    for (const row of [...limited, ...others]) await store.append([row]);
    await store.append([
      aLoggedRequest({ firmId, keyId: other, environment: 'live', at: since + DAY, status: 429 }),
      aLoggedRequest({ firmId, keyId: other, environment: 'live', at: since + DAY + 1, status: 500 }),
      aLoggedRequest({ status: 429, at: since + DAY }),
    ]);
    const day = since / DAY;
    const counted = async (maxElements: number) => {
      const { counts, since: countedSince } = await store.limitedOf(firmId, since, maxElements);
      const sorted = counts
        .map(({ keyId, environment, day: at, count }) => [keyId, environment, at - day, count])
        .sort();
      return [sorted, countedSince - since];
    };
    const today = [
      [one, 'test', 1, 1],
      [other, 'live', 1, 1],
    ];
    expect(await counted(100)).toEqual([[[one, 'test', 0, 3], ...today], 0]);
    expect(await counted(3)).toEqual([[[one, 'test', 0, 1], ...today], DAY - 1]);
  });

  test('the keys of all firms with the most requests since a time are listed, with what was limited and failed', async () => {
    const store = stores.requestLog;
    const since = Date.UTC(2030, 0);
    const [noisy, quiet] = [newId<FirmId>(), newId<FirmId>()];
    const [one, other] = ['key_1' as KeyId, 'key_2' as KeyId];
    const statuses = [200, 429, 429, 500, 429, null];
    const requests = [
      ...statuses.map((status, n) => aLoggedRequest({ firmId: noisy, keyId: one, at: since + n, status })),
      aLoggedRequest({ firmId: noisy, keyId: one, at: since - 1, status: 429 }),
      ...[1, 2].map((n) => aLoggedRequest({ firmId: noisy, keyId: other, at: since + n, status: 200 })),
      ...[other, one].map((keyId) => aLoggedRequest({ firmId: quiet, keyId, at: since })),
    ];
    await store.append(requests);
    const all = [
      { firmId: noisy, keyId: one, requests: 6, limited: 3, failed: 1 },
      { firmId: noisy, keyId: other, requests: 2, limited: 0, failed: 0 },
      ...[one, other].map((keyId) => ({ firmId: quiet, keyId, requests: 1, limited: 0, failed: 0 })),
    ];
    expect(await store.busiestKeys(since, 10)).toEqual(all);
    expect(await store.busiestKeys(since, 2)).toEqual(all.slice(0, 2));
  });

  test('a batch appended twice or concurrently is stored once', async () => {
    const store = stores.requestLog;
    const firmId = newId<FirmId>();
    const rows = Array.from({ length: 200 }, () => aLoggedRequest({ firmId }));
    await Promise.all([store.append(rows), store.append(rows), store.append(rows)]);
    expect(await store.requestsOf(firmId, { limit: 1000 })).toHaveLength(200);
  });

  test('of any overlapping batches the latest are found, each by its id, and each once in pages', async () => {
    const store = stores.requestLog;
    const check = async (batches: readonly Omit<LoggedRequest, 'firmId'>[][], limit: number) => {
      const [firmId, otherFirm] = [newId<FirmId>(), newId<FirmId>()];
      const logged = batches.map((batch) => batch.map((request) => ({ ...request, firmId })));
      const others = logged.map((batch) => batch.map((request) => ({ ...request, firmId: otherFirm })));
      await Promise.all(logged.map((batch, at) => store.append([...batch, ...(others[at] ?? [])])));
      const all = logged.flat().sort(latestRequestFirst);
      expect(await store.requestsOf(firmId, { limit })).toEqual(all.slice(0, limit));
      expect(await store.requestsOf(firmId, { limit: 1000 })).toEqual(all);
      const wanted = all.slice(-3);
      const found = wanted.map(({ requestId }) => store.requestsOf(firmId, { requestId, limit: 1 }));
      expect((await Promise.all(found)).flat()).toEqual(wanted);
      const paged: LoggedRequest[] = [];
      const pages = inPages(
        (after: LoggedRequest | null) => store.pageOf(firmId, after, limit),
        ([latest]) => latest,
      );
      for await (const requests of pages) paged.push(...requests);
      expect(paged.sort(latestRequestFirst)).toEqual(all);
    };
    await fc.assert(fc.asyncProperty(anyBatches, fc.integer({ min: 1, max: 30 }), check), { numRuns: 20 });
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
    expect(await stores.requestLog.requestsOf(firmId, { requestId: 'no uuid', limit: 1 })).toEqual([]);
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
