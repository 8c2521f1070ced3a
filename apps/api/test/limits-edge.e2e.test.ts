import { beforeEach, describe, expect, test } from '@jest/globals';
import { hasApiPolicy } from '../../../tools/services/documented-responses.ts';
import { request, sendBytes } from './raw-http.ts';
import { type ApiResponse, type ServiceUnderTest, startServiceUnderTest } from './service-under-test.ts';

const MINUTE = 60_000;

let now = Date.parse('2026-03-02T09:00:00Z');
const start = (env: Record<string, string> = {}) =>
  startServiceUnderTest({ env: { EDGE_LIMIT_PER_MINUTE: '2', ...env }, clock: { now: () => now } });
const direct = await start();
beforeEach(() => {
  now += 10 * MINUTE;
});

const health = (service: ServiceUnderTest, forwarded?: string): Promise<ApiResponse> =>
  service.call('GET', '/v1/health', {
    headers: forwarded === undefined ? {} : { 'X-Forwarded-For': forwarded },
  });

async function statuses(service: ServiceUnderTest, count: number, forwarded?: string): Promise<number[]> {
  const found: number[] = [];
  for (let i = 0; i < count; i++) found.push((await health(service, forwarded)).status);
  return found;
}

test('an address over its limit gets a plain page without the headers of the API', async () => {
  const firm = await direct.firm();
  const logged = direct.logged.length;
  expect(await statuses(direct, 2)).toEqual([200, 200]);
  const calls = [
    ['GET', '/v1/me', firm.live],
    ['POST', '/v1/claims', firm.live],
    ['GET', '/nope', undefined],
    ['POST', '/app/v1/sign-in-codes', undefined],
  ] as const;
  for (const [method, path, as] of calls) {
    const blocked = await direct.call(method, path, {
      ...(as !== undefined && { as }),
      ...(method === 'POST' && { body: {} }),
    });
    expect(blocked.status).toBe(429);
    expect(blocked.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(blocked.text).toMatch(/^<!doctype html>/);
    expect(hasApiPolicy((name) => blocked.headers.get(name))).toBe(true);
    for (const name of ['retry-after', 'x-request-id', 'www-authenticate', 'idempotent-replayed'])
      expect([name, blocked.headers.has(name)]).toEqual([name, false]);
    expect([...blocked.headers.keys()].filter((name) => /limit|remaining|reset/.test(name))).toEqual([]);
  }
  const head = request('HEAD /v1/health', { Connection: 'close' });
  const { responses } = await sendBytes(direct.url, head, { bodiless: true });
  expect([responses[0]?.status, responses[0]?.headers.has('x-request-id')]).toEqual([429, false]);
  const lines = direct.logged.slice(logged).filter((line) => line.includes('"message":"request"'));
  expect(lines).toHaveLength(2);
});

test('failed authentication counts against the limit of the address', async () => {
  const found: number[] = [];
  for (let i = 0; i < 3; i++)
    found.push((await direct.call('GET', '/v1/me', { as: `svc_live_${i}` })).status);
  expect(found).toEqual([401, 401, 429]);
});

test('X-Forwarded-For is ignored without a trusted proxy', async () => {
  const found = [...(await statuses(direct, 1, '192.0.2.1')), ...(await statuses(direct, 2, '192.0.2.2'))];
  expect(found).toEqual([200, 200, 429]);
});

describe('behind proxies', () => {
  let service: ServiceUnderTest;

  test('each forwarded address and IPv6 /64 network has a limit; a port does not make another, no address counts as the proxy', async () => {
    service = await start({ TRUST_PROXY: 'loopback' });
    for (const entries of [
      ['192.0.2.1:5555', '192.0.2.1', '192.0.2.1:6666'],
      ['192.0.2.2', '192.0.2.2', '192.0.2.2'],
      ['[2001:db8::1]:80', '2001:db8::2', '[2001:db8::ffff:ffff:ffff:ffff]'],
      ['2001:db8:1:3::1', '2001:db8:1:3::1', '2001:db8:1:3::1'],
      ['unknown', 'a'.repeat(8000), '300.1.1.1'],
    ]) {
      const found: number[] = [];
      for (const entry of entries) found.push(...(await statuses(service, 1, entry)));
      expect([entries[0], found]).toEqual([entries[0], [200, 200, 429]]);
    }
    for (const invalid of ['nonsense', ',,,', '"', ':::::', '::ffff:'])
      expect([200, 429]).toContain((await health(service, invalid)).status);
  });

  test('with two trusted hops, the second address from the end counts', async () => {
    service = await start({ TRUST_PROXY: '2' });
    const found: number[] = [];
    for (let i = 0; i < 3; i++) found.push(...(await statuses(service, 1, `192.0.2.${i}, 10.0.0.1`)));
    expect(found).toEqual([200, 200, 200]);
    expect(await statuses(service, 2, '1.2.3.4, 192.0.2.0, 10.0.0.1')).toEqual([200, 429]);
  });

  test('proxies can be trusted by network range', async () => {
    service = await start({ TRUST_PROXY: '127.0.0.0/8, 10.0.0.0/8' });
    expect(await statuses(service, 3, '192.0.2.1, 10.1.2.3')).toEqual([200, 200, 429]);
    expect((await health(service, '192.0.2.9, 10.1.2.3')).status).toBe(200);
  });
});
