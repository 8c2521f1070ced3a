import { afterEach, expect, jest, test } from '@jest/globals';
import { createApi, readPages } from '../src/api.ts';
import { NetworkError } from '../src/api-error.ts';
import { requestOf } from '../src/endpoints.ts';
import { outlast } from '../src/outlast.ts';

afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});
const fakeTime = () =>
  jest.useFakeTimers({ now: 1_788_000_000_000, doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });

const respond = (body: string | null, status: number, headers: Record<string, string> = {}) =>
  jest.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response(body, { status, headers }));
const routes = { getProfile: 'GET v1/me 200 svc_id firms' };
/** @param kept by how much the device's clock was behind */
const outcome = (kept?: string) =>
  createApi<(id: string) => Promise<unknown>>('/app/', routes, undefined, {
    read: () => kept,
    write: () => {},
  })
    .call('getProfile')
    .catch((error: unknown) => error);

test.each([
  [
    'an error of the service',
    422,
    '{"code":"validation_failed","status":422,"detail":"2 errors.","errors":[{"pointer":"/email","detail":"Must be an address."},{"detail":"b"},{"pointer":"/a/0"}]}',
    {
      ...{ name: 'ApiError', status: 422, code: 'validation_failed', fields: ['email', 'a/0'] },
      reason: 'Must be an address.',
    },
  ],
  [
    'an error of no field',
    409,
    '{"code":"claim_changed","status":409,"detail":"It has changed."}',
    { name: 'ApiError', status: 409, code: 'claim_changed', fields: [], reason: 'It has changed.' },
  ],
  ['too many requests', 429, '{}', { name: 'NetworkError', reason: 'service' }],
  [
    'a failure of the service',
    500,
    '{"code":"internal_error","status":500}',
    { name: 'NetworkError', reason: 'service' },
  ],
  ['an error page of a proxy', 403, '<html>', { name: 'NetworkError', reason: 'service' }],
  ['a 401 of a proxy', 401, '<html>', { name: 'ApiError', status: 401, code: 'unknown' }],
  ['the end of the session', 401, '{"code":"invalid_session","status":401}', { code: 'invalid_session' }],
  [
    'an error with other details',
    403,
    '{"code":"Forbidden","status":403,"errors":{}}',
    { name: 'NetworkError', reason: 'service' },
  ],
  [
    'an error of another status',
    403,
    '{"code":"Forbidden","status":404}',
    { name: 'NetworkError', reason: 'service' },
  ],
  ['an error of a gateway', 403, '{"code":"Forbidden"}', { name: 'NetworkError', reason: 'service' }],
  ['the sign-in page of a captive portal', 200, '<html>', { name: 'NetworkError', reason: 'connection' }],
  ['a response of something else', 200, '{"svc_id":"SVC-1"}', { name: 'NetworkError', reason: 'connection' }],
  ['another success', 201, '{"svc_id":"SVC-1","firms":[]}', { name: 'NetworkError', reason: 'connection' }],
  ['its response', 200, '{"svc_id":"SVC-1","firms":[]}', { svc_id: 'SVC-1', firms: [] }],
])('the app tells %s apart', async (_, status, body, expected) => {
  respond(body, status);
  expect(await outcome()).toMatchObject(expected);
});

test.each([
  ['text/html', 10, 0, 1],
  // It is read up to 32 Mi characters.
  ['application/json', 1 << 22, 9, 10],
])('a response without end is not read: %s', async (type, bytes, least, most) => {
  const chunk = new Uint8Array(bytes).fill(32);
  const pull = jest.fn((stream: ReadableStreamDefaultController) => stream.enqueue(chunk));
  const cancel = jest.fn(() => {});
  const body = new ReadableStream({ pull, cancel });
  jest
    .spyOn(globalThis, 'fetch')
    .mockResolvedValue(new Response(body, { headers: { 'Content-Type': type } }));
  expect(await outcome()).toMatchObject({ name: 'NetworkError' });
  const { length: pulls } = pull.mock.calls;
  expect([cancel.mock.calls.length, pulls >= least, pulls <= most]).toEqual([1, true, true]);
});

