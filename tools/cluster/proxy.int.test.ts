import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { freePort } from '@svc/embedded-postgres';
import { type LoadBalancer, startProxy } from './proxy.ts';

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

interface Target {
  readonly url: string;
  readonly server: Server;
  /** Everything but the health checks. */
  readonly seen: { readonly request: IncomingMessage; readonly body: string }[];
}

async function target(
  answer: RequestListener = (_, response) => response.end('answered'),
  health: () => number = () => 200,
): Promise<Target> {
  const seen: Target['seen'] = [];
  const server = createServer(async (request, response) => {
    if (request.url === '/v1/health') {
      response.writeHead(health()).end();
      return;
    }
    let body = '';
    for await (const chunk of request) body += chunk;
    seen.push({ request, body });
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, seen };
}

async function proxyTo(...targets: string[]): Promise<LoadBalancer> {
  const proxy = await startProxy({ targets, checkEveryMs: 20 });
  stops.push(() => proxy.close());
  return proxy;
}

test('requests are distributed round-robin', async () => {
  const targets = [await target(), await target(), await target()];
  const proxy = await proxyTo(...targets.map(({ url }) => url));
  for (let n = 0; n < 9; n += 1) expect((await fetch(proxy.url)).status).toBe(200);
  expect(targets.map(({ seen }) => seen.length)).toEqual([3, 3, 3]);
});

test('a request arrives unchanged, with X-Forwarded headers', async () => {
  const { url, seen } = await target();
  const proxy = await proxyTo(url);
  const body = 'x'.repeat(300_000);
  await fetch(`${proxy.url}/v1/claims?a=%20b&c`, {
    method: 'POST',
    body,
    headers: { 'X-Forwarded-For': '203.0.113.7', 'Idempotency-Key': 'k' },
  });
  expect(seen[0]?.body).toBe(body);
  expect(seen[0]?.request).toMatchObject({
    method: 'POST',
    url: '/v1/claims?a=%20b&c',
    headers: {
      host: new URL(proxy.url).host,
      'x-forwarded-for': '203.0.113.7, 127.0.0.1',
      'x-forwarded-proto': 'http',
      'idempotency-key': 'k',
    },
  });
});

test('a response arrives unchanged', async () => {
  const { url } = await target((_, response) => {
    response.writeHead(429, {
      'Retry-After': '7',
      'X-Request-Id': 'r',
      'Content-Type': 'application/problem+json',
    });
    response.end('{"code":"rate_limited"}');
  });
  const proxy = await proxyTo(url);
  const answer = await fetch(proxy.url);
  expect([answer.status, await answer.text()]).toEqual([429, '{"code":"rate_limited"}']);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'retry-after': '7',
    'x-request-id': 'r',
    'content-type': 'application/problem+json',
  });
});

test('a request to an unreachable target is sent to another one, with its body', async () => {
  const reachable = await target();
  const proxy = await startProxy({
    targets: [`http://127.0.0.1:${await freePort()}`, reachable.url],
    // No health checks: only the refused connection shows that the target is down.
    checkEveryMs: 3_600_000,
  });
  stops.push(() => proxy.close());
  for (let n = 0; n < 4; n += 1) {
    expect((await fetch(proxy.url, { method: 'POST', body: `body ${n}` })).status).toBe(200);
  }
  expect(reachable.seen.map(({ body }) => body)).toEqual(['body 0', 'body 1', 'body 2', 'body 3']);
});

test('a draining target gets no requests until it is healthy again', async () => {
  let health = 200;
  const draining = await target(undefined, () => health);
  const healthy = await target();
  const proxy = await proxyTo(draining.url, healthy.url);
  health = 503;
  while (proxy.healthy()[0]) await sleep(5);
  for (let n = 0; n < 4; n += 1) await fetch(proxy.url);
  expect(draining.seen).toHaveLength(0);
  health = 200;
  while (!proxy.healthy()[0]) await sleep(5);
  for (let n = 0; n < 4; n += 1) await fetch(proxy.url);
  expect(draining.seen).toHaveLength(2);
});

test('a request that reached a target is never sent to another one', async () => {
  const dies = await target((request) => request.socket.destroy());
  const other = await target();
  const proxy = await proxyTo(dies.url, other.url);
  const statuses = [];
  for (let n = 0; n < 4; n += 1) {
    statuses.push((await fetch(proxy.url, { method: 'POST', body: 'once' })).status);
  }
  expect(statuses.sort()).toEqual([200, 200, 502, 502]);
  expect([dies.seen.length, other.seen.length]).toEqual([2, 2]);
});

test('a partial response never looks complete', async () => {
  const { url } = await target((_, response) => {
    response.writeHead(200);
    response.write('half of ');
    setTimeout(() => response.destroy(), 20);
  });
  const proxy = await proxyTo(url);
  const answer = await fetch(proxy.url);
  await expect(answer.text()).rejects.toThrow();
});

test('a client that disconnects aborts its request', async () => {
  let closed: () => void = () => {};
  const noticed = new Promise<void>((resolve) => {
    closed = resolve;
  });
  const { url, seen } = await target((_, response) => response.once('close', closed));
  const proxy = await proxyTo(url);
  const socket = connect(proxy.port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  while (seen.length === 0) await sleep(5);
  socket.destroy();
  await noticed;
});

test('without a healthy target, the error of a target is returned', async () => {
  const { url } = await target(
    (_, response) => response.writeHead(503, { 'Retry-After': '1' }).end('unavailable'),
    () => 503,
  );
  const proxy = await proxyTo(url);
  const answer = await fetch(proxy.url);
  expect([answer.status, answer.headers.get('retry-after'), await answer.text()]).toEqual([
    503,
    '1',
    'unavailable',
  ]);
});

test('without a reachable target, the response is 503 with Retry-After', async () => {
  const proxy = await proxyTo(`http://127.0.0.1:${await freePort()}`);
  expect((await fetch(proxy.url)).status).toBe(503);
});
