import { expect, test } from '@jest/globals';
import { type Endpoint, type EndpointId, EXAMPLES, endpoints } from '@svc/contract';
import fc from 'fast-check';
import { problemMismatch } from './problem-shape.ts';
import { request, sendBytes } from './raw-http.ts';
import { claimBody, sendClaim, startServiceUnderTest } from './service-under-test.ts';

// A fixed seed, so that failures can be reproduced.
const SEED = 20_260_302;

let adjuster: { svcId: string; token: string };
const service = await startServiceUnderTest();
const firm = await service.firm();
adjuster = await service.member(firm);
const staff = await service.staff(firm);
const claimId = (await sendClaim(service, firm.live, claimBody(adjuster.svcId))).json.id;

const DOCUMENTED = new Set([200, 201, 202, 204, 400, 401, 404, 405, 408, 409, 413, 422, 431]);

/** How a response differs from every documented one; null if it does not. */
function mismatch(
  status: number,
  header: (name: string) => string | null | undefined,
  text: string,
): string | null {
  if (!DOCUMENTED.has(status)) return `status ${status}: ${text.slice(0, 300)}`;
  if (!/^[0-9a-f-]{36}$/.test(header('x-request-id') ?? '')) return 'no request id';
  if (header('cache-control') !== 'no-store') return 'may be cached';
  if (status >= 400) return problemMismatch(status, header, text);
  if (text === '') return null;
  if (header('content-type') !== 'application/json') return `Content-Type ${header('content-type')}`;
  JSON.parse(text);
  return null;
}

const bodyOf = (id: EndpointId): string => JSON.stringify(EXAMPLES[id].body ?? {});

const CALLS = Object.values(endpoints).filter(
  ({ id }) => !id.startsWith('signOut') && id !== 'leaveFirm' && id !== 'simulateFaults',
);
const tokenFor = (auth: Endpoint['auth']): { as?: string } =>
  auth === 'none' ? {} : { as: { key: firm.live, session: adjuster.token, staff }[auth] };
const fill = (path: string): string =>
  path
    .replace('{id}', claimId)
    .replace('{firm_id}', firm.id)
    .replace('{svc_id}', 'nobody')
    .replace('{device_id}', 'x');

/** Runs the samples, 25 at a time. */
async function expectDocumentedResponses(samples: readonly (() => Promise<string | null>)[]): Promise<void> {
  const mismatches: string[] = [];
  for (let from = 0; from < samples.length; from += 25) {
    const found = await Promise.all(samples.slice(from, from + 25).map((ask) => ask()));
    mismatches.push(...found.filter((one) => one !== null));
  }
  expect(mismatches).toEqual([]);
}

// fuzz-contract.e2e.test.ts changes paths, queries and bodies; these tests corrupt headers and bytes.
test('250 requests with unusual headers get documented responses', async () => {
  const value = fc.oneof(
    fc.stringMatching(/^[ -~]{0,60}$/),
    fc.string({ maxLength: 40 }).map((text) =>
      Buffer.from(text)
        .toString('latin1')
        .replace(/[\r\n\0]/g, ''),
    ),
    fc.constantFrom(
      ...['', ' ', 'gzip', 'chunked', '0', '-1', '1e3', '*/*', 'application/json', 'close', 'x'.repeat(9000)],
    ),
  );
  const names =
    'Accept Accept-Encoding Authorization Connection Content-Encoding Content-Length Content-Type Cookie Expect Forwarded If-None-Match Idempotency-Key Origin Range TE Trailer Transfer-Encoding Upgrade X-Forwarded-For X-Request-Id';
  const name = fc.constantFrom(...names.split(' '));
  const samples = fc.sample(
    fc.tuple(fc.constantFrom(...CALLS), fc.array(fc.tuple(name, value), { minLength: 1, maxLength: 4 })),
    { numRuns: 250, seed: SEED + 3 },
  );
  await expectDocumentedResponses(
    samples.map(([{ method, path, auth, id }, odd]) => async () => {
      const body = bodyOf(id);
      const { as } = tokenFor(auth);
      const headers = {
        ...(as !== undefined && { Authorization: `Bearer ${as}` }),
        'Idempotency-Key': `header-${Math.random()}`,
        'Content-Type': 'application/json',
        'Content-Length': String(Buffer.byteLength(body)),
        ...Object.fromEntries(odd),
      };
      const { responses } = await sendBytes(service.url, request(`${method} ${fill(path)}`, headers, body), {
        halfClose: true,
      });
      const last = responses.filter(({ status }) => status >= 200);
      // An incomplete request may get no response; any response must be documented.
      for (const response of last) {
        const found = mismatch(response.status, (header) => response.headers.get(header), response.body);
        if (found !== null) return `${method} ${path} ${JSON.stringify(odd).slice(0, 400)}: ${found}`;
      }
      return null;
    }),
  );
});

