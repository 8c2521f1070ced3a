import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { type Endpoint, type EndpointId, EXAMPLES, endpoints, LIMITS } from '@svc/contract';
import { countRows } from '../../../tools/services/count-rows.ts';
import { expectProblem } from './problem-shape.ts';
import { request, sendBytes } from './raw-http.ts';
import { type ApiResponse, claimBody, startServiceUnderTest } from './service-under-test.ts';

const MEGABYTE = 1_048_576;

/** The maximum size of a body, in bytes. */
const sizeOf = ({ as }: Target): number => (as === undefined ? 4096 : MEGABYTE);

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

const service = await startServiceUnderTest();
const firm = await service.firm();
const { token } = await service.member(firm);
const staff = await service.staff(firm);
const targets = new Map(
  WITH_BODY.map(({ method, path, auth, id, headers, sandbox }) => {
    const { params = {}, body } = EXAMPLES[id as EndpointId];
    const as = { key: sandbox ? firm.test : firm.live, session: token, staff, none: undefined }[auth];
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
let rowsBefore = await countRows(service.databaseUrl);
let rejectedForMemory = false;

const target = (name: string): Target => {
  const found = targets.get(name);
  if (found === undefined) throw new Error(`${name} has no target here`);
  return found;
};

const send = (
  { method, path, as, headers }: Target,
  raw: string | Uint8Array,
  more: Record<string, string> = {},
): Promise<ApiResponse> =>
  service.call(method, path, { ...(as !== undefined && { as }), raw, headers: { ...headers, ...more } });

/** The headers of a request as bytes. */
const headOf = ({ method, path, as, headers }: Target, more: Record<string, string>): string =>
  request(`${method} ${path}`, {
    ...(as !== undefined && { Authorization: `Bearer ${as}` }),
    'Content-Type': 'application/json',
    ...headers,
    ...more,
  });

/** The status and code of the one response. */
async function answerTo(steps: string | readonly string[]): Promise<unknown> {
  const { responses } = await sendBytes(service.url, steps, { responses: 1 });
  const { status, code } = JSON.parse(responses[0]?.body ?? '');
  return [status, code];
}

test.each(NAMES)('%s reads its body as JSON of a limited size, with the declared fields', async (name) => {
  const one = target(name);
  const isOptional = /\/(acceptance|rejection|roll|withdrawal|closure)$/.test(name);
  for (const raw of ['{"svc_id":', ...(isOptional ? [] : [''])])
    expectProblem(await send(one, raw), 400, 'malformed_request');
  const type = { 'Content-Type': 'text/plain' };
  expectProblem(await send(one, JSON.stringify(one.body), type), 400, 'malformed_request');
  const unknown = `${JSON.stringify(one.body).slice(0, -1)},"__proto__":{"admin":true}}`;
  for (const [raw, at] of [
    ['[]', ''],
    [unknown, '/__proto__'],
  ] as const) {
    const response = await send(one, raw);
    expectProblem(response, 422, 'validation_failed');
    expect(response.json.errors).toContainEqual({ detail: expect.any(String), pointer: at });
  }
  expectProblem(await send(one, `[]${' '.repeat(sizeOf(one) - 1)}`), 413, 'payload_too_large');
});

/** Bodies of all operations are read by one function; these differ in the caller, the maximum and an optional body. */
const READ_DIFFERENTLY = ['POST /v1/claims', 'POST /app/v1/sessions', 'POST /app/v1/claims/{id}/rejection'];

describe.each(READ_DIFFERENTLY)('%s', (name) => {
  const one = target(name);

  test('accepts a body byte by byte up to the maximum number of chunks, and no more', async () => {
    const most = one.as === undefined ? LIMITS.openSmallChunks : LIMITS.smallChunks;
    const answerByByte = async (body: string): Promise<unknown> => {
      const chunks = [...body].map((byte) => `1\r\n${byte}\r\n`).join('');
      const answer = await answerTo([headOf(one, { 'Transfer-Encoding': 'chunked' }), chunks, '0\r\n\r\n']);
      // The test of another operation has used up what this caller may send in a second.
      return `${answer}`.startsWith('503') ? answerByByte(body) : answer;
    };
    expect(await answerByByte('[]'.padEnd(most))).toEqual([422, 'validation_failed']);
    expect(await answerByByte('[]'.padEnd(most + 1))).toEqual([400, 'malformed_request']);
  });

  test('accepts a body of exactly the maximum size, and rejects one byte more, with and without Content-Length', async () => {
    const most = sizeOf(one);
    expectProblem(await send(one, '[]'.padEnd(most)), 422, 'validation_failed');
    const chunk = (size: number): string => `${size.toString(16)}\r\n${' '.repeat(size)}\r\n`;
    const pieces = Array.from({ length: 15 }, () => chunk(most / 16));
    const head = headOf(one, { 'Transfer-Encoding': 'chunked' });
    const full = [head, '2\r\n[]\r\n', ...pieces, chunk(most / 16 - 2)];
    expect(await answerTo([...full, '0\r\n\r\n'])).toEqual([422, 'validation_failed']);
    expect(await answerTo([...full, chunk(1), '0\r\n\r\n'])).toEqual([413, 'payload_too_large']);
  });
});

test('a compressed claim that arrives byte by byte is accepted', async () => {
  const to = { ...target('POST /v1/claims'), as: firm.test };
  const body = gzipSync(JSON.stringify(claimBody(firm.account.manual)));
  const chunks = Buffer.concat(Array.from(body, (byte) => Buffer.from([0x31, 13, 10, byte, 13, 10])));
  const head = headOf(to, { 'Transfer-Encoding': 'chunked', 'Content-Encoding': 'gzip' });
  const { responses } = await sendBytes(service.url, [head, chunks, '0\r\n\r\n'], { responses: 1 });
  expect(responses[0]?.status).toBe(201);
  rowsBefore = await countRows(service.databaseUrl);
});

test.each([
  ['without a key, a body over 4 kB', 'POST /app/v1/sessions', 4096],
  ['with a key, a body over 1 MB', 'POST /v1/claims', MEGABYTE],
] as const)('%s is rejected before it arrives, also with Connection: close', async (_, name, most) => {
  for (const connection of ['keep-alive', 'close']) {
    const headers = { 'Content-Length': String(most + 1), Connection: connection };
    const head = headOf(target(name), headers);
    for (const sent of [[head], [head, '['.repeat(most + 1)]])
      expect(await answerTo(sent)).toEqual([413, 'payload_too_large']);
  }
});

test('bodies over the shared memory limit get 503 with Retry-After, until memory is released', async () => {
  const head = headOf(target('POST /v1/claims'), { 'Content-Length': String(MEGABYTE) });
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

test('these requests stored no rows and caused no internal errors', async () => {
  expect(await countRows(service.databaseUrl)).toEqual(rowsBefore);
  // Only bodies over the memory limit are logged as errors, and connections that a busy machine was too slow for.
  expect(rejectedForMemory).toBe(true);
  const errors = service.logged.filter((line) => /"level":"error"|internal_error/.test(line));
  const expected = /"code":"service_unavailable"|could not connect to PostgreSQL/;
  expect(errors.filter((line) => !expected.test(line))).toEqual([]);
  expect((await service.call('GET', '/v1/health')).status).toBe(200);
});
