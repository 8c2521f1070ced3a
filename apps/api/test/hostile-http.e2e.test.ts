import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { endpoints } from '@svc/contract';
import { countRows } from '../../../tools/services/count-rows.ts';
import { expectProblem, problemFault } from './problem-shape.ts';
import { type RawAnswer, request, speak } from './raw-http.ts';
import {
  claimBody,
  type ServiceUnderTest,
  sendClaim,
  startServiceUnderTest,
  type TestFirm,
} from './service-under-test.ts';

let service: ServiceUnderTest;
let firm: TestFirm;
let adjuster: { svcId: string; token: string };
let claimId: string;
let bearer: { Authorization: string };
let rowsBefore: Record<string, number>;

beforeAll(async () => {
  service = await startServiceUnderTest({
    env: { HEADERS_TIMEOUT_MS: '400', REQUEST_TIMEOUT_MS: '900', RESPONSE_TIMEOUT_MS: '900' },
  });
  firm = await service.firm();
  adjuster = await service.member(firm);
  claimId = (await sendClaim(service, firm.live, claimBody(adjuster.svcId))).json.id;
  bearer = { Authorization: `Bearer ${firm.live}` };
  rowsBefore = await countRows(service.databaseUrl);
});
afterAll(() => service.stop());

function expectRawProblem(answer: RawAnswer | undefined, status: number, code: string): void {
  expect({ status: answer?.status, body: answer?.body }).toMatchObject({ status });
  expect(JSON.parse(answer?.body ?? '')).toMatchObject({ status, code });
  expect(problemFault(status, (name) => answer?.headers.get(name), answer?.body ?? '')).toBeNull();
}

/** What makes a connection useless gets a problem as the last thing it hears. */
async function expectHungUpOn(bytes: string | Uint8Array, status: number, code: string): Promise<void> {
  const { answers, ended } = await speak(service.url, bytes);
  expect({ count: answers.length, ended }).toEqual({ count: 1, ended: true });
  expectRawProblem(answers[0], status, code);
  expect(answers[0]?.headers.get('connection')).toBe('close');
}

const lineOf = (id: string): string[] => service.logged.filter((line) => line.includes(id));

