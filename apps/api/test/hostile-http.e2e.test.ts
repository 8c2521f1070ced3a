import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { eventually } from '@svc/testkit/eventually';
import { countRows } from '../../../tools/services/count-rows.ts';
import { getClaim } from './firm-calls.ts';
import { expectProblem, problemMismatch } from './problem-shape.ts';
import { type RawResponse, request, sendBytes } from './raw-http.ts';
import { claimBody, sendClaim, startServiceUnderTest } from './service-under-test.ts';

const service = await startServiceUnderTest({
  env: { HEADERS_TIMEOUT_MS: '400', REQUEST_TIMEOUT_MS: '900', RESPONSE_TIMEOUT_MS: '900' },
});
const firm = await service.firm();
const adjuster = await service.member(firm);
const claimId: string = (await sendClaim(service, firm.live, claimBody(adjuster.svcId))).json.id;
const bearer = { Authorization: `Bearer ${firm.live}` };
const json = { ...bearer, 'Content-Type': 'application/json' };
let rowsBefore = await countRows(service.databaseUrl);

function expectRawProblem(response: RawResponse | undefined, status: number, code: string): void {
  expect({ status: response?.status, body: response?.body }).toMatchObject({ status });
  expect(JSON.parse(response?.body ?? '')).toMatchObject({ status, code });
  expect(problemMismatch(status, (name) => response?.headers.get(name), response?.body ?? '')).toBeNull();
}

/** The only response to these bytes. */
async function answerTo(bytes: string | readonly string[]): Promise<RawResponse | undefined> {
  const { responses } = await sendBytes(service.url, bytes, { responses: 1 });
  return responses[0];
}

/** Expects one problem, after which the server closes the connection. */
async function expectClosedWith(bytes: string | Uint8Array, status: number, code: string): Promise<void> {
  const { responses, ended } = await sendBytes(service.url, bytes);
  expect({ count: responses.length, ended }).toEqual({ count: 1, ended: true });
  expectRawProblem(responses[0], status, code);
  expect(responses[0]?.headers.get('connection')).toBe('close');
}

