import type { IncomingMessage, ServerResponse } from 'node:http';
import { duplexPair } from 'node:stream';
import { afterEach, expect, jest, test } from '@jest/globals';
import { LIMITS } from '@svc/contract';
import { createHttpServer } from '../src/http/http-server.ts';
import type { RequestTrace } from '../src/http/request-log.ts';
import { ADDRESSES } from './application.ts';

const HOST = 'Host: claims.example\r\n';
const settle = async () => {
  for (let times = 0; times < 10; times += 1) await new Promise(setImmediate);
};
afterEach(() => void jest.useRealTimers());

/** A connection to the server, with the requests that have arrived at the application. */
function connected(respond = (_: IncomingMessage, response: ServerResponse) => void response.end('ok')) {
  const lines: object[] = [];
  const line = (message: string, fields?: object) => void lines.push({ message, ...fields });
  const arrived: { request: IncomingMessage; response: ServerResponse; trace: RequestTrace }[] = [];
  const server = createHttpServer(
    (request, response) => {
      const trace: RequestTrace = { requestId: `r${arrived.length}`, clientAddress: '' };
      arrived.push({ request, response, trace });
      respond(request, response);
      return trace;
    },
    {
      ...{ headersTimeoutMs: 5000, requestTimeoutMs: 6000, responseTimeoutMs: 7000, maxConnections: 9 },
      ...{ addresses: ADDRESSES, log: { debug: line, info: line, warn: line, error: line } },
    },
  );
  const [client, socket] = duplexPair();
  server.emit('connection', socket);
  let received = '';
  client.on('data', (chunk) => {
    received += chunk;
  });
  const send = async (text: string) => {
    client.write(text);
    await settle();
    return received;
  };
  const urls = () => arrived.map(({ request }) => request.url);
  return { server, client, socket, arrived, lines, send, urls };
}

test.each([
  ['/v1/claims?a=1', '/v1/claims?a=1'],
  ['http://other.example/v1/claims?a=1', '/v1/claims?a=1'],
  ['HTTPS://other.example:80?a=1', '/?a=1'],
  ['http://other.example', '/'],
  ['/a#b?c', '/a'],
  ['/v1/%63laims%2fa%7E%2D%5F%2e?b=%63', '/v1/claims%2fa~-_.?b=%63'],
  ['/%20%41%zz', '/%20A%zz'],
  ['*', '*'],
])('a request for %s, also without a host, is one for %s', async (target, url) => {
  const { send, urls } = connected();
  await send(`OPTIONS ${target} HTTP/1.1\r\nA: ${'a'.repeat(16_000)}\r\n\r\n`);
  expect(urls()).toEqual([url]);
});

test('requests of a connection run one after the other, also those that expect something, and none of a closed one', async () => {
  const { send, arrived, socket, urls } = connected(() => {});
  const expecting = (value: string) => `Expect: ${value}\r\nContent-Length: 1\r\n`;
  const received = await send(
    `GET /1 HTTP/1.1\r\n${HOST}\r\nPOST /2 HTTP/1.1\r\n${HOST}${expecting('other')}\r\n1POST /3 HTTP/1.1\r\n${HOST}${expecting('100-continue')}\r\n`,
  );
  expect([urls(), received]).toEqual([['/1'], '']);
  arrived[0]?.response.end('one');
  await settle();
  expect(urls()).toEqual(['/1', '/2']);
  arrived[1]?.response.end('two');
  await settle();
  expect(urls()).toEqual(['/1', '/2', '/3']);
  expect(await send('')).toMatch(/^HTTP\/1.1 200 OK.*one\r\n|one.*HTTP\/1.1 200 OK.*two/s);
  expect(await send('')).not.toContain('100 Continue');
  await send(`GET /4 HTTP/1.1\r\n${HOST}\r\n`);
  socket.destroy();
  await settle();
  expect(urls()).toEqual(['/1', '/2', '/3']);
});

const parts = (received: string) => {
  const [, status, , body = ''] = /^HTTP\/1.1 (\d+ [^\r]*)\r\n(.*)\r\n\r\n(.*)$/s.exec(received) ?? [];
  return {
    status,
    problem: JSON.parse(body),
    header: (name: string) => new RegExp(`^${name}: (.*?)\\r?$`, 'im').exec(received)?.[1],
  };
};

test.each([
  ['GARBAGE\r\n\r\n', '400 Bad Request', 'malformed_request', undefined],
  [
    `GET / HTTP/1.1\r\n${HOST}A: ${'a'.repeat(17_000)}\r\n\r\n`,
    '431 Request Header Fields Too Large',
    'headers_too_large',
    undefined,
  ],
  [
    'CONNECT claims.example:443 HTTP/1.1\r\n\r\n',
    '405 Method Not Allowed',
    'method_not_allowed',
    'GET, POST, PUT, PATCH, DELETE',
  ],
  ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout', 'request_timeout', undefined],
])(
  'what is no request, %j, gets a problem document and a line in the log, and its connection is closed',
  async (text, status, code, allow) => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] });
    const { server, send, lines, socket, urls } = connected();
    const fail = (error: string) =>
      server.emit('clientError', Object.assign(new Error(), { code: error }), socket);
    if (text.startsWith('ERR')) fail(text);
    const { problem, header, ...sent } = parts(await send(text.startsWith('ERR') ? '' : text));
    if (allow === undefined) fail('ERR_SECOND');
    expect([urls(), sent.status, problem.code, problem.type]).toEqual([
      [],
      status,
      code,
      `https://docs.example/errors#${code}`,
    ]);
    const known = 'Content-Type Connection Allow Strict-Transport-Security X-Request-Id Cache-Control';
    expect(known.split(' ').map(header)).toEqual([
      ...['application/problem+json', 'close', allow, 'max-age=63072000', problem.request_id, 'no-store'],
    ]);
    expect(header('Content-Length')).toBe(String(JSON.stringify(problem).length));
    expect(header('Date')).toMatch(/ GMT$/);
    const { request_id, status: logged } = problem;
    const of = { method: 'none', route: 'none' };
    expect(lines).toEqual([{ message: 'request', request_id, ...of, status: logged, code }]);
    jest.advanceTimersByTime(999);
    expect(socket.destroyed).toBe(false);
    jest.advanceTimersByTime(1);
    expect(socket.destroyed).toBe(true);
    expect(() => socket.emit('error', new Error('reset'))).not.toThrow();
  },
);

