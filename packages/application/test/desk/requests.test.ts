import { expect, test } from '@jest/globals';
import { type ClaimId, ENVIRONMENTS, type FirmId, type KeyId } from '@svc/domain';
import { aLoggedRequest, errorCodeOf } from '@svc/testkit';
import fc from 'fast-check';
import { makeListRequests, makeReadRequest, type RequestFilter } from '../../src/desk/requests.ts';
import {
  type LoggedRequest,
  type LoggedRequests,
  latestRequestFirst,
  type RequestLogStore,
} from '../../src/index.ts';

const FIRM = 'firm' as FirmId;
const KEYS = ['one', 'two'] as KeyId[];
const CLAIM = ['GET /v1/claims/{id}', 'POST /v1/claims/{id}/assignment'];
const ROUTES = ['GET /v1/claims', ...CLAIM, 'POST /v1/claims', 'GET /v1/me'];
const CODES = [null, 'not_found', 'rate_limited'];
const STATUSES = [200, 404, null, 400, 503, 399, 200];
const PER_ELEMENT = 3;

/** A log of elements, latest first, as the store has it. */
function logOf(count: number, traits: number) {
  const all = Array.from({ length: count }, (_, n): LoggedRequest => {
    const of = <T>(values: readonly T[], by: number): T => values[(n * by + traits) % values.length] as T;
    return {
      requestId: String(count - n).padStart(12, '0'),
      // Several in a millisecond.
      at: Math.ceil((count - n) / 4),
      firmId: FIRM,
      keyId: of(KEYS, 1),
      environment: of(ENVIRONMENTS, 3),
      route: of(ROUTES, 3),
      status: of(STATUSES, 1),
      code: of(CODES, 1),
      places: [],
      durationMs: 1,
    };
  });
  const elements: LoggedRequests[] = [];
  for (let from = 0; from < count; from += PER_ELEMENT) {
    const [latest, ...others] = all.slice(from, from + PER_ELEMENT);
    if (latest !== undefined) elements.push([latest, ...others]);
  }
  let read = 0;
  const requestLog: Pick<RequestLogStore, 'pageOf' | 'requestsOf'> = {
    async requestsOf(firmId, { requestId, limit }) {
      return all.filter((one) => one.firmId === firmId && one.requestId === requestId).slice(0, limit);
    },
    async pageOf(firmId, after, limit) {
      expect(firmId).toBe(FIRM);
      const later = elements.filter(([first]) => after === null || latestRequestFirst(after, first) < 0);
      const some = later.slice(0, limit);
      read += some.length;
      return some;
    },
  };
  const deps = { requestLog };
  return { all, list: makeListRequests(deps), readRequest: makeReadRequest(deps), read: () => read };
}

/** What the filter means. */
const isWanted = (
  one: LoggedRequest,
  { keyId, environment, code, errorsOnly, path, since, requestId }: RequestFilter,
): boolean =>
  [undefined, one.keyId].includes(keyId) &&
  [undefined, one.environment].includes(environment) &&
  (code === undefined || code === one.code) &&
  (errorsOnly !== true || (one.status ?? 0) >= 400) &&
  (path === undefined || one.route.split(' ')[1]?.startsWith(path) === true) &&
  (since === undefined || since <= one.at) &&
  [undefined, one.requestId].includes(requestId);

const optional = <T>(...values: T[]) => fc.option(fc.constantFrom(...values), { nil: undefined, freq: 2 });

test('the pages of the request log have each request that matches once, latest first', async () => {
  const filters = fc.record({
    keyId: optional(...KEYS),
    environment: optional(...ENVIRONMENTS),
    code: optional('not_found', 'rate_limited'),
    errorsOnly: fc.boolean(),
    path: optional('/v1', '/v1/claims/', '/v1/me', '/v2'),
    since: optional(0, 5, 6, 7, 200),
    requestId: optional('000000000005'),
  });
  const sizes = fc.record({
    count: fc.constantFrom(0, 1, 9, 10, 300, 301, 640),
    limit: fc.integer({ min: 1, max: 40 }),
    maxBytes: fc.constantFrom(undefined, 1, 600),
  });
  await fc.assert(
    fc.asyncProperty(filters, sizes, fc.nat(5), async (filter, { count, limit, maxBytes }, traits) => {
      const { all, list } = logOf(count, traits);
      const rows: LoggedRequest[] = [];
      for (let after: Awaited<ReturnType<typeof list>>['next'] = null; ; ) {
        const page = await list(FIRM, filter, { after, limit, maxBytes });
        expect(page.rows.length).toBeLessThanOrEqual(maxBytes === 1 ? 1 : limit);
        if (maxBytes === 600) expect(JSON.stringify(page.rows).length).toBeLessThanOrEqual(700);
        rows.push(...page.rows);
        expect(rows.length).toBeLessThanOrEqual(count);
        after = page.next;
        if (after === null) break;
      }
      expect(rows).toEqual(all.filter((one) => isWanted(one, filter)));
    }),
    { numRuns: 300 },
  );
});

