import { connect } from 'node:net';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Endpoint, type EndpointId, EXAMPLES, endpoints, LIMITS } from '@svc/contract';
import { countRows } from '../../../tools/services/count-rows.ts';
import { expectProblem } from './problem-shape.ts';
import { request, sendBytes } from './raw-http.ts';
import {
  type ApiResponse,
  claimBody,
  type ServiceUnderTest,
  startServiceUnderTest,
  type TestFirm,
} from './service-under-test.ts';

const MEGABYTE = 1_048_576;

/** The maximum size of a body, in bytes. */
const sizeOf = ({ as }: Target): number => (as === undefined ? 4096 : MEGABYTE);

const SPACES = Buffer.alloc(30 * MEGABYTE, ' ');
const COMPRESSORS = [
  ['gzip', gzipSync, gzipSync(SPACES)],
  ['deflate', deflateSync, deflateSync(SPACES)],
  ['br', brotliCompressSync, brotliCompressSync(SPACES, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })],
] as const;

/** An operation that takes a body. */
interface Target {
  readonly method: string;
  readonly path: string;
  readonly as?: string;
  readonly headers?: Record<string, string>;
  readonly body: Record<string, unknown>;
}

const WITH_BODY = (Object.values(endpoints) as Endpoint[]).filter(({ body }) => body !== undefined);
const NAMES = WITH_BODY.map(({ method, path }) => `${method} ${path}`);

let service: ServiceUnderTest;
let firm: TestFirm;
let targets: Record<string, Target>;
let rowsBefore: Record<string, number>;
let rejectedForMemory = false;

beforeAll(async () => {
  service = await startServiceUnderTest();
  firm = await service.firm();
  const { token } = await service.member(firm);
  const staff = await service.staff(firm);
  targets = Object.fromEntries(
    WITH_BODY.map(({ method, path, auth, id, headers, ...endpoint }) => {
      const { params = {}, body } = EXAMPLES[id as EndpointId];
      const key = 'sandbox' in endpoint ? firm.test : firm.live;
      const as = { key, session: token, staff, none: undefined }[auth];
      const target: Target = {
        method,
        path: path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? ''),
        ...(as !== undefined && { as }),
        ...(headers !== undefined && { headers: { 'Idempotency-Key': 'hostile' } }),
        body: body as Record<string, unknown>,
      };
      return [`${method} ${path}`, target];
    }),
  );
  rowsBefore = await countRows(service.databaseUrl);
});

afterAll(() => service.stop());

const target = (name: string): Target => {
  const found = targets[name];
  if (found === undefined) throw new Error(`${name} has no target here`);
  return found;
};

const send = (
  { method, path, as, headers }: Target,
  raw: string | Uint8Array,
  more: Record<string, string> = {},
): Promise<ApiResponse> =>
  service.call(method, path, { ...(as !== undefined && { as }), raw, headers: { ...headers, ...more } });

/** The body with one more member as text, since JSON.stringify cannot write every case. */
const withMember = (body: object, member: string): string =>
  `${JSON.stringify(body).slice(0, -1)},${member}}`;

/** Sends an invalid body, and returns the pointers of the errors. */
async function errorsOf(name: string, raw: string): Promise<string[]> {
  const response = await send(target(name), raw);
  expectProblem(response, 422, 'validation_failed');
  return response.json.errors.map((item: { pointer: string }) => item.pointer);
}

describe.each(NAMES)('%s', (name) => {
  test('rejects a body that is incomplete, has a duplicate member, or is not declared as JSON', async () => {
    const { body } = target(name);
    for (const raw of ['{"svc_id":', withMember(body, '"x":1,"x":1')])
      expectProblem(await send(target(name), raw), 400, 'malformed_request');
    const type = { 'Content-Type': 'text/plain' };
    expectProblem(await send(target(name), JSON.stringify(body), type), 400, 'malformed_request');
  });

  test('rejects an array, a field named like a member of Object.prototype, and U+0000 in names and values', async () => {
    const { body } = target(name);
    expect(await errorsOf(name, '[]')).toContain('');
    expect(await errorsOf(name, withMember(body, '"__proto__":{"admin":true}'))).toEqual(['/__proto__']);
    expect(await errorsOf(name, withMember(body, '"\\u0000":1'))).toHaveLength(1);
    for (const field of Object.keys(body).filter((field) => typeof body[field] === 'string'))
      await errorsOf(name, JSON.stringify({ ...body, [field]: 'a\0b' }));
  });

  test('decompresses bodies, and rejects unknown encodings', async () => {
    const as = { 'Content-Encoding': 'gzip' };
    expectProblem(await send(target(name), gzipSync('[]'), as), 422, 'validation_failed');
    const unknown = { 'Content-Encoding': 'zip' };
    expectProblem(await send(target(name), '[]', unknown), 400, 'malformed_request');
  });

  test('rejects a body of one byte more than the maximum', async () => {
    const large = `[]${' '.repeat(sizeOf(target(name)) - 1)}`;
    expectProblem(await send(target(name), large), 413, 'payload_too_large');
  });
});