test('a response that arrives in pieces is read as one, also where a piece ends within a character', async () => {
  const bytes = Buffer.from('{"svc_id":"José","firms":[]}');
  const body = new ReadableStream({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  jest.spyOn(globalThis, 'fetch').mockResolvedValue(new Response(body));
  expect(await outcome()).toEqual({ svc_id: 'José', firms: [] });
});

test('a clock is compared with the service only, and its offset is kept for a start without a network, until the clock is right', async () => {
  fakeTime();
  const kept = new Map([['clockOffsetMs', 'unknown']]);
  const stored = {
    read: (key: string) => kept.get(key),
    write: (key: string, value: string) => void kept.set(key, value),
  };
  const open = () => createApi('/app/', routes, undefined, stored);
  const api = open();
  const offsetsAfter = async (body: string, status: number, aheadMs: number) => {
    respond(body, status, { Date: new Date(Date.now() + aheadMs).toUTCString() });
    await (api.call as (id: string) => Promise<unknown>)('getProfile').catch(() => {});
    return [api.isTimeKnown(), ...[api, open()].map(({ now }) => now() - Date.now())];
  };
  const own = '{"svc_id":"SVC-1","firms":[]}';
  expect(await offsetsAfter('<html>', 200, 86_400_000)).toEqual([false, 0, 0]);
  expect(await offsetsAfter(own, 200, Number.NaN)).toEqual([false, 0, 0]);
  expect(await offsetsAfter('{}', 503, 86_400_000)).toEqual([false, 0, 0]);
  const refused = '{"code":"forbidden","status":403}';
  expect(await offsetsAfter(refused, 403, 86_400_000)).toEqual([true, 86_400_000, 86_400_000]);
  expect(await offsetsAfter(own, 200, 86_406_000)).toEqual([true, 86_406_000, 86_406_000]);
  expect(await offsetsAfter(own, 200, 86_411_000)).toEqual([true, 86_411_000, 86_406_000]);
  expect(await offsetsAfter(own, 200, 5000)).toEqual([true, 0, 0]);
  for (const ms of [-6000, Number.NaN])
    expect(await offsetsAfter(own, 200, ms)).toEqual([true, -6000, -6000]);
});

test('a request goes below the root, is not cached, follows no redirect, ends some time, and names the firm that is shown', async () => {
  const sent: unknown[][] = [];
  const timeout = jest.spyOn(AbortSignal, 'timeout');
  jest.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
    sent.push([url, init]);
    return new Response(null, { status: 204 });
  });
  for (const firm of [undefined, 'firm-1']) {
    const routes = { save: 'PUT v1/it/{id} 204', end: 'DELETE v1/it 204' };
    const { call, pageHeader } = createApi<(id: string, parts?: object) => Promise<unknown>>(
      ...(['/app/', routes, () => firm] as const),
    );
    expect(pageHeader()).toEqual({ 'X-Claims-Page': firm ?? '1' });
    const parts = { params: { id: 'a' }, query: { b: 2 }, headers: { 'Idempotency-Key': 'k' } };
    await call('save', { ...parts, body: { a: 1 } });
    await call('end');
  }
  expect(timeout.mock.calls).toEqual(Array(4).fill([20_000]));
  const always = { cache: 'no-store', redirect: 'error', signal: expect.any(AbortSignal) };
  const json = { 'Idempotency-Key': 'k', 'Content-Type': 'application/json' };
  expect(sent).toEqual(
    ['1', 'firm-1'].flatMap((firm) => [
      [
        '/app/v1/it/a?b=2',
        { ...always, method: 'PUT', headers: { ...json, 'X-Claims-Page': firm }, body: '{"a":1}' },
      ],
      ['/app/v1/it', { ...always, method: 'DELETE', headers: { 'X-Claims-Page': firm } }],
    ]),
  );
});