test('200 connections with valid requests before a broken one get the responses of all, in order', async () => {
  const bearer = { Authorization: `Bearer ${firm.live}` };
  const sent = { 'Content-Type': 'application/json', 'Idempotency-Key': 'k' };
  const json = { ...bearer, ...sent, 'Content-Length': '2' };
  const chunked = { ...bearer, 'Transfer-Encoding': 'chunked' };
  const valid = fc.constantFrom<[bytes: string, status: number]>(
    [request('GET /v1/me', bearer), 200],
    [request('GET /v1/claims?limit=200', bearer), 200],
    [request('GET /v1/me'), 401],
    [request('GET /v1/nowhere', bearer), 404],
    [request('POST /v1/claims', json, '{}'), 422],
    [request('POST /v1/claims', { ...chunked, ...sent }, '2\r\n{}\r\n0\r\n\r\n'), 422],
    [
      request(
        'POST /app/v1/sign-in-codes',
        { ...json, 'Content-Length': '32' },
        '{"email":"nobody@example.com"}  ',
      ),
      202,
    ],
  );
  const broken = fc.constantFrom(
    'nonsense\r\n\r\n',
    request('GET /v1/me', { 'X-Long': 'x'.repeat(17_000) }),
    request('POST /v1/claims', chunked, 'nonsense\r\n'),
    request('POST /v1/claims', chunked, '2\r\n{}\r\nnonsense\r\n'),
    request('POST /v1/claims', chunked, `2;${'x'.repeat(17_000)}\r\n{}\r\n0\r\n\r\n`),
    request('POST /v1/claims', { ...chunked, 'Content-Length': '2' }, '{}'),
    request('POST /v1/claims', { ...json, 'Content-Length': '2, 3' }, '{}'),
    'GET /v1/me HTTP/1.1\r\n\r\n',
    request('CONNECT example.com:443'),
  );
  const samples = fc.sample(
    fc.tuple(
      fc.array(valid, { minLength: 1, maxLength: 3 }),
      broken,
      fc.nat(),
      fc.constantFrom(undefined, 0, 2),
    ),
    { numRuns: 200, seed: SEED + 4 },
  );
  await expectDocumentedResponses(
    samples.map(([before, last, cut, pauseMs]) => async () => {
      const bytes = before.map(([text]) => text).join('') + last;
      const at = cut % bytes.length;
      const options = { responses: before.length + 1, ...(pauseMs !== undefined && { pauseMs }) };
      const { responses } = await sendBytes(service.url, [bytes.slice(0, at), bytes.slice(at)], options);
      const label = JSON.stringify(before.map(([text]) => text.split('\r\n')[0]));
      const expected = before.map(([, status]) => status);
      const statuses = responses.slice(0, expected.length).map(({ status }) => status);
      if (`${statuses}` !== `${expected}`) return `${label} then ${last.slice(0, 200)}: ${statuses}`;
      for (const response of responses) {
        const found = mismatch(response.status, (header) => response.headers.get(header), response.body);
        if (found !== null) return `${label} then ${last.slice(0, 200)}: ${found}`;
      }
      return null;
    }),
  );
});

test('these requests caused no internal errors, and the service still works', async () => {
  expect(service.logged.filter((line) => /"level":"error"|internal_error/.test(line))).toEqual([]);
  const sent = await sendClaim(service, firm.live, claimBody((await service.member(firm)).svcId));
  expect(sent.status).toBe(201);
  // Every stored claim can be listed.
  let cursor = '';
  let claims = 0;
  do {
    const page = await service.call('GET', `/v1/claims?limit=200${cursor}`, { as: firm.live });
    expect(page.status).toBe(200);
    claims += page.json.data.length;
    cursor = page.json.next_cursor === null ? '' : `&cursor=${page.json.next_cursor}`;
  } while (cursor !== '');
  expect(claims).toBeGreaterThan(1);
});
