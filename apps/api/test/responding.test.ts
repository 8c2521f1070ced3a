import type { ServerResponse } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { Unavailable } from '@svc/application';
import { deskEndpoints, endpoints } from '@svc/contract';
import { DomainError } from '@svc/domain';
import { HttpProblem } from '../src/http/problems/http-problem.ts';
import type { RequestTrace } from '../src/http/request-log.ts';
import { sendError, sendResult } from '../src/http/responding.ts';
import { commonHeaders } from '../src/http/response-headers.ts';
import { appRoute, firmRoute, type RouteResponse, staffRoute } from '../src/http/routes/route.ts';
import { asciiJson } from '../src/http/serialization/ascii-json.ts';
import { exchange } from './exchange.ts';

const addresses = { baseUrl: 'https://claims.example', docsUrl: 'https://docs.example' };
const started = (): RequestTrace => ({ requestId: 'r', clientAddress: '192.0.2.1', reader: 'firm one' });

const handle = async (): Promise<RouteResponse> => ({ status: 500 });
const ROUTES = {
  app: appRoute(endpoints.getProfile, handle),
  desk: staffRoute(deskEndpoints.listKeys, handle),
  deskWrite: staffRoute(deskEndpoints.createKey, handle),
  firm: firmRoute(endpoints.listClaims, handle),
};
/** With its quotes, JSON of this many bytes. */
const textOf = (bytes: number) => asciiJson('x'.repeat(bytes - 2));

async function sent(name: keyof typeof ROUTES, result: RouteResponse, acceptEncoding?: string) {
  const { request, response, body } = exchange({ 'accept-encoding': acceptEncoding });
  const head = new Map<string, string>();
  response.writeHead = (status: number, headers?: unknown) => {
    response.statusCode = status;
    const fields = headers as string[];
    for (let at = 0; at < fields.length; at += 2) head.set(fields[at] ?? '', fields[at + 1] ?? '');
    return response;
  };
  const counted: unknown[] = [];
  const responses = {
    checkReader() {},
    count: (_: ServerResponse, ...of: [string | null, number]) => void counted.push([...of, head.size]),
  };
  const route = ROUTES[name];
  await sendResult({ result, route, trace: started() }, { responses, addresses }, request, response);
  return { status: response.statusCode, head, body: body(), counted, response };
}

const DECODERS = new Map<string | undefined, (coded: Buffer) => Buffer>([
  ['br', (coded) => brotliDecompressSync(coded)],
  ['gzip', (coded) => gunzipSync(coded)],
]);

test.each<
  [keyof typeof ROUTES, bytes: number, accepted: string, coding: string | undefined, varies: boolean]
>([
  ['app', 4000, 'gzip, br', 'br', true],
  ['desk', 4000, 'gzip', 'gzip', true],
  ['desk', 4000, 'identity', undefined, true],
  ['app', 3999, 'br', undefined, false],
  ['deskWrite', 4000, 'br', undefined, false],
  ['firm', 100_000, 'br', undefined, false],
])(
  'JSON for %s of %d bytes to who accepts %s is coded as %s',
  async (name, bytes, accepted, coding, varies) => {
    const json = textOf(bytes);
    const { status, head, body, counted } = await sent(name, { status: 201, json }, accepted);
    const plain = body ?? Buffer.alloc(0);
    const decoded = DECODERS.get(coding)?.(plain) ?? plain;
    expect([status, String(decoded)]).toEqual([201, json]);
    expect([head.get('Content-Encoding'), head.get('Vary')]).toEqual([
      coding,
      varies ? 'Accept-Encoding' : undefined,
    ]);
    expect([head.get('Content-Type'), head.get('X-Request-Id')]).toEqual(['application/json', 'r']);
    // Before the head is sent: an error may follow.
    expect(counted).toEqual([['firm one', plain.length, 0]]);
    expect(head.get('Content-Length')).toBe(String(plain.length));
  },
);

