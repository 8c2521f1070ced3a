import { expect, test } from '@jest/globals';
import { expectProblem } from './problem-shape.ts';
import { sendBytes } from './raw-http.ts';
import { type ApiResponse, startServiceUnderTest } from './service-under-test.ts';

let now = Date.parse('2026-03-02T09:00:00Z');
const service = await startServiceUnderTest({ clock: { now: () => now } });

const me = (as: string): Promise<ApiResponse> => service.call('GET', '/v1/me', { as });
/** A write without effect. */
const write = (as: string): Promise<ApiResponse> =>
  service.call('DELETE', '/v1/adjusters/invitations/nobody', { as });
const concurrently = (count: number, call: () => Promise<ApiResponse>): Promise<ApiResponse[]> =>
  Promise.all(Array.from({ length: count }, call));

async function sequentially(count: number, call: () => Promise<ApiResponse>): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < count; i++) statuses.push((await call()).status);
  return statuses;
}

const repeat = (count: number, status: number): number[] => Array.from({ length: count }, () => status);

test('of 25 pipelined requests with a new key, the last five get 429', async () => {
  const { test: key } = await service.firm({ limited: true });
  const request = `GET /v1/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  const { responses } = await sendBytes(service.url, request.repeat(25), { responses: 25 });
  expect(responses.map(({ status }) => status)).toEqual([...repeat(20, 200), ...repeat(5, 429)]);
});

test('429 has the limits of the key, Retry-After in whole seconds, and no response has other rate limit headers', async () => {
  const { live } = await service.firm({ limited: true });
  const served = await me(live);
  await concurrently(19, () => me(live));
  const failed = await me(live);
  expectProblem(failed, 429, 'rate_limited');
  expect(failed.json.detail).toBe(
    'This key may send 300 requests per minute, 120 of them writes, and 20 at once.',
  );
  expect(failed.headers.get('retry-after')).toBe('1');
  for (const { headers } of [served, failed])
    expect([...headers.keys()].filter((name) => /limit|quota|remaining|reset/.test(name))).toEqual([]);
  expect(served.headers.has('retry-after')).toBe(false);
});

test('Retry-After is rounded up: after a wait of 1.1 seconds announced as 2, the request succeeds', async () => {
  const { test: key } = await service.firm({ limited: true });
  await concurrently(20, () => write(key));
  now += 900;
  const failed = await write(key);
  expectProblem(failed, 429, 'rate_limited');
  expect(failed.headers.get('retry-after')).toBe('2');
  now += 2000;
  expect((await write(key)).status).not.toBe(429);
});

test('health has no limit per key, and an invalid key gets 401 however often it is sent', async () => {
  const { live } = await service.firm({ limited: true });
  await concurrently(30, () => me(live));
  expect((await service.call('GET', '/v1/health', { as: live })).status).toBe(200);
  expect(await sequentially(30, () => me(`${live}x`))).toEqual(repeat(30, 401));
});

test('a request with a valid key to an unknown path counts against the limits of the key', async () => {
  const { live } = await service.firm({ limited: true });
  const unknownPath = (): Promise<ApiResponse> => service.call('GET', '/v1/nope', { as: live });
  expect(await sequentially(21, unknownPath)).toEqual([...repeat(20, 404), 429]);
  expect((await me(live)).status).toBe(429);
});

test('app sessions have no limit per key', async () => {
  const { token } = await service.adjuster();
  expect(await sequentially(40, () => service.call('GET', '/app/v1/me', { as: token }))).toEqual(
    repeat(40, 200),
  );
});
