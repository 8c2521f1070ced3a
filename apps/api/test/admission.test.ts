import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { createAdmission } from '../src/http/admission.ts';
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