describe('HTTP that is none', () => {
  test.each([
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['an HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a version that does not exist', 'GET /v1/health HTTP/9.9\r\nHost: x\r\n\r\n'],
    ['an unknown method', request('BREW /v1/health')],
    ['a method in small letters', request('get /v1/health')],
    ['a line feed in the path', 'GET /v1/he\nalth HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a control character in the path', 'GET /v1/\x01health HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a target that is no path', 'GET v1/health HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a header without a colon', 'GET /v1/health HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n'],
    ['a header with a blank before the colon', 'GET /v1/health HTTP/1.1\r\nHost: x\r\nA : b\r\n\r\n'],
    ['a header with U+0000 in it', 'GET /v1/health HTTP/1.1\r\nHost: x\r\nA: b\x00c\r\n\r\n'],
    ['a length that is no number', request('POST /v1/claims', { 'Content-Length': 'many' })],
    ['a negative length', request('POST /v1/claims', { 'Content-Length': '-1' })],
    ['a length beyond all numbers', request('POST /v1/claims', { 'Content-Length': '9'.repeat(40) })],
    [
      'two lengths',
      'POST /v1/claims HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n[]',
    ],
    [
      'a length and chunks',
      request('POST /v1/claims', { 'Content-Length': '2', 'Transfer-Encoding': 'chunked' }, '[]'),
    ],
    ['an unknown transfer encoding', request('POST /v1/claims', { 'Transfer-Encoding': 'rot13' }, '[]')],
  ])('%s is answered as a malformed request, once, and the connection closed', (_, bytes) =>
    expectHungUpOn(bytes, 400, 'malformed_request'),
  );

  test('a chunk that is none is answered on the request it belongs to', async () => {
    const headers = { ...bearer, 'Idempotency-Key': 'k', 'Content-Type': 'application/json' };
    const { answers, ended } = await speak(
      service.url,
      request('POST /v1/claims', { ...headers, 'Transfer-Encoding': 'chunked' }, 'nonsense\r\n'),
    );
    expect(ended).toBe(true);
    expectRawProblem(answers[0], 400, 'malformed_request');
    await pause(50);
    expect(lineOf(answers[0]?.headers.get('x-request-id') ?? '?')).toHaveLength(1);
  });

  test('headers beyond 16 KB are refused as such, in one header, in many, or in the address', async () => {
    await expectHungUpOn(request('GET /v1/health', { A: 'b'.repeat(17_000) }), 431, 'headers_too_large');
    const many = Object.fromEntries(Array.from({ length: 1500 }, (_, i) => [`X-Header-${i}`, 'x']));
    await expectHungUpOn(request('GET /v1/health', many), 431, 'headers_too_large');
    await expectHungUpOn(request(`GET /${'a'.repeat(20_000)}`), 431, 'headers_too_large');
    await expectHungUpOn(
      request(`GET /v1/claims?external_id=${'a'.repeat(200_000)}`),
      431,
      'headers_too_large',
    );
  });

  test('HTTP/1.1 without a Host is malformed, HTTP/1.0 without one is served', async () => {
    const without = await speak(service.url, 'GET /v1/health HTTP/1.1\r\n\r\n', { answers: 1 });
    expectRawProblem(without.answers[0], 400, 'malformed_request');
    const old = await speak(service.url, 'GET /v1/health HTTP/1.0\r\n\r\n');
    expect([old.answers[0]?.status, old.answers[0]?.body, old.ended]).toEqual([200, '{}', true]);
  });

  test('a header Host or Idempotency-Key that is sent twice is malformed, also with the same value', async () => {
    const hosts = await speak(service.url, request('GET /v1/health', { host: 'localhost' }), { answers: 1 });
    expectRawProblem(hosts.answers[0], 400, 'malformed_request');
    const headers = { ...bearer, 'Content-Type': 'application/json', 'Content-Length': '2' };
    for (const path of ['/v1/claims', `/v1/claims/${claimId}/assignment`]) {
      const keys = { ...headers, 'Idempotency-Key': 'k', 'idempotency-key': 'k' };
      const { answers } = await speak(service.url, request(`POST ${path}`, keys, '[]'), { answers: 1 });
      expectRawProblem(answers[0], 400, 'malformed_request');
      const once = { ...headers, 'Idempotency-Key': 'k' };
      const single = await speak(service.url, request(`POST ${path}`, once, '[]'), { answers: 1 });
      expectRawProblem(single.answers[0], 422, 'validation_failed');
    }
  });

  test('a tunnel is refused, and a wish to change the protocol passed over', async () => {
    const tunnel = await speak(service.url, request('CONNECT example.com:443'));
    expectRawProblem(tunnel.answers[0], 405, 'method_not_allowed');
    expect(tunnel.answers[0]?.headers.get('allow')).toContain('GET');
    const upgrade = { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13' };
    const { answers } = await speak(service.url, request('GET /v1/health', upgrade), { answers: 1 });
    expect(answers[0]?.status).toBe(200);
    const h2c = {
      Connection: 'Upgrade, HTTP2-Settings',
      Upgrade: 'h2c',
      'HTTP2-Settings': 'AAMAAABkAARAAAAAAAIAAAAA',
    };
    expect(
      (await speak(service.url, request('GET /v1/health', h2c), { answers: 1 })).answers[0]?.status,
    ).toBe(200);
  });

  test('a failure after a whole request does not spoil its answer', async () => {
    const { answers, ended } = await speak(service.url, `${request('GET /v1/me', bearer)}nonsense\r\n\r\n`);
    expect(answers.map(({ status }) => status)).toEqual([200, 400]);
    expect(ended).toBe(true);
    expectRawProblem(answers[1], 400, 'malformed_request');
  });
});

describe('a client that is too slow', () => {
  test('is told so and cut off when its headers do not end', async () => {
    await expectHungUpOn('GET /v1/health HTTP/1.1\r\nHost: x\r\nA: b', 408, 'request_timeout');
  });

  test('is cut off when it says nothing at all', async () => {
    expect((await speak(service.url, '')).ended).toBe(true);
  });

  test('is told so on its own request when the body does not end', async () => {
    const headers = { ...bearer, 'Idempotency-Key': 'slow', 'Content-Type': 'application/json' };
    await expectHungUpOn(
      request('POST /v1/claims', { ...headers, 'Content-Length': '100' }, '{'),
      408,
      'request_timeout',
    );
  });

  test('learns of a refusal before it has sent the body', async () => {
    const head = request('POST /v1/claims', { 'Content-Type': 'application/json', 'Content-Length': '1000' });
    expectRawProblem((await speak(service.url, head, { answers: 1 })).answers[0], 401, 'invalid_key');
    const large = request('POST /v1/claims', {
      ...bearer,
      'Idempotency-Key': 'large',
      'Content-Type': 'application/json',
      'Content-Length': '1048577',
    });
    expectRawProblem((await speak(service.url, large, { answers: 1 })).answers[0], 413, 'payload_too_large');
  });

  test('is heard out first where its connection ends with the answer', async () => {
    const head = {
      ...bearer,
      'Idempotency-Key': 'long',
      'Content-Type': 'application/json',
      Connection: 'close',
    };
    const long = request('POST /v1/claims', { ...head, 'Content-Length': '6000000' }, ' '.repeat(6_000_000));
    const { port, hostname } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    // As many clients do: nothing is read before everything is written.
    await new Promise<void>((written, broken) => {
      socket.once('error', broken).once('close', () => broken(new Error('closed while it was written to')));
      socket.write(long, () => written());
    });
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  test('that hangs up in the middle of a body leaves nothing behind but a line in the log', async () => {
    const before = service.logged.length;
    const headers = { ...bearer, 'Idempotency-Key': 'gone', 'Content-Type': 'application/json' };
    const head = request('POST /v1/claims', { ...headers, 'Content-Length': '1000' }, '{"external_id":"half');
    await speak(service.url, head, { hangUp: true });
    await pause(100);
    const lines = service.logged.slice(before).map((line) => JSON.parse(line));
    expect(lines.filter(({ message }) => message === 'request')).toHaveLength(1);
    expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('addresses', () => {
  test('one that names the host as well leads to the same place, and the same idempotent request', async () => {
    for (const target of [
      'http://localhost/v1/me',
      'HTTPS://example.com:8443/v1/me',
      'http://a:99999999/v1/me',
    ]) {
      const { answers } = await speak(service.url, request(`GET ${target}`, bearer), { answers: 1 });
      expect([target, answers[0]?.status]).toEqual([target, 200]);
    }
    const bare = await speak(service.url, request('GET http://localhost', bearer), { answers: 1 });
    expectRawProblem(bare.answers[0], 404, 'not_found');

    const body = JSON.stringify({ adjuster_svc_id: adjuster.svcId });
    const headers = {
      ...bearer,
      'Idempotency-Key': 'absolute',
      'Content-Type': 'application/json',
      'Content-Length': String(body.length),
    };
    const plain = await speak(service.url, request(`POST /v1/claims/${claimId}/assignment`, headers, body), {
      answers: 1,
    });
    const absolute = await speak(
      service.url,
      request(`POST http://localhost/v1/claims/${claimId}/assignment`, headers, body),
      { answers: 1 },
    );
    expect([plain.answers[0]?.status, absolute.answers[0]?.status]).toEqual([200, 200]);
    expect(absolute.answers[0]?.headers.get('idempotent-replayed')).toBe('true');
    rowsBefore = await countRows(service.databaseUrl);
  });

  test.each([
    '//v1/claims',
    '/v1//claims',
    '/v1/claims/',
    '/v1/me/',
    '/v1/health/',
    '/V1/claims',
    '/v1/Claims',
    '/v1/%63laims',
    '/v1/claims%2f',
    '/v1/claims;x=1',
    '/./v1/claims',
    '/v1/../v1/claims',
    '/v2/claims',
    '/v1',
    '/',
    '/app/v1',
    '/app/v1/Me',
    '/v1/constructor',
    '/__proto__',
    '/v1/adjusters/invitations/',
    '/.env',
    '/%00',
    `/v1/${'a'.repeat(8000)}`,
  ])('%s is no part of the interface', async (path) => {
    const { answers } = await speak(service.url, request(`GET ${path}`, bearer), { answers: 1 });
    expectRawProblem(answers[0], 404, 'not_found');
  });

  test.each(['%', '%zz', '%E0%A4%A', '%c3%28', '%ed%a0%80', '%ff', 'a%', '%2'])(
    'the percent-escape in the last part of /v1/claims/%j is malformed, not an error of ours',
    async (part) => {
      const read = await speak(service.url, request(`GET /v1/claims/${part}`, bearer), { answers: 1 });
      expectRawProblem(read.answers[0], 400, 'malformed_request');
      const withdrawn = await speak(
        service.url,
        request(`DELETE /v1/adjusters/invitations/${part}`, bearer),
        {
          answers: 1,
        },
      );
      expectRawProblem(withdrawn.answers[0], 400, 'malformed_request');
      const device = await speak(
        service.url,
        request(`DELETE /app/v1/devices/${part}`, { Authorization: `Bearer ${adjuster.token}` }),
        { answers: 1 },
      );
      expectRawProblem(device.answers[0], 400, 'malformed_request');
    },
  );

  test.each([
    '%00',
    'null',
    'undefined',
    '1',
    '%27',
    `${'f'.repeat(8)}-0000`,
    '00000000-0000-0000-0000-00000000000g',
  ])(
    'a path id %j that is no uuid is a mistake at that parameter, on every path that takes one',
    async (id) => {
      const calls: [string, string, string | undefined, string][] = [
        ['GET', `/v1/claims/${id}`, firm.live, 'id'],
        ['GET', `/app/v1/claims/${id}`, adjuster.token, 'id'],
        ['POST', `/app/v1/claims/${id}/acceptance`, adjuster.token, 'id'],
        ['POST', `/app/v1/claims/${id}/closure`, adjuster.token, 'id'],
        ['POST', `/app/v1/invitations/${id}/acceptance`, adjuster.token, 'firm_id'],
        ['POST', `/app/v1/invitations/${id}/decline`, adjuster.token, 'firm_id'],
        ['DELETE', `/app/v1/firms/${id}/membership`, adjuster.token, 'firm_id'],
      ];
      for (const [method, path, as, parameter] of calls) {
        const answer = await service.call(method, path, { ...(as !== undefined && { as }) });
        expectProblem(answer, 422, 'validation_failed');
        expect(answer.json.errors).toEqual([{ detail: expect.any(String), parameter }]);
      }
    },
  );

  test('U+0000 in a path parameter of text is a mistake at that parameter', async () => {
    const withdrawn = await service.call('DELETE', '/v1/adjusters/invitations/a%00b', { as: firm.live });
    expectProblem(withdrawn, 422, 'validation_failed');
    expect(withdrawn.json.errors).toEqual([{ detail: expect.any(String), parameter: 'svc_id' }]);
    const device = await service.call('DELETE', '/app/v1/devices/%00', { as: adjuster.token });
    expect(device.json.errors).toEqual([{ detail: expect.any(String), parameter: 'device_id' }]);
  });
});

describe('queries', () => {
  test.each([
    ['limit=1&limit=1', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['external_id=a&external_id=a', 'external_id'],
    ['limit[]=1', 'limit[]'],
    ['limit%5B%5D=1', 'limit[]'],
    ['limit.x=1', 'limit.x'],
    ['__proto__=1', '__proto__'],
    ['__proto__[admin]=1', '__proto__[admin]'],
    ['constructor=1', 'constructor'],
    ['toString=1', 'toString'],
    ['Limit=1', 'Limit'],
    ['limit =1', 'limit '],
    ['external_id=%00', 'external_id'],
    ['external_id=a%00b', 'external_id'],
    ['external_id=%ed%a0%80', 'external_id'],
    ['external_id=%', 'external_id'],
    ['external_id=%zz', 'external_id'],
    ['external_id=%ff', 'external_id'],
    ['cursor=%c0%80', 'cursor'],
    ['limit=0x10', 'limit'],
    ['limit=1e2', 'limit'],
    ['limit=+5', 'limit'],
    ['limit=５', 'limit'],
    ['limit=', 'limit'],
    ['limit', 'limit'],
    ['updated_since=now', 'updated_since'],
    ['assignment_status=constructor', 'assignment_status'],
    [`cursor=${'a'.repeat(513)}`, 'cursor'],
    [`external_id=${'a'.repeat(9000)}`, 'external_id'],
  ])('?%s is one mistake, at its parameter', async (query, parameter) => {
    const answer = await service.call('GET', `/v1/claims?${query}`, { as: firm.live });
    expectProblem(answer, 422, 'validation_failed');
    expect(answer.json.errors).toEqual([{ detail: expect.any(String), parameter }]);
  });

  test('a name that cannot be read is still named, and every mistake is', async () => {
    const answer = await service.call('GET', '/v1/claims?%=1&limit=0&nope=2&cursor=', { as: firm.live });
    expectProblem(answer, 422, 'validation_failed');
    expect(answer.json.errors.map((item: { parameter: string }) => item.parameter).sort()).toEqual(
      ['%', 'cursor', 'limit', 'nope'].sort(),
    );
  });

  test('of a thousand unknown parameters the first hundred are listed, without a key the first twenty', async () => {
    const query = Array.from({ length: 1500 }, (_, i) => `p${i}=1`).join('&');
    const answer = await service.call('GET', `/v1/claims?${query}`, { as: firm.live });
    expectProblem(answer, 422, 'validation_failed');
    expect(answer.json.errors).toHaveLength(100);
    expect(answer.json.detail).toBe('1500 validation errors. The first 100 are listed.');
    const open = await service.call('GET', `/v1/health?${query}`);
    expectProblem(open, 422, 'validation_failed');
    expect(open.json.errors).toHaveLength(20);
    expect(open.text.length).toBeLessThan(20_000);
  });

  test('empty pairs say nothing', async () => {
    for (const query of ['?', '?&', '?&&limit=1&'])
      expect((await service.call('GET', `/v1/claims${query}`, { as: firm.live })).status).toBe(200);
  });

  test('no operation takes a parameter it does not know, the ones without parameters included', async () => {
    const fill = (path: string): string =>
      path
        .replace('{id}', claimId)
        .replace('{firm_id}', firm.id)
        .replace(/\{\w+\}/, 'x');
    for (const { method, path, auth } of Object.values(endpoints)) {
      const as = auth === 'key' ? firm.live : auth === 'session' ? adjuster.token : undefined;
      const answer = await service.call(method, `${fill(path)}?nope=1`, {
        ...(as !== undefined && { as }),
        ...(method !== 'GET' && method !== 'DELETE' && { body: { nope: 1 } }),
      });
      expect([method, path, answer.status]).toEqual([method, path, 422]);
      expectProblem(answer, 422, 'validation_failed');
      expect(answer.json.errors).toContainEqual({ detail: expect.any(String), parameter: 'nope' });
    }
  });
});

describe('methods', () => {
  test('every path answers each method it does not have with those it has', async () => {
    const byPath = new Map<string, Set<string>>();
    for (const { method, path } of Object.values(endpoints))
      byPath.set(path, (byPath.get(path) ?? new Set()).add(method));
    for (const [path, methods] of byPath) {
      const allowed = [...methods, ...(methods.has('GET') ? ['HEAD'] : [])].sort();
      for (const method of [
        'GET',
        'POST',
        'PUT',
        'PATCH',
        'DELETE',
        'OPTIONS',
        'TRACE',
        'PROPFIND',
        'PURGE',
        'LINK',
      ]) {
        if (methods.has(method as 'GET')) continue;
        const target = path.replace('{id}', claimId).replace(/\{\w+\}/, firm.id);
        const { answers } = await speak(service.url, request(`${method} ${target}`, bearer), { answers: 1 });
        expectRawProblem(answers[0], 405, 'method_not_allowed');
        expect(answers[0]?.headers.get('allow')?.split(', ').sort()).toEqual(allowed);
      }
    }
  });

  test('HEAD is GET without the body, with the same status, for answers and problems', async () => {
    for (const path of [
      '/v1/health',
      '/v1/me',
      '/v1/claims?limit=1',
      '/v1/adjusters',
      `/v1/claims/${claimId}`,
      '/nope',
    ]) {
      const got = await service.call('GET', path, { as: firm.live });
      const head = await speak(service.url, request(`HEAD ${path}`, { ...bearer, Connection: 'close' }), {
        bodiless: true,
      });
      expect(head.answers).toHaveLength(1);
      expect(head.answers[0]?.status).toBe(got.status);
      expect(head.answers[0]?.headers.get('content-type')).toBe(got.headers.get('content-type'));
      expect(head.answers[0]?.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  test('a body on GET is passed over, one on DELETE is not, and the next request of the connection is understood', async () => {
    const body = '{"nope":1}';
    const headers = { ...bearer, 'Content-Type': 'application/json', 'Content-Length': String(body.length) };
    const { answers } = await speak(
      service.url,
      [
        request('GET /v1/me', headers, body),
        request('DELETE /v1/adjusters/invitations/nobody', headers, body),
        request('GET /v1/me', { ...bearer, 'Transfer-Encoding': 'chunked' }, '3\r\nabc\r\n0\r\n\r\n'),
        request('GET /v1/health'),
      ],
      { answers: 4 },
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 422, 200, 200]);
  });

  test('a method named in a header does not count', async () => {
    const headers = { ...bearer, 'X-HTTP-Method-Override': 'DELETE', 'X-Method-Override': 'DELETE' };
    const { answers } = await speak(service.url, request('GET /v1/me', headers), { answers: 1 });
    expect(answers[0]?.status).toBe(200);
  });
});

describe('connections', () => {
  test('a hundred requests sent without waiting are answered in their order', async () => {
    const requests = Array.from({ length: 100 }, (_, i) =>
      request(i % 2 === 0 ? 'GET /v1/me' : `GET /v1/claims?limit=${(i % 200) + 1}`, bearer),
    );
    const { answers } = await speak(service.url, requests.join(''), { answers: 100 });
    expect(answers.map(({ body }) => Object.keys(JSON.parse(body))[0])).toEqual(
      requests.map((_, i) => (i % 2 === 0 ? 'key' : 'data')),
    );
    expect(new Set(answers.map(({ headers }) => headers.get('x-request-id'))).size).toBe(100);
  });

  test('a client that asks whether to go on is told to; one that expects anything else is served as usual', async () => {
    const body = '[]';
    const headers = {
      ...bearer,
      'Idempotency-Key': 'expect',
      'Content-Type': 'application/json',
      'Content-Length': String(body.length),
    };
    const asked = await speak(
      service.url,
      request('POST /v1/claims', { ...headers, Expect: '100-continue' }, body),
      {
        answers: 2,
      },
    );
    expect(asked.answers.map(({ status }) => status)).toEqual([100, 422]);
    const odd = await speak(service.url, request('GET /v1/me', { ...bearer, Expect: 'the unexpected' }), {
      answers: 1,
    });
    expect(odd.answers[0]?.status).toBe(200);
    expect(odd.answers[0]?.headers.get('x-request-id')).toBeDefined();
  });

  test('one byte at a time is as good as all at once', async () => {
    const bytes = [...request('GET /v1/me', bearer)];
    const { answers } = await speak(service.url, bytes, { answers: 1 });
    expect(answers[0]?.status).toBe(200);
  });

  test('a length that says more than comes waits for the rest and takes it from nobody else', async () => {
    const headers = { ...bearer, 'Idempotency-Key': 'lie', 'Content-Type': 'application/json' };
    const { answers } = await speak(
      service.url,
      request('POST /v1/claims', { ...headers, 'Content-Length': '50' }, '[]'),
    );
    expect(answers.map(({ status }) => status)).toEqual([408]);
  });

  test('a length that says less than comes cuts the body there, and the rest is no request', async () => {
    const headers = { ...bearer, 'Idempotency-Key': 'lie', 'Content-Type': 'application/json' };
    const { answers, ended } = await speak(
      service.url,
      request('POST /v1/claims', { ...headers, 'Content-Length': '2' }, '[]garbage\r\n\r\n'),
    );
    expect(answers.map(({ status }) => status)).toEqual([422, 400]);
    expect(ended).toBe(true);
  });
});

describe('a client that does not read', () => {
  test('loses its connection when it has not taken a response in time; one that reads keeps it', async () => {
    const { port, hostname } = new URL(service.url);
    const before = service.logged.length;
    const socket = connect(Number(port), hostname, () => {
      socket.pause();
      socket.write(request('GET /openapi.json').repeat(200));
    });
    // The client cannot tell while it does not read: the log of requests does.
    const isAborted = (line: string): boolean => line.includes('"status":"aborted"');
    while (!service.logged.slice(before).some(isAborted)) await pause(25);
    socket.destroy();
    const { answers } = await speak(service.url, request('GET /openapi.json').repeat(20), { answers: 20 });
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  });
});

describe('without a valid key', () => {
  test('every path below /v1 but health is invalid_key, whatever its method and whether it exists', async () => {
    for (const path of [
      '/v1',
      '/v1/',
      '/v1?x=1',
      '/v1/nowhere',
      '/v1//claims',
      '/v1/health/',
      '/v1/healthy',
      '/v1/claims/%',
      '/v1/%zz',
      `/v1/claims/${claimId}/nothing`,
    ]) {
      for (const method of ['GET', 'POST', 'PATCH', 'OPTIONS', 'DELETE']) {
        for (const headers of [{}, { Authorization: 'Bearer svc_live_unknown' }]) {
          const { answers } = await speak(service.url, request(`${method} ${path}`, headers), { answers: 1 });
          expectRawProblem(answers[0], 401, 'invalid_key');
        }
      }
    }
    for (const path of ['/v1/claims', '/v1/me', '/v1/adjusters/invitations'])
      expectRawProblem(
        (await speak(service.url, request(`PUT ${path}`), { answers: 1 })).answers[0],
        401,
        'invalid_key',
      );
    const health = await speak(service.url, request('PUT /v1/health'), { answers: 1 });
    expectRawProblem(health.answers[0], 405, 'method_not_allowed');
    for (const path of ['/v2/claims', '/V1/claims', '/v1x', '/nowhere'])
      expectRawProblem(
        (await speak(service.url, request(`GET ${path}`), { answers: 1 })).answers[0],
        404,
        'not_found',
      );
  });

  test('and a valid key learns what is wrong with the path, at the cost of a request', async () => {
    const limited = await service.firm({ limited: true });
    const codes: number[] = [];
    for (let asked = 0; asked < 21; asked++)
      codes.push((await service.call('GET', '/v1/nowhere', { as: limited.test })).status);
    expect(codes).toEqual([...Array.from({ length: 20 }, () => 404), 429]);
    rowsBefore = await countRows(service.databaseUrl);
  });
});

describe('the key in the header', () => {
  test.each([
    ['no header', undefined],
    ['an empty one', ''],
    ['another scheme', 'Basic c3ZjOng='],
    ['no key', 'Bearer'],
    ['a blank for a key', 'Bearer  '],
    ['two keys', 'Bearer a b'],
    ['a key of 8000 letters', `Bearer svc_live_${'a'.repeat(8000)}`],
    ['letters beyond ASCII', 'Bearer svc_live_\xe9\xe8'],
    ['junk after a prefix', `Bearer svc_live_${'0'.repeat(49)}`],
  ])('%s is refused with 401 and the way to sign in', async (_, value) => {
    for (const path of ['/v1/me', '/v1/claims', '/app/v1/me']) {
      const { answers } = await speak(
        service.url,
        request(`GET ${path}`, value === undefined ? {} : { Authorization: value }),
        { answers: 1 },
      );
      expectRawProblem(answers[0], 401, path.startsWith('/app') ? 'invalid_session' : 'invalid_key');
      expect(answers[0]?.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  test('a key opens nothing in the app, a session nothing for the firm', async () => {
    expectProblem(await service.call('GET', '/app/v1/me', { as: firm.live }), 401, 'invalid_session');
    expectProblem(await service.call('GET', '/v1/me', { as: adjuster.token }), 401, 'invalid_key');
  });

  test('a name in the answer is the one we gave it, whatever the client asks for', async () => {
    const answer = await service.call('GET', '/nope', { headers: { 'X-Request-Id': 'mine\town' } });
    expectProblem(answer, 404, 'not_found');
    expect(answer.json.request_id).toMatch(/^[0-9a-f-]{36}$/);
  });
});

test('none of it left a row behind or made the service fail', async () => {
  expect(await countRows(service.databaseUrl)).toEqual(rowsBefore);
  expect(service.logged.filter((line) => /"level":"error"|internal_error/.test(line))).toEqual([]);
  const answer = await service.call('GET', '/v1/health');
  expect([answer.status, answer.text]).toEqual([200, '{}']);
});