test('an error after a request, or in one that waits, follows its response, and one in its body is its response', async () => {
  const waiting = `POST /2 HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\nzz`;
  for (const next of ['GARBAGE\r\n', waiting])
    for (const begun of ['', 'o']) {
      const { send, arrived, urls } = connected(() => {});
      await send(`GET /1 HTTP/1.1\r\n${HOST}\r\n`);
      if (begun) arrived[0]?.response.writeHead(200, { 'Content-Length': 3 }).write(begun);
      expect(await send(`${next}\r\n`)).toMatch(begun ? /^HTTP\/1.1 200 OK.*\r\n\r\no$/s : /^$/);
      arrived[0]?.response.end('one'.slice(begun.length));
      await settle();
      expect(await send('')).toMatch(/^HTTP\/1.1 200 OK.*oneHTTP\/1.1 400 Bad Request/s);
      expect(urls()).toEqual(['/1']);
    }
  const { send: sendLater } = connected();
  await sendLater(`GET /1 HTTP/1.1\r\n${HOST}\r\n`);
  expect(await sendLater('GARBAGE\r\n\r\n')).toMatch(/^HTTP\/1.1 200 OK.*okHTTP\/1.1 400 Bad Request/s);
  for (const [chunk, code] of [
    ['zz', 'malformed_request'],
    [`1;${'a'.repeat(20_000)}\r\n1`, 'payload_too_large'],
  ]) {
    const { send, arrived, lines } = connected(() => {});
    const received = await send(`POST /1 HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n${chunk}\r\n`);
    const { problem, header } = parts(received);
    expect([problem.code, problem.request_id, header('X-Request-Id'), header('Connection')]).toEqual([
      code,
      'r0',
      'r0',
      'close',
    ]);
    expect([arrived[0]?.trace.code, lines]).toEqual([code, []]);
  }
});

test('a connection whose client does not read its response in time is closed', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] });
  const { server, client, socket, send } = connected((_, response) => void response.end('x'.repeat(2 ** 20)));
  client.pause();
  await send(`GET /1 HTTP/1.1\r\n${HOST}\r\n`);
  jest.advanceTimersByTime(7249);
  expect(socket.destroyed).toBe(false);
  jest.advanceTimersByTime(1);
  expect(socket.destroyed).toBe(true);
  server.emit('close');
  expect(jest.getTimerCount()).toBe(0);
});

test('a client that goes on with a body in small chunks after its response has its connection closed', async () => {
  for (const [text, count, isClosed] of [
    ['x', LIMITS.openSmallChunks, false],
    ['x', LIMITS.openSmallChunks + 1, true],
    ['x'.repeat(16), LIMITS.openSmallChunks + 1, false],
  ] as const) {
    const { send, socket } = connected();
    await send(`POST /1 HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n`);
    await send(`${text.length.toString(16)}\r\n${text}\r\n`.repeat(count));
    expect([text.length, count, socket.destroyed]).toEqual([text.length, count, isClosed]);
  }
});

test('the log says once a minute that connections are closed for want of files', () => {
  jest.useFakeTimers();
  const { server, lines } = connected();
  const drop = () => server.emit('drop');
  for (const ms of [0, 59_999, 1]) {
    jest.advanceTimersByTime(ms);
    drop();
  }
  const line = { message: 'connections are closed: the limit of open files is reached', max_connections: 9 };
  expect([lines, server.maxConnections]).toEqual([[line, line], 9]);
});

test('a server waits for the next request longer than a balancer does, and no longer than its limits', () => {
  const { server } = connected();
  const { timeout, keepAliveTimeout, headersTimeout, requestTimeout } = server;
  expect([timeout, keepAliveTimeout, headersTimeout, requestTimeout]).toEqual([60_000, 75_000, 5000, 6000]);
});

test('requests that wait no longer do not count, also on closed connections, and one too many closes its own', async () => {
  const { server } = connected(() => {});
  for (let times = 0; times < 65; times += 1) {
    const [client, socket] = duplexPair();
    server.emit('connection', socket);
    client.write(`GET / HTTP/1.1\r\n${HOST}\r\n`.repeat(129));
    await settle();
    expect([times, socket.destroyed]).toEqual([times, false]);
    socket.destroy();
    await settle();
  }
  const { socket, send } = connected(() => {});
  await send(`GET / HTTP/1.1\r\n${HOST}\r\n`.repeat(130));
  expect(socket.destroyed).toBe(true);
  const served = connected();
  for (let times = 0; times < 2; times += 1) {
    await served.send(`GET / HTTP/1.1\r\n${HOST}\r\n`.repeat(129));
    for (let ticks = 0; ticks < 99; ticks += 1) await settle();
  }
  expect([served.arrived.length, served.socket.destroyed]).toEqual([258, false]);
});

test('a connection that the client has reset gets no response', async () => {
  const { server, socket, send, lines } = connected();
  server.emit('clientError', Object.assign(new Error(), { code: 'ECONNRESET' }), socket);
  expect([await send(''), lines, socket.destroyed]).toEqual(['', [], true]);
});