/** Bodies of all operations are read by one function; these differ in the caller, the maximum and an optional body. */
const READ_DIFFERENTLY = [
  'POST /v1/claims',
  'PATCH /app/v1/me',
  'POST /app/v1/sessions',
  'POST /app/v1/claims/{id}/rejection',
];

describe.each(READ_DIFFERENTLY)('%s', (name) => {
  test('rejects every Content-Type but JSON in UTF-8', async () => {
    const validText = JSON.stringify(target(name).body);
    for (const type of [
      'text/plain',
      'text/json',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonp',
      'application/json-patch',
      'application/json-patch+json',
      'application/vnd.api+json',
      'application/octet-stream',
      'json',
      '*/*',
      'application/json, text/plain',
      'application/json; charset=utf-16',
      'application/json; charset=iso-8859-1',
      'application/json; charset="latin1"',
    ]) {
      expectProblem(await send(target(name), validText, { 'Content-Type': type }), 400, 'malformed_request');
    }
    const { method, path, as, headers } = target(name);
    const untyped = await sendBytes(
      service.url,
      request(
        `${method} ${path}`,
        { ...(as !== undefined && { Authorization: `Bearer ${as}` }), 'Content-Length': '2', ...headers },
        '[]',
      ),
      { responses: 1 },
    );
    expect(JSON.parse(untyped.responses[0]?.body ?? '')).toMatchObject({
      status: 400,
      code: 'malformed_request',
    });
  });

  test('accepts variants of the JSON Content-Type, and a byte order mark', async () => {
    for (const type of [
      'application/json; charset=utf-8',
      'application/json;charset="UTF-8"',
      'Application/JSON',
      'application/json; charset=utf8; x=y',
    ]) {
      expectProblem(await send(target(name), '[]', { 'Content-Type': type }), 422, 'validation_failed');
    }
    expectProblem(await send(target(name), '\ufeff[]'), 422, 'validation_failed');
  });

  test('accepts a body byte by byte up to the maximum number of chunks, and no more', async () => {
    const { method, path, as, headers } = target(name);
    const head = request(`${method} ${path}`, {
      ...(as !== undefined && { Authorization: `Bearer ${as}` }),
      'Content-Type': 'application/json',
      'Transfer-Encoding': 'chunked',
      ...headers,
    });
    const most = as === undefined ? LIMITS.openSmallChunks : LIMITS.smallChunks;
    const statusOf = async (body: string): Promise<{ status: number }> => {
      const chunks = [...body].map((byte) => `1\r\n${byte}\r\n`).join('');
      const { responses } = await sendBytes(service.url, [head, chunks, '0\r\n\r\n'], { responses: 1 });
      const problem = JSON.parse(responses[0]?.body ?? '');
      // The test of another operation has used up what this caller may send in a second.
      return problem.status === 503 ? statusOf(body) : problem;
    };
    expect(await statusOf('[]'.padEnd(most))).toMatchObject({ status: 422 });
    expect(await statusOf('[]'.padEnd(most + 1))).toMatchObject({ status: 400, code: 'malformed_request' });
  });

  test('accepts a body of exactly the maximum size, and rejects one byte more, with and without Content-Length', async () => {
    const most = sizeOf(target(name));
    const full = `[]${' '.repeat(most - 2)}`;
    expectProblem(await send(target(name), full), 422, 'validation_failed');
    expectProblem(await send(target(name), `${full} `), 413, 'payload_too_large');

    const { method, path, as, headers } = target(name);
    const head = request(`${method} ${path}`, {
      ...(as !== undefined && { Authorization: `Bearer ${as}` }),
      'Content-Type': 'application/json',
      'Transfer-Encoding': 'chunked',
      ...headers,
    });
    const chunk = (size: number): string => `${size.toString(16)}\r\n${' '.repeat(size)}\r\n`;
    const piece = most / 16;
    const chunks = [head, '2\r\n[]\r\n', ...Array.from({ length: 15 }, () => chunk(piece)), chunk(piece - 2)];
    const read = await sendBytes(service.url, [...chunks, '0\r\n\r\n'], { responses: 1 });
    expect(read.responses[0]?.status).toBe(422);
    const failed = await sendBytes(service.url, [...chunks, chunk(1), '0\r\n\r\n'], { responses: 1 });
    expect(JSON.parse(failed.responses[0]?.body ?? '')).toMatchObject({
      status: 413,
      code: 'payload_too_large',
    });
  });

  test('decompresses bodies up to the maximum size, and rejects invalid or unknown encodings', async () => {
    for (const [encoding, compress, bomb] of COMPRESSORS) {
      const as = { 'Content-Encoding': encoding };
      expectProblem(await send(target(name), compress('[]'), as), 422, 'validation_failed');
      expect(bomb.length).toBeLessThan(MEGABYTE);
      expectProblem(await send(target(name), bomb, as), 413, 'payload_too_large');
      const small = compress(' '.repeat(sizeOf(target(name)) + 1));
      expect(small.length).toBeLessThan(4096);
      expectProblem(await send(target(name), small, as), 413, 'payload_too_large');
      expectProblem(await send(target(name), '[]', as), 400, 'malformed_request');
      expectProblem(await send(target(name), compress('[]').subarray(0, -3), as), 400, 'malformed_request');
    }
    for (const encoding of ['x-gzip', 'GZIP', 'identity, gzip']) {
      const as = { 'Content-Encoding': encoding };
      expectProblem(await send(target(name), gzipSync('[]'), as), 422, 'validation_failed');
    }
    for (const encoding of ['', ' ', 'identity'])
      expectProblem(
        await send(target(name), '[]', { 'Content-Encoding': encoding }),
        422,
        'validation_failed',
      );
    for (const encoding of ['compress', 'zip', 'gzip, gzip', 'utf-8']) {
      expectProblem(
        await send(target(name), '[]', { 'Content-Encoding': encoding }),
        400,
        'malformed_request',
      );
    }
  });
});