describe('invalid HTTP', () => {
  test.each([
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['an unknown method', request('BREW /v1/health')],
    ['a control character in the path', 'GET /v1/\x01health HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a header without a colon', 'GET /v1/health HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n'],
    ['a length that is not a number', request('POST /v1/claims', { 'Content-Length': 'many' })],
    [
      'two lengths',
      'POST /v1/claims HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n[]',
    ],
    [
      'a length and chunks',
      request('POST /v1/claims', { 'Content-Length': '2', 'Transfer-Encoding': 'chunked' }, '[]'),
    ],
    ['an unknown transfer encoding', request('POST /v1/claims', { 'Transfer-Encoding': 'rot13' }, '[]')],
  ])('%s gets one malformed_request, and the connection is closed', (_, bytes) =>
    expectClosedWith(bytes, 400, 'malformed_request'),
  );

  /** Of which a proxy could see the end in another place than the service does. */
  const hiding = (headers: string, body = '{}') =>
    `POST /app/v1/sign-in-codes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${body}`;
  test.each([
    ['identity as Transfer-Encoding', hiding('Content-Length: 2\r\nTransfer-Encoding: identity')],
    ['chunked before identity', hiding('Transfer-Encoding: chunked, identity', '0\r\n\r\n')],
    ['a Transfer-Encoding like chunked', hiding('Content-Length: 2\r\nTransfer-Encoding: xchunked')],
    [
      'two headers Transfer-Encoding',
      hiding('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity', '0\r\n\r\n'),
    ],
    ['a space before the colon', hiding('Content-Length: 2\r\nTransfer-Encoding : chunked', '0\r\n\r\n')],
    ['a folded header', hiding('Content-Length: 2\r\nTransfer-Encoding:\r\n chunked', '0\r\n\r\n')],
    ['a list of lengths', hiding('Content-Length: 2, 2')],
    [
      'a chunk length out of range',
      hiding('Transfer-Encoding: chunked', 'ffffffffffffffff1\r\n{}\r\n0\r\n\r\n'),
    ],
    ['bare line feeds', 'POST /app/v1/sign-in-codes HTTP/1.1\nHost: x\nContent-Length: 2\n\n{}'],
    ['a bare carriage return', hiding('X-A: b\rX-B: c\r\nContent-Length: 2')],
  ])('a request with %s gets an error, and one hidden behind it no response', async (_, bytes) => {
    const { responses, ended } = await sendBytes(service.url, bytes + request('GET /v1/me', bearer));
    expect(ended).toBe(true);
    expect(responses.length).toBeGreaterThan(0);
    expect(responses.filter(({ status }) => status < 400)).toEqual([]);
  });

  test('a connection ends that sends many small chunks of a body that nobody reads', async () => {
    const head = request('GET /v1/health', {
      'Transfer-Encoding': 'chunked',
      Connection: 'keep-alive',
    }).trimEnd();
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    socket.on('error', () => {});
    // `once` would reject for the reset.
    const closed = new Promise((resolve) => void socket.once('close', resolve));
    socket.write(`${head}\r\n\r\n`);
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200/);
    socket.resume().write('1\r\n \r\n'.repeat(20_000));
    await closed;
  });

  test('an invalid chunk gets malformed_request as the response to its request, after that of the one before', async () => {
    const invalid = request('POST /v1/claims', { ...json, 'Transfer-Encoding': 'chunked' }, 'nonsense\r\n');
    const alone = await sendBytes(service.url, invalid);
    const second = await sendBytes(service.url, request('GET /v1/me', bearer) + invalid);
    expect([alone, second].map(({ ended }) => ended)).toEqual([true, true]);
    expect([...alone.responses, ...second.responses].map(({ status }) => status)).toEqual([400, 200, 400]);
    for (const { responses } of [alone, second]) expectRawProblem(responses.at(-1), 400, 'malformed_request');
    const id = alone.responses[0]?.headers.get('x-request-id') ?? '?';
    await eventually(() => service.logged.filter((line) => line.includes(id)).length === 1);
  });

  test('headers over 16 KB get 431, in one header, many headers or the URL', async () => {
    await expectClosedWith(request('GET /v1/health', { A: 'b'.repeat(17_000) }), 431, 'headers_too_large');
    const many = Object.fromEntries(Array.from({ length: 1500 }, (_, i) => [`X-Header-${i}`, 'x']));
    await expectClosedWith(request('GET /v1/health', many), 431, 'headers_too_large');
    await expectClosedWith(request(`GET /${'a'.repeat(20_000)}`), 431, 'headers_too_large');
  });

  test('Host is required for HTTP/1.1, but not for HTTP/1.0', async () => {
    expectRawProblem(await answerTo('GET /v1/health HTTP/1.1\r\n\r\n'), 400, 'malformed_request');
    const old = await sendBytes(service.url, 'GET /v1/health HTTP/1.0\r\n\r\n');
    expect([old.responses[0]?.status, old.responses[0]?.body, old.ended]).toEqual([200, '{}', true]);
  });

  test.each([
    ['Host', request('GET /v1/health', { host: 'localhost' }), 400, 'malformed_request'],
    ['Authorization', request('GET /v1/me', { ...bearer, authorization: 'x' }), 401, 'invalid_key'],
    ...['Idempotency-Key', 'Content-Type'].map((name) => {
      const headers = { ...json, 'Idempotency-Key': 'k', 'Content-Length': '2', [name.toLowerCase()]: 'k' };
      return [name, request('POST /v1/claims', headers, '[]'), 400, 'malformed_request'] as const;
    }),
  ] as const)('a repeated %s header is rejected', async (_, sent, status, code) => {
    expectRawProblem(await answerTo(sent), status, code);
  });

  test('CONNECT gets 405, and Upgrade is ignored', async () => {
    const tunnel = await sendBytes(service.url, request('CONNECT example.com:443'));
    expectRawProblem(tunnel.responses[0], 405, 'method_not_allowed');
    expect(tunnel.responses[0]?.headers.get('allow')).toContain('GET');
    const upgrade = { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13' };
    const settings = { 'HTTP2-Settings': 'AAMAAABkAARAAAAAAAIAAAAA' };
    const h2c = { Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c', ...settings };
    for (const headers of [upgrade, h2c])
      expect((await answerTo(request('GET /v1/health', headers)))?.status).toBe(200);
  });

  test('connections that are reset after CONNECT end no process', async () => {
    const { hostname, port } = new URL(service.url);
    for (const before of ['', request('GET /v1/me', bearer)]) {
      const resets = Array.from({ length: 20 }, async (_, pauseMs) => {
        const socket = connect(Number(port), hostname);
        await once(socket, 'connect');
        socket.write(before + request('CONNECT example.com:443'));
        await pause(pauseMs);
        socket.resetAndDestroy();
        await once(socket, 'close');
      });
      await Promise.all(resets);
    }
    expect((await service.call('GET', '/v1/health')).status).toBe(200);
  });
});

describe('a client that is too slow', () => {
  test('gets request_timeout and is disconnected if its headers are incomplete', async () => {
    await expectClosedWith('GET /v1/health HTTP/1.1\r\nHost: x\r\nA: b', 408, 'request_timeout');
  });

  test('is disconnected if it sends nothing', async () => {
    expect((await sendBytes(service.url, '')).ended).toBe(true);
  });

  test('gets request_timeout if the body is incomplete', async () => {
    const head = request('POST /v1/claims', { ...json, 'Idempotency-Key': 'slow', 'Content-Length': '100' });
    await expectClosedWith(`${head}{`, 408, 'request_timeout');
  });

  test('gets an error before it has sent the body', async () => {
    const head = request('POST /v1/claims', { 'Content-Type': 'application/json', 'Content-Length': '1000' });
    expectRawProblem(await answerTo(head), 401, 'invalid_key');
  });

  test('can send its whole body before the response, if the connection closes after it', async () => {
    const head = { ...json, 'Content-Length': '6000000', Connection: 'close' };
    const long = request('POST /v1/claims', head, ' '.repeat(6_000_000));
    const { port, hostname } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    // Many clients read nothing before they have written everything.
    await new Promise<void>((written, broken) => {
      socket.once('error', broken).once('close', () => broken(new Error('closed while it was written to')));
      socket.write(long, () => written());
    });
    const [response] = await once(socket, 'data');
    expect(String(response)).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  test('that disconnects before its whole body has arrived changes nothing and only causes a log line', async () => {
    const before = service.logged.length;
    const body = '{"reason":"Too far."}';
    const head = request(`POST /app/v1/claims/${claimId}/rejection`, {
      Authorization: `Bearer ${adjuster.token}`,
      'Content-Type': 'application/json',
      'Content-Length': String(body.length),
    });
    for (let sent = 0; sent < body.length; sent += 1)
      await sendBytes(service.url, head + body.slice(0, sent), { [sent % 2 ? 'reset' : 'halfClose']: true });
    const lines = await eventually(
      async () => service.logged.slice(before).map((line) => JSON.parse(line)),
      (logged) => logged.filter(({ message }) => message === 'request').length === body.length,
    );
    expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
    const claim = await getClaim(service, firm.live, claimId);
    expect(claim.json.assignment.status).toBe('pending_acceptance');
  });
});

describe('addresses', () => {
  test('an absolute URL is the same resource and the same idempotent request', async () => {
    for (const target of [
      'http://localhost/v1/me',
      'HTTPS://example.com:8443/v1/me',
      'http://a:99999999/v1/me',
    ]) {
      const { status } = (await answerTo(request(`GET ${target}`, bearer))) ?? {};
      expect([target, status]).toEqual([target, 200]);
    }
    expect((await answerTo(request('GET http://localhost', bearer)))?.status).toBe(302);

    const body = JSON.stringify({ adjuster_svc_id: adjuster.svcId });
    const headers = { ...json, 'Idempotency-Key': 'absolute', 'Content-Length': String(body.length) };
    const offerAt = (host: string) =>
      answerTo(request(`POST ${host}/v1/claims/${claimId}/assignment`, headers, body));
    const [plain, absolute] = [await offerAt(''), await offerAt('http://localhost')];
    expect([plain?.status, absolute?.status]).toEqual([200, 200]);
    expect(absolute?.headers.get('idempotent-replayed')).toBe('true');
    rowsBefore = await countRows(service.databaseUrl);
  });

  test.each([
    ...['//v1/claims', '/v1/claims/x/assignment/y', '/V1/claims', '/v1/claims%2f', '/v1/claims;x=1'],
    ...['/./v1/claims', '/v1/../v1/claims', '/v1', '/app/v1', '/v1/constructor', '/__proto__', '/%00'],
    `/v1/${'a'.repeat(8000)}`,
  ])('%s is not found', async (path) => {
    expectRawProblem(await answerTo(request(`GET ${path}`, bearer)), 404, 'not_found');
  });

  test('a path may have needless escapes, but no invalid ones', async () => {
    for (const path of ['/v1/%63laims', '/%761/claim%73', '/v1/claims?limit=%31'])
      expect((await answerTo(request(`GET ${path}`, bearer)))?.status).toBe(200);
    for (const part of ['%', '%zz', '%E0%A4%A', '%c3%28', '%ed%a0%80', '%ff']) {
      const invalid = await answerTo(request(`GET /v1/claims/${part}`, bearer));
      expectRawProblem(invalid, 400, 'malformed_request');
    }
  });
});

describe('methods', () => {
  test('HEAD has the status and headers of GET without the body, for successes and problems', async () => {
    for (const path of ['/v1/health', `/v1/claims/${claimId}`, '/nope']) {
      const get = await service.call('GET', path, { as: firm.live });
      const head = await sendBytes(service.url, request(`HEAD ${path}`, { ...bearer, Connection: 'close' }), {
        bodiless: true,
      });
      expect(head.responses).toHaveLength(1);
      expect(head.responses[0]?.status).toBe(get.status);
      expect(head.responses[0]?.headers.get('content-type')).toBe(get.headers.get('content-type'));
      expect(head.responses[0]?.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  test('a body is ignored for GET and validated for DELETE, and the next request on the connection works', async () => {
    const body = '{"nope":1}';
    const headers = { ...json, 'Content-Length': String(body.length) };
    const { responses } = await sendBytes(
      service.url,
      [
        request('GET /v1/me', headers, body),
        request('DELETE /v1/adjusters/invitations/nobody', headers, body),
        request('GET /v1/me', { ...bearer, 'Transfer-Encoding': 'chunked' }, '3\r\nabc\r\n0\r\n\r\n'),
        request('GET /v1/health'),
      ],
      { responses: 4 },
    );
    expect(responses.map(({ status }) => status)).toEqual([200, 422, 200, 200]);
  });
});

describe('connections', () => {
  test('a hundred pipelined requests get their responses in order', async () => {
    const requests = Array.from({ length: 100 }, (_, i) =>
      request(i % 2 === 0 ? 'GET /v1/me' : `GET /v1/claims?limit=${(i % 200) + 1}`, bearer),
    );
    const { responses } = await sendBytes(service.url, requests.join(''), { responses: 100 });
    expect(responses.map(({ body }) => Object.keys(JSON.parse(body))[0])).toEqual(
      requests.map((_, i) => (i % 2 === 0 ? 'key' : 'data')),
    );
    expect(new Set(responses.map(({ headers }) => headers.get('x-request-id'))).size).toBe(100);
  });

  test('one with more than 128 waiting requests is closed, and others are served', async () => {
    const { responses } = await sendBytes(service.url, request('GET /v1/me', bearer).repeat(200), {
      responses: 200,
    });
    expect(responses.length).toBeLessThan(200);
    expect((await service.call('GET', '/v1/health')).status).toBe(200);
  });

  test.each([
    ['without a Host header', (text: string) => text.replace(/^Host: .*\r\n/m, '')],
    ['with two Host headers', (text: string) => text.replace(/^Host: .*\r\n/m, (host) => host + host)],
  ])('a request %s gets 400 and ends the connection, with all that follows', async (_, change) => {
    const one = request('GET /v1/me', bearer);
    const { responses } = await sendBytes(service.url, change(one) + one, { responses: 2 });
    expect(responses.map(({ status }) => status)).toEqual([400]);
  });

  test('Expect: 100-continue gets 100, and other expectations are ignored', async () => {
    const headers = { ...json, 'Idempotency-Key': 'expect', 'Content-Length': '2', Expect: '100-continue' };
    const sent = request('POST /v1/claims', headers, '[]');
    const { responses } = await sendBytes(service.url, sent, { responses: 2 });
    expect(responses.map(({ status }) => status)).toEqual([100, 422]);
    const odd = await answerTo(request('GET /v1/me', { ...bearer, Expect: 'the unexpected' }));
    expect(odd?.status).toBe(200);
    expect(odd?.headers.get('x-request-id')).toBeDefined();
  });

  test('Expect: 100-continue gets no 100 if the request is rejected without its body', async () => {
    const headers = { 'Content-Type': 'application/json', Expect: '100-continue' };
    const statusOf = async (more: Record<string, string>) =>
      (await answerTo(request('POST /v1/claims', { ...headers, ...more })))?.status;
    expect(await statusOf({ 'Content-Length': '2' })).toBe(401);
    const large = { ...bearer, 'Content-Length': '2000000' };
    expect(await statusOf(large)).toBe(413);
    expect(await statusOf({ ...large, Connection: 'close' })).toBe(413);
  });

  test('a request can arrive one byte at a time', async () => {
    expect((await answerTo([...request('GET /v1/me', bearer)]))?.status).toBe(200);
  });
});

describe('a client that does not read', () => {
  test('is disconnected after the response timeout, while one that reads is not', async () => {
    const { port, hostname } = new URL(service.url);
    const before = service.logged.length;
    const socket = connect(Number(port), hostname, () => {
      socket.pause();
      socket.write(request('GET /openapi.json').repeat(200));
    });
    // The client cannot detect it without reading, but the request log shows it.
    const isAborted = (line: string): boolean => line.includes('"status":"aborted"');
    await eventually(() => service.logged.slice(before).some(isAborted));
    socket.destroy();
    const { responses } = await sendBytes(service.url, request('GET /openapi.json').repeat(20), {
      responses: 20,
    });
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  });
});

describe('without a valid key', () => {
  test('every method and path below /v1 but health gets invalid_key, known or not', async () => {
    for (const path of ['/v1', '/v1/nowhere', '/v1//claims', '/v1/healthy', '/v1/claims', '/v1/claims/%'])
      for (const method of ['GET', 'PUT', 'OPTIONS'])
        for (const headers of [{}, { Authorization: 'Bearer svc_live_unknown' }])
          expectRawProblem(await answerTo(request(`${method} ${path}`, headers)), 401, 'invalid_key');
    expectRawProblem(await answerTo(request('PUT /v1/health')), 405, 'method_not_allowed');
    for (const path of ['/v2/claims', '/V1/claims', '/v1x', '/nowhere'])
      expectRawProblem(await answerTo(request(`GET ${path}`)), 404, 'not_found');
  });
});

// The headers that integrators send by mistake are tested with the hint that each gets.
test.each<[string, string]>([
  ['an empty header', ''],
  ['a list of keys', `Bearer ${firm.live}, Bearer ${firm.live}`],
  ['a key in upper case', `Bearer ${firm.live.toUpperCase()}`],
  ['a key with one more character', `Bearer ${firm.live}x`],
  ['the prefix of the other environment', `Bearer ${firm.live.replace('live', 'test')}`],
  ['a key of 8000 characters', `Bearer svc_live_${'a'.repeat(8000)}`],
  ['characters beyond ASCII', 'Bearer svc_live_\xe9\xe8'],
])('as Authorization, %s gets 401 with WWW-Authenticate', async (_, value) => {
  for (const [path, code] of [
    ['/v1/me', 'invalid_key'],
    ['/app/v1/me', 'invalid_session'],
  ] as const) {
    const response = await answerTo(request(`GET ${path}`, { Authorization: value }));
    expectRawProblem(response, 401, code);
    expect(response?.headers.get('www-authenticate')).toBe('Bearer');
  }
});

test('a key is invalid for the app API', async () => {
  expectProblem(await service.call('GET', '/app/v1/me', { as: firm.live }), 401, 'invalid_session');
});

test('these requests stored no rows and caused no internal errors', async () => {
  expect(await countRows(service.databaseUrl)).toEqual(rowsBefore);
  expect(service.logged.filter((line) => /"level":"error"|internal_error/.test(line))).toEqual([]);
  const response = await service.call('GET', '/v1/health');
  expect([response.status, response.text]).toEqual([200, '{}']);
});
