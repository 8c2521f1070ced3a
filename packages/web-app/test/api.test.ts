import { afterEach, expect, jest, test } from '@jest/globals';
import { createApi, readPages } from '../src/api.ts';
import { requestOf } from '../src/endpoints.ts';
import { loadOnce } from '../src/load-once.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

const respond = (body: string | null, status: number, headers: Record<string, string> = {}) =>
  jest.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response(body, { status, headers }));
const outcome = () =>
  createApi<(id: 'getProfile') => Promise<unknown>>('/app/', { getProfile: 'GET v1/me 200 svc_id firms' })
    .call('getProfile')
    .catch((error: unknown) => error);

test.each([
  [
    'an error of the service',
    422,
    '{"code":"validation_failed","status":422,"errors":[{"pointer":"/email","detail":"Must be an address."}]}',
    {
      ...{ name: 'ApiError', status: 422, code: 'validation_failed', fields: ['email'] },
      reason: 'Must be an address.',
    },
  ],
  ['too many requests', 429, '{}', { name: 'NetworkError', reason: 'service' }],
  ['a failure of the service', 500, '{}', { name: 'NetworkError', reason: 'service' }],
  ['an error page of a proxy', 403, '<html>', { name: 'NetworkError', reason: 'service' }],
  ['a 401 of a proxy', 401, '<html>', { name: 'ApiError', status: 401 }],
  ['an error of a gateway', 403, '{"code":"Forbidden"}', { name: 'NetworkError', reason: 'service' }],
  ['the sign-in page of a captive portal', 200, '<html>', { name: 'NetworkError', reason: 'connection' }],
  ['a response of something else', 200, '{"svc_id":"SVC-1"}', { name: 'NetworkError', reason: 'connection' }],
  ['another success', 201, '{"svc_id":"SVC-1","firms":[]}', { name: 'NetworkError', reason: 'connection' }],
  ['its response', 200, '{"svc_id":"SVC-1","firms":[]}', { svc_id: 'SVC-1', firms: [] }],
])('the app tells %s apart', async (_, status, body, expected) => {
  respond(body, status);
  expect(await outcome()).toMatchObject(expected);
});

test('a page without end in place of a response is not read', async () => {
  let isCanceled = false;
  const body = new ReadableStream({
    pull: (controller) => controller.enqueue(new TextEncoder().encode('<p>Welcome</p>')),
    cancel: () => {
      isCanceled = true;
    },
  });
  jest
    .spyOn(globalThis, 'fetch')
    .mockResolvedValue(new Response(body, { headers: { 'Content-Type': 'text/html' } }));
  expect(await outcome()).toMatchObject({ name: 'NetworkError' });
  expect(isCanceled).toBe(true);
});

test('a clock is compared with the service only, not with what responds in its place', async () => {
  const api = createApi('/app/', { getProfile: 'GET v1/me 200 svc_id firms' });
  const call = () => (api.call as (id: string) => Promise<unknown>)('getProfile').catch(() => {});
  const tomorrow = new Date(Date.now() + 86_400_000).toUTCString();
  respond('<html>', 200, { Date: tomorrow });
  await call();
  expect(Math.abs(api.now() - Date.now())).toBeLessThan(5000);
  respond('{"svc_id":"SVC-1","firms":[]}', 200, { Date: tomorrow });
  await call();
  expect(api.now() - Date.now()).toBeGreaterThan(86_000_000);
});

test('the offset of a wrong clock is kept for a start without a network', async () => {
  const kept = new Map<string, string>();
  const stored = {
    read: (key: string) => kept.get(key),
    write: (key: string, value: string) => void kept.set(key, value),
  };
  const open = () => createApi('/app/', { getProfile: 'GET v1/me 200 svc_id firms' }, undefined, stored);
  respond('{"svc_id":"SVC-1","firms":[]}', 200, { Date: new Date(Date.now() + 86_400_000).toUTCString() });
  await (open().call as (id: string) => Promise<unknown>)('getProfile');
  expect(open().now() - Date.now()).toBeGreaterThan(86_000_000);
});

test('a request without a response is sent again, whether it timed out or there was no network', async () => {
  const fetching = jest.spyOn(globalThis, 'fetch');
  fetching.mockRejectedValueOnce(new DOMException('', 'TimeoutError'));
  expect(await outcome()).toMatchObject({ name: 'NetworkError', reason: 'timeout' });
  fetching.mockRejectedValueOnce(new TypeError('Failed to fetch'));
  expect(await outcome()).toMatchObject({ name: 'NetworkError', reason: 'connection' });
});

test('the time to wait is in seconds, or ends at a time of the service, whose clock may differ from the device', async () => {
  respond('{}', 503, { 'Retry-After': '30' });
  expect(await outcome()).toMatchObject({ retryAfterMs: 30_000 });
  const [now, later] = [new Date(Date.now() + 86_400_000), new Date(Date.now() + 86_460_000)];
  respond('{}', 503, { Date: now.toUTCString(), 'Retry-After': later.toUTCString() });
  const { retryAfterMs } = (await outcome()) as { retryAfterMs: number };
  expect(Math.round(retryAfterMs / 10_000)).toBe(6);
});

test('ids are encoded in paths, and a query has only what is given', () => {
  const params = { id: 'a/b' };
  expect(requestOf('GET v1/claims/{id}', { params }).path).toBe('v1/claims/a%2Fb');
  const query = { status: 'closed', updated_since: undefined, limit: 2 };
  expect(requestOf('GET v1/claims', { query }).path).toBe('v1/claims?status=closed&limit=2');
});

test('what could not be loaded is loaded again, and once when it could', async () => {
  const load = jest
    .fn<() => Promise<string>>()
    .mockRejectedValueOnce(new Error('offline'))
    .mockResolvedValue('file');
  const loaded = loadOnce(load);
  await expect(loaded()).rejects.toThrow('offline');
  expect([await loaded(), await loaded()]).toEqual(['file', 'file']);
  expect(load).toHaveBeenCalledTimes(2);
});

test('a list is read to its last page, with the ids of all its items', async () => {
  const pages = {
    // As the service has them: with the first page alone.
    first: { data: [1, 2], next_cursor: 'next', ids: ['a'] },
    next: { data: [3], next_cursor: null },
  };
  const read = async (cursor = 'first') => pages[cursor as keyof typeof pages];
  expect(await readPages(read)).toEqual({ items: [1, 2, 3], ids: ['a'] });
});