test.each([
  ['plain', (json: string) => Buffer.from(json.padEnd(60_000)), {}],
  ['compressed', (json: string) => gzipSync(json), { 'Content-Encoding': 'gzip' }],
] as const)('a %s claim that arrives byte by byte is accepted', async (_, encode, encoding) => {
  const head = request('POST /v1/claims', {
    ...{ Authorization: `Bearer ${firm.test}`, 'Idempotency-Key': `bytes ${_}`, ...encoding },
    ...{ 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' },
  });
  const body = encode(JSON.stringify(claimBody(firm.account.manual)));
  const chunks = Array.from(body, (byte) => Buffer.from([0x31, 13, 10, byte, 13, 10]));
  const { responses } = await sendBytes(service.url, [head, Buffer.concat(chunks), '0\r\n\r\n'], {
    responses: 1,
  });
  expect(responses[0]?.status).toBe(201);
});

test('a missing body is malformed, unless all its fields are optional', async () => {
  for (const name of NAMES) {
    if (/\/(acceptance|rejection|roll|withdrawal|closure)$/.test(name)) continue;
    expectProblem(await send(target(name), ''), 400, 'malformed_request');
    const { method, path, as, headers } = target(name);
    const bare = await service.call(method, path, {
      ...(as !== undefined && { as }),
      headers: headers ?? {},
    });
    expectProblem(bare, 400, 'malformed_request');
  }
});

test('without a key, a body over 4 kB is rejected before it arrives, also with Connection: close', async () => {
  for (const path of ['/app/v1/sign-in-codes', '/app/v1/sessions']) {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': '4097' };
    const unsent = await sendBytes(service.url, request(`POST ${path}`, headers), { responses: 1 });
    const whole = await sendBytes(
      service.url,
      request(
        `POST ${path}`,
        { ...headers, 'Content-Length': String(MEGABYTE), Connection: 'close' },
        '['.repeat(MEGABYTE),
      ),
    );
    for (const { responses } of [unsent, whole]) {
      expect(responses).toHaveLength(1);
      const { code, detail } = JSON.parse(responses[0]?.body ?? '');
      expect([code, detail]).toEqual(['payload_too_large', 'The body is larger than 4 kB.']);
    }
  }
});

test('a client that waits for the response before it sends a body over the limit gets it, also with Connection: close', async () => {
  const { as, headers } = target('POST /v1/claims');
  const { responses } = await sendBytes(
    service.url,
    request('POST /v1/claims', {
      ...headers,
      Authorization: `Bearer ${as}`,
      'Content-Type': 'application/json',
      'Content-Length': String(MEGABYTE + 1),
      Connection: 'close',
    }),
    { responses: 1 },
  );
  expect(responses.map(({ status }) => status)).toEqual([413]);
  expect(JSON.parse(responses[0]?.body ?? '').code).toBe('payload_too_large');
});

test('bodies over the shared memory limit get 503 with Retry-After, until memory is released', async () => {
  const { as, headers } = target('POST /v1/claims');
  const head = request('POST /v1/claims', {
    Authorization: `Bearer ${as}`,
    'Content-Type': 'application/json',
    'Content-Length': String(MEGABYTE),
    ...headers,
  });
  const { port, hostname } = new URL(service.url);
  const sockets = Array.from({ length: 80 }, () => connect(Number(port), hostname));
  const received = sockets.map(
    (socket) =>
      new Promise<string>((resolve) => {
        socket.once('data', (chunk) => resolve(String(chunk)));
        socket.once('close', () => resolve(''));
        socket.on('error', () => {});
        socket.write(head);
        socket.write(Buffer.alloc(MEGABYTE - 1, ' '));
      }),
  );
  const first = await Promise.any(received.map(async (one) => (await one) || Promise.reject(new Error())));
  expect(first).toMatch(/^HTTP\/1\.1 503 /);
  expect(first).toMatch(/\r\nRetry-After: 1\r\n/);
  expect((await service.call('GET', '/v1/health')).status).toBe(200);
  for (const socket of sockets) socket.destroy();
  await Promise.all(received);
  const large = `[]${' '.repeat(MEGABYTE - 2)}`;
  let after = await send(target('POST /v1/claims'), large);
  while (after.status === 503) after = await send(target('POST /v1/claims'), large);
  expectProblem(after, 422, 'validation_failed');
  rejectedForMemory = true;
});

describe('an action that takes no body', () => {
  // Each operation is tested with a new adjuster.
  afterAll(async () => {
    rowsBefore = await countRows(service.databaseUrl);
  });
  const withoutBody = Object.values(endpoints).filter(
    (endpoint) => endpoint.method !== 'GET' && !('body' in endpoint) && !endpoint.id.startsWith('signOut'),
  );
  const id = '0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10';

  test.each(withoutBody.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
    '%s accepts only an empty body or an empty object',
    async (_, { method, path, auth, ...endpoint }) => {
      const key = 'sandbox' in endpoint ? firm.test : firm.live;
      const action: Target = {
        method,
        path: path.replace(/\{\w+\}/, id),
        as:
          auth === 'key'
            ? key
            : auth === 'staff'
              ? await service.staff(firm)
              : await service.session((await service.adjuster()).svcId),
        body: {},
      };
      const plain = await service.call(method, action.path, {
        ...(action.as !== undefined && { as: action.as }),
      });
      expect([404, 204, 200]).toContain(plain.status);
      expect((await send(action, '')).status).toBe(plain.status);
      expect((await send(action, '{}')).status).toBe(plain.status);
      const unknown = await send(action, '{"reason":"r"}');
      expectProblem(unknown, 422, 'validation_failed');
      expect(unknown.json.errors).toEqual([{ detail: expect.any(String), pointer: '/reason' }]);
      for (const raw of ['[]', 'null', '1']) expectProblem(await send(action, raw), 422, 'validation_failed');
      for (const raw of ['{', ' ', '{"a":1,"a":1}', '['.repeat(65)])
        expectProblem(await send(action, raw), 400, 'malformed_request');
      expectProblem(await send(action, '{}', { 'Content-Type': 'text/plain' }), 400, 'malformed_request');
      expectProblem(await send(action, ' '.repeat(MEGABYTE + 1)), 413, 'payload_too_large');
    },
  );
});

test('these requests stored no rows and caused no internal errors', async () => {
  expect(await countRows(service.databaseUrl)).toEqual(rowsBefore);
  // Only bodies over the memory limit are logged as errors.
  expect(rejectedForMemory).toBe(true);
  const errors = service.logged.filter((line) => /"level":"error"|internal_error/.test(line));
  expect(errors.filter((line) => !line.includes('"code":"service_unavailable"'))).toEqual([]);
  expect((await service.call('GET', '/v1/health')).status).toBe(200);
});
