import { expect, test } from '@jest/globals';
import { hasApiPolicy } from '../../../tools/services/documented-responses.ts';
import { sendBytes } from './raw-http.ts';
import { startServiceUnderTest } from './service-under-test.ts';

const service = await startServiceUnderTest({
  env: { EDGE_LIMIT_PER_MINUTE: '30', TRUST_PROXY: 'loopback' },
  clock: { now: () => Date.parse('2026-03-02T09:00:00Z') },
});

test('of 25 pipelined requests with a new key, the last five get 429', async () => {
  const { test: key } = await service.firm({ limited: true });
  const request = `GET /v1/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  const { responses } = await sendBytes(service.url, request.repeat(25), { responses: 25 });
  const statuses = responses.map(({ status }) => status);
  expect(statuses).toEqual([...Array(20).fill(200), ...Array(5).fill(429)]);
});

test('an address over its limit gets a plain page, also for requests that would be refused, and other addresses do not', async () => {
  const from = (forwarded: string) =>
    service.call('GET', '/v1/me', { as: 'svc_live_1', headers: { 'X-Forwarded-For': forwarded } });
  for (let n = 0; n < 30; n += 1) expect((await from(`[2001:db8::${n}]:80`)).status).toBe(401);
  const blocked = await from('2001:db8::ffff');
  expect([blocked.status, blocked.headers.get('content-type')]).toEqual([429, 'text/html; charset=utf-8']);
  expect(hasApiPolicy((name) => blocked.headers.get(name))).toBe(true);
  const names = [...blocked.headers.keys()].join();
  expect(names).not.toMatch(/retry-after|x-request-id|www-authenticate|limit|remaining|reset/);
  expect((await from('2001:db8:1:3::1')).status).toBe(401);
});