test('a page reads at most a thousand elements, and not further back than asked for', async () => {
  const long = logOf(3300, 0);
  const page = await long.list(FIRM, { code: 'none' }, { after: null, limit: 20 });
  expect(page).toEqual({ rows: [], next: { at: 76, id: '000000000303_3' } });
  expect(long.read()).toBe(1000);
  const brief = logOf(3300, 0);
  const { next } = await brief.list(FIRM, { code: 'none' }, { after: null, limit: 20 }, async () => false);
  expect([next, brief.read()]).toEqual([{ at: 807, id: '000000003228_3' }, 25]);
  const recent = logOf(3300, 0);
  expect((await recent.list(FIRM, { since: 825 }, { after: null, limit: 20 })).next).toBeNull();
  expect(recent.read()).toBe(25);
  const since = (await recent.list(FIRM, {}, { after: null, limit: 1 })).rows[0]?.at;
  expect((await recent.list(FIRM, { since }, { after: null, limit: 20 })).rows).not.toEqual([]);
  const full = logOf(30, 0);
  expect((await full.list(FIRM, {}, { after: null, limit: 6 })).rows).toHaveLength(6);
});

test('one request is read by its id, by its own firm alone', async () => {
  const { all, readRequest } = logOf(9, 0);
  expect(await readRequest(FIRM, '000000000005')).toBe(all[4]);
  expect(await errorCodeOf(readRequest(FIRM, '000000000010'))).toBe('not_found');
  expect(await errorCodeOf(readRequest('other' as FirmId, '000000000005'))).toBe('not_found');
});

test.each([
  [' POST /v1/claims ', ['POST /v1/claims', 'POST /v1/claims/{id}/assignment']],
  ['get  /v1/claims', ['GET /v1/claims', 'GET /v1/claims/{id}']],
  ['/v1/claims/0f', CLAIM],
  ['/v1/claims/0f3c/', ['POST /v1/claims/{id}/assignment']],
  ['https://claims.example.com/v1/claims/0f3c?x=1', CLAIM],
  ['http://localhost:8080/v1/claims/', CLAIM],
  ['/v1/claims/{id}', CLAIM],
  ['/v1/cl', ['GET /v1/claims', 'GET /v1/claims/{id}', 'POST /v1/claims', 'POST /v1/claims/{id}/assignment']],
  ['/v1/claims/0f3c/assignment', ['POST /v1/claims/{id}/assignment']],
  ['/v1/claims//assignment', []],
  ['/v/claims/0f', []],
  ['/v1/claims/{d}', CLAIM],
  ['/v2', []],
  ['DELETE /v1/claims', []],
])('the path %s, as it is printed, requested or copied, finds %j', async (path, routes) => {
  const { list } = logOf(40, 0);
  const { rows } = await list(FIRM, { path }, { after: null, limit: 40, maxBytes: 1_000_000 });
  expect([...new Set(rows.map(({ route }) => route))].sort()).toEqual(routes);
});

test('the path of one claim finds the requests about it, where the log has the claim', async () => {
  const [one, other] = [
    '0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10',
    '0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d11',
  ] as ClaimId[];
  const requests = [one, other, undefined].map((claimId, n) =>
    aLoggedRequest({
      ...{ requestId: String(n), route: 'GET /v1/claims/{id}' },
      ...(claimId && { behavior: { operation: 'GET /v1/claims/{id}', claimId } }),
    }),
  );
  const list = makeListRequests({
    requestLog: {
      requestsOf: async () => [],
      pageOf: async () => [requests as unknown as LoggedRequests],
    },
  });
  const page = { after: null, limit: 9, maxBytes: 1_000_000 };
  for (const [path, found] of [
    [one?.toUpperCase(), ['0', '2']],
    ['{id}', ['0', '1', '2']],
  ] as const) {
    const { rows } = await list(FIRM, { path: `/v1/claims/${path}` }, page);
    expect(rows.map(({ requestId }) => requestId)).toEqual(found);
  }
});