test('CSV is sent in UTF-8, a response without a body has none, and one that is dropped is not sent', async () => {
  const csv = await sent('desk', { status: 200, csv: 'Müller', headers: { 'X-One': '1' } });
  const all = {
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'X-Content-Type-Options': 'nosniff',
  };
  const own = { 'X-One': '1', 'Content-Type': 'text/csv; charset=utf-8', 'Content-Length': '7' };
  const https = { 'Strict-Transport-Security': 'max-age=63072000', 'X-Request-Id': 'r' };
  expect([Object.fromEntries(csv.head), String(csv.body)]).toEqual([{ ...all, ...https, ...own }, 'Müller']);
  expect(commonHeaders(null, { baseUrl: 'http://localhost' })).toEqual(Object.entries(all).flat());
  const empty = await sent('desk', { status: 204, headers: { 'Set-Cookie': 'a=b' } });
  expect([empty.status, empty.body?.length, empty.response.getHeader('Set-Cookie')]).toEqual([204, 0, 'a=b']);
  expect(empty.response.getHeader('Cache-Control')).toBe('no-store');
  const responses = { checkReader() {}, count() {} };
  const results: RouteResponse[] = [{ status: 204 }, { status: 200, json: textOf(4000) }];
  for (const result of results) {
    const late = exchange({ 'accept-encoding': 'br' });
    const fail = () => Object.defineProperty(late.response, 'headersSent', { value: true });
    if (result.status === 204) fail();
    const outcome = { result, route: ROUTES.app, trace: started() };
    const sending = sendResult(outcome, { responses, addresses }, late.request, late.response);
    // During the compression, of one that has a body.
    fail();
    await sending;
    expect(late.body()).toBeNull();
  }
  const dropped = await sent('firm', { status: 500, dropped: true });
  expect([dropped.response.destroyed, dropped.body]).toEqual([true, null]);
});

/** What is logged of an error, and sent. */
function failed(error: unknown) {
  const { response, body } = exchange();
  const logged: object[] = [];
  const ignore = () => {};
  const log = {
    debug: ignore,
    info: ignore,
    warn: ignore,
    error: (_: string, fields?: object) => logged.push({ ...fields }),
  };
  const trace = started();
  sendError(error, { log, addresses }, response, trace);
  return { logged, trace, status: response.statusCode, problem: JSON.parse(String(body())) };
}

test('a failure of the service is logged with its cause, and one of the database without its message, which may quote a row', () => {
  const driverError = Object.assign(new Error('Key (email)=(ana@example.net) exists'), { code: '23505' });
  const known = { request_id: 'r', code: 'internal_error', error: 'Error' };
  const stack = expect.arrayContaining([expect.stringMatching(/^at /)]);
  expect(failed(driverError).logged).toEqual([{ ...known, error_code: '23505', stack }]);
  expect(failed(new Error('Broken.')).logged).toEqual([{ ...known, reason: 'Broken.', stack }]);
  expect(failed('text').logged).toEqual([{ ...known, error: 'string' }]);
  for (const reason of ['database_pool', 'deadline', 'memory', 'clock', 'other'] as const)
    expect(failed(new Unavailable('No connection.', reason)).logged).toEqual([
      { ...known, code: 'service_unavailable', error: 'Unavailable', reason: 'No connection.' },
    ]);
  const { status, trace, problem } = failed(driverError);
  expect([status, trace.code, problem]).toMatchObject([
    500,
    'internal_error',
    { code: 'internal_error', request_id: 'r', type: 'https://docs.example/errors#internal_error' },
  ]);
  expect(JSON.stringify(problem)).not.toMatch(/ana@|23505/);
});

test.each([
  [503, new Unavailable('Full.', 'overload')],
  [503, new Unavailable('Shutting down.', 'draining')],
  [500, new HttpProblem('internal_error', { simulated: true })],
  [404, new DomainError('not_found', 'No such claim.')],
])('is not logged as a failure: %d of %s', (status, error) => {
  const { logged, ...response } = failed(error);
  expect([logged, response.status]).toEqual([[], status]);
});

test('an error after the response has begun ends the connection, and one after its end changes nothing', () => {
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  for (const [state, isDestroyed] of [
    [{ headersSent: true }, true],
    [{ writableEnded: true, headersSent: true }, false],
  ] as const) {
    const { response, body } = exchange();
    for (const [name, value] of Object.entries(state)) Object.defineProperty(response, name, { value });
    sendError(new Error('Broken.'), { log, addresses }, response, started());
    expect([response.destroyed, body()]).toEqual([isDestroyed, null]);
  }
});
