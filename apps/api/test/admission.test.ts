import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { timeOfRequestId } from '@svc/application';
import { createAdmission, requireUnambiguous } from '../src/http/admission.ts';
import { exchange } from './exchange.ts';

const NOW = Date.parse('2026-09-01T12:00:00Z');
beforeEach(() => void jest.useFakeTimers({ now: NOW }));
afterEach(() => void jest.useRealTimers());

/** What becomes of a request whose service has a clock that is so much ahead of the machine. */
function admitted({ aheadMs = 0, isDraining = false, isAllowed = true }) {
  const { request, response, body } = exchange();
  const trace = createAdmission({
    edgeLimiter: { allow: () => isAllowed },
    trustProxy: false,
    addresses: { baseUrl: 'https://claims.example', docsUrl: '' },
    isDraining: () => isDraining,
    clock: { now: () => NOW + aheadMs },
  })(request, response);
  const header = (name: string) => response.getHeader(name);
  return { trace, status: response.statusCode, header, body: String(body()) };
}

test('the header Date has the time of the service where that of the machine is more than a second off', () => {
  const dates = [0, 1000, -1000, 1001, -1001, 60_000].map((aheadMs) => admitted({ aheadMs }).header('Date'));
  expect(dates).toEqual([
    ...[undefined, undefined, undefined, 'Tue, 01 Sep 2026 12:00:01 GMT', 'Tue, 01 Sep 2026 11:59:58 GMT'],
    'Tue, 01 Sep 2026 12:01:00 GMT',
  ]);
  const { trace } = admitted({ aheadMs: 60_000 });
  expect(timeOfRequestId(trace?.requestId ?? '')).toBe(NOW + 60_000);
});

test('a process that shuts down closes each connection, and one over the limit of its address gets a page without an id', () => {
  expect(admitted({}).header('Connection')).toBeUndefined();
  const draining = admitted({ isDraining: true });
  expect([draining.header('Connection'), draining.trace]).toEqual([
    'close',
    { requestId: expect.any(String), clientAddress: '' },
  ]);
  const { trace, status, header, body } = admitted({ isAllowed: false });
  expect([trace, status, header('X-Request-Id')]).toEqual([null, 429, undefined]);
  expect([header('Content-Type'), header('Strict-Transport-Security'), body]).toEqual([
    'text/html; charset=utf-8',
    'max-age=63072000',
    expect.stringContaining('This address sends too many requests.'),
  ]);
});

test.each<[trusted: boolean | number | string, forwarded: string | undefined, address: string]>([
  [false, '198.51.100.1', '10.0.0.1'],
  [true, '198.51.100.1, 198.51.100.2', '198.51.100.1'],
  [true, undefined, '10.0.0.1'],
  [1, '198.51.100.1, 198.51.100.2', '198.51.100.2'],
  [2, '198.51.100.1, 198.51.100.2', '198.51.100.1'],
  ['10.0.0.0/8', '198.51.100.1, 198.51.100.2', '198.51.100.2'],
  ['10.0.0.1,198.51.100.2', '198.51.100.1, 198.51.100.2', '198.51.100.1'],
  ['192.0.2.1', '198.51.100.1', '10.0.0.1'],
  [1, '198.51.100.1:443', '198.51.100.1'],
  [1, '[2001:db8::1]:443', '2001:db8::1'],
  [1, '[2001:db8::1]', '2001:db8::1'],
  [1, '2001:db8::1', '2001:db8::1'],
  [1, 'unknown', '10.0.0.1'],
  [1, '198.51.100.1:port', '10.0.0.1'],
])('behind the proxies %s a request with X-Forwarded-For %s is of %s', (trustProxy, forwarded, address) => {
  const { request, response } = exchange({ 'x-forwarded-for': forwarded });
  Object.defineProperty(request.socket, 'remoteAddress', { value: '10.0.0.1' });
  const limited: string[] = [];
  const trace = createAdmission({
    edgeLimiter: { allow: (one) => limited.push(one) > 0 },
    ...{ trustProxy, addresses: { baseUrl: '', docsUrl: '' } },
    ...{ isDraining: () => false, clock: { now: () => NOW } },
  })(request, response);
  expect([trace?.clientAddress, limited]).toEqual([address, [address]]);
});

test.each<[version: string, Record<string, string>, raw: string[], detail: string | null]>([
  ['1.1', { host: 'a' }, ['Host', 'a'], null],
  ['1.1', {}, [], 'The Host header is missing.'],
  ['1.0', {}, [], null],
  ['1.1', { host: 'a' }, ['Host', 'a', 'HOST', 'b'], 'The Host header was sent twice.'],
  ['1.1', { host: 'a', 'transfer-encoding': 'Chunked' }, [], null],
  ['1.1', { host: 'a', 'transfer-encoding': 'gzip, chunked' }, [], 'The Transfer-Encoding must be chunked.'],
])(
  'in HTTP %s a request with %j and the raw headers %j is refused: %s',
  (httpVersion, headers, rawHeaders, detail) => {
    const { request, response } = exchange(headers);
    Object.assign(request, { httpVersion, rawHeaders });
    const check = () => requireUnambiguous(request, response);
    if (detail === null) check();
    else expect(check).toThrow(expect.objectContaining({ code: 'malformed_request', extra: { detail } }));
    expect(response.getHeader('Connection')).toBe(detail === null ? undefined : 'close');
  },
);