test('a request without a response is sent again, whether it timed out or there was no network', async () => {
  const fetching = jest.spyOn(globalThis, 'fetch');
  fetching.mockRejectedValueOnce(new DOMException('', 'TimeoutError'));
  expect(await outcome()).toMatchObject({ name: 'NetworkError', reason: 'timeout' });
  const broken = new ReadableStream({ start: (controller) => controller.error(new TypeError('reset')) });
  fetching.mockResolvedValueOnce(new Response(broken));
  fetching.mockRejectedValueOnce(new DOMException('', 'AbortError'));
  fetching.mockRejectedValueOnce(new TypeError('Failed to fetch'));
  for (let n = 0; n < 3; n += 1)
    expect(await outcome()).toMatchObject({ name: 'NetworkError', reason: 'connection' });
});

test('the time to wait is in seconds, or ends at a time of the service, whose clock may differ from the device', async () => {
  respond('{}', 503, { 'Retry-After': '30' });
  expect(await outcome()).toMatchObject({ retryAfterMs: 30_000 });
  const [now, later] = [new Date(Date.now() + 86_400_000), new Date(Date.now() + 86_460_000)];
  respond('{}', 503, { Date: now.toUTCString(), 'Retry-After': later.toUTCString() });
  const tensOfSeconds = async (kept?: string) =>
    Math.round(((await outcome(kept)) as { retryAfterMs: number }).retryAfterMs / 10_000);
  expect(await tensOfSeconds()).toBe(6);
  respond('{}', 429, { 'Retry-After': later.toUTCString() });
  expect([await tensOfSeconds(), await tensOfSeconds('60000')]).toEqual([8646, 8640]);
  respond('{}', 503, { Date: later.toUTCString(), 'Retry-After': now.toUTCString() });
  expect(await outcome()).toMatchObject({ retryAfterMs: 0 });
  respond('{}', 503, { 'Retry-After': 'soon' });
  expect((await outcome()) as { retryAfterMs?: number }).toMatchObject({ retryAfterMs: undefined });
});

test('what the service could not process is sent again after the wait it asked for, within bounds, while it is wanted', async () => {
  fakeTime();
  const attempts = async (retryAfterMs: number | undefined, steps: readonly number[], wantedMs = 99_000) => {
    let sent = 0;
    const start = Date.now();
    const send = () => {
      sent += 1;
      return Promise.reject(new NetworkError('service', retryAfterMs));
    };
    const ended = outlast(send, () => Date.now() - start <= wantedMs).catch(() => 'failed');
    const counts = [];
    for (const ms of steps) {
      await jest.advanceTimersByTimeAsync(ms);
      counts.push(sent);
    }
    return [...counts, await Promise.race([ended, 'waits'])];
  };
  expect(await attempts(0, [999, 1])).toEqual([1, 2, 'waits']);
  expect(await attempts(60_000, [59_999, 1])).toEqual([1, 2, 'waits']);
  for (const ms of [60_001, undefined]) expect(await attempts(ms, [60_001])).toEqual([1, 'failed']);
  expect(await attempts(2000, [2000, 1999, 1], 3000)).toEqual([2, 2, 2, 'failed']);
  expect(await attempts(1000, [18_000, 1000, 1000])).toEqual([19, 20, 20, 'failed']);
  const send = jest.fn(async () => 'sent').mockRejectedValueOnce(new NetworkError('service', 2000));
  const sent = outlast(send, () => true);
  await jest.advanceTimersByTimeAsync(2000);
  expect([await sent, send.mock.calls.length]).toEqual(['sent', 2]);
});

test('ids are encoded in paths, and a query has only what is given', () => {
  const params = { id: 'a/b', contact_id: 'c' };
  expect(requestOf('GET v1/claims/{id}/{contact_id}', { params }).path).toBe('v1/claims/a%2Fb/c');
  const query = { status: 'closed', updated_since: undefined, limit: 2 };
  expect(requestOf('GET v1/claims', { query }).path).toBe('v1/claims?status=closed&limit=2');
});

test('a list is read to its last page, with the ids of all its items', async () => {
  const pages = {
    // As the service has them: with the first page alone.
    first: { data: [1, 2], next_cursor: 'next', ids: ['a'] },
    next: { data: [3], next_cursor: 'last' },
    last: { data: [4], next_cursor: null },
  };
  const read = async (cursor = 'first') => pages[cursor as keyof typeof pages];
  expect(await readPages(read)).toEqual({ items: [1, 2, 3, 4], ids: ['a'] });
});
