import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ErrorCode, surgeClaim } from '@svc/contract';
import { withClient } from '../../../tools/services/postgres.ts';
import { expectProblem } from './problem-shape.ts';
import {
  type ApiResponse,
  claimBody,
  type ServiceUnderTest,
  sendClaim,
  startServiceUnderTest,
  type TestFirm,
} from './service-under-test.ts';

// Mistakes that integrators make, each with the response it gets: the code, the location and the hint.

let service: ServiceUnderTest;
let firm: TestFirm;
let keys: Readonly<Record<'readOnly' | 'unknown' | 'revoked' | 'expired' | 'session', string>>;
let claims: Readonly<Record<'sent' | 'accepted' | 'live', string>>;
let real: string;

beforeAll(async () => {
  service = await startServiceUnderTest();
  firm = await service.firm();
  const member = await service.member(firm);
  real = member.svcId;
  const rejected = await rejectedKeys();
  keys = {
    ...rejected,
    readOnly: await service.key(firm, { environment: 'test', purpose: 'read_only' }),
    session: member.token,
  };
  const sentId = async (key: string, body: Json, idempotencyKey?: string) =>
    (await sendClaim(service, key, body, idempotencyKey)).json.id as string;
  claims = {
    sent: await sentId(firm.test, claim({ external_id: 'SENT' }), 'SENT'),
    accepted: await sentId(firm.test, claim()),
    live: await sentId(firm.live, claimBody(real)),
  };
  await service.call('POST', `/v1/test/claims/${claims.accepted}/acceptance`, { as: firm.test });
  // The test account with this name does not respond to invitations.
  await ask(invite({ svc_id: firm.account.new }));
});
afterAll(() => service.stop());

async function rejectedKeys(): Promise<{ unknown: string; revoked: string; expired: string }> {
  const { services } = service.service;
  const options = { firmId: firm.id, environment: 'test', purpose: 'full_access' } as const;
  const createKey = services.operatorUseCases.createKey;
  const revoked = await createKey({ ...options, lifetimeMs: null });
  await services.operatorUseCases.revokeKey(revoked.key.id);
  const expired = await createKey({ ...options, lifetimeMs: 1 });
  const unknown = services.secrets.issue('test_key');
  return { unknown: unknown.secret, revoked: revoked.secret, expired: expired.secret };
}

type Json = Record<string, unknown>;

interface Request {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  readonly raw?: string | Uint8Array;
  readonly as?: string | null;
}

interface Expected {
  readonly status: number;
  readonly code: ErrorCode;
  /** A pointer, `?parameter` or `header:` of the one error in `errors`. */
  readonly at?: string;
  /** Part of the detail of that error, or else of the problem. */
  readonly hint: string | RegExp;
}

type Mistake = readonly [title: string, request: () => Request, expected: Expected];

const claim = (changes: Json = {}): Json => claimBody(firm.account.manual, changes);
const withKey = (value: string | null): Request => ({
  path: '/v1/me',
  as: null,
  headers: value === null ? {} : { Authorization: value },
});
const send = (
  body: unknown,
  headers: Record<string, string> = { 'Idempotency-Key': crypto.randomUUID() },
): Request => ({
  method: 'POST',
  path: '/v1/claims',
  headers,
  body,
});
const raw = (text: string | Uint8Array, headers: Record<string, string> = {}): Request => ({
  method: 'POST',
  path: '/v1/claims',
  headers: { 'Idempotency-Key': 'raw', ...headers },
  raw: text,
});
const field = (at: string, value: unknown): Request => {
  const [, outer = '', inner] = at.split('/');
  const body = claim();
  if (inner === undefined) return send({ ...body, [outer]: value });
  return send({ ...body, [outer]: { ...(body[outer] as Json | undefined), [inner]: value } });
};
const get = (path: string, as?: string): Request => ({ path, ...(as !== undefined && { as }) });
const offer = (id: string, adjuster: string, as?: string): Request => ({
  method: 'POST',
  path: `/v1/claims/${id}/assignment`,
  headers: { 'Idempotency-Key': crypto.randomUUID() },
  body: { adjuster_svc_id: adjuster },
  ...(as !== undefined && { as }),
});
const invite = (body: unknown, as?: string): Request => ({
  method: 'POST',
  path: '/v1/adjusters/invitations',
  body,
  ...(as !== undefined && { as }),
});

const invalid = (at: string, hint: string | RegExp): Expected => ({
  status: 422,
  code: 'validation_failed',
  at,
  hint,
});
const unauthorized = (hint: string): Expected => ({ status: 401, code: 'invalid_key', hint });
const malformed = (hint: string | RegExp): Expected => ({ status: 400, code: 'malformed_request', hint });
const notFound = (hint: string): Expected => ({ status: 404, code: 'not_found', hint });

const MISTAKES: Readonly<Record<string, readonly Mistake[]>> = {
  'the key': [
    ['no Authorization header', () => withKey(null), unauthorized('The Authorization header is missing.')],
    [
      'X-Api-Key in its place',
      () => ({ ...withKey(null), headers: { 'X-Api-Key': firm.test } }),
      unauthorized('X-Api-Key is not read'),
    ],
    [
      'Basic authentication',
      () => withKey(`Basic ${btoa(`${firm.test}:`)}`),
      unauthorized('another scheme than Bearer'),
    ],
    ['the key without Bearer', () => withKey(firm.test), unauthorized('The word Bearer is missing')],
    ['Bearer without a key', () => withKey('Bearer '), unauthorized('no key after Bearer')],
    ['the key in quotes', () => withKey(`Bearer "${firm.test}"`), unauthorized('without quotes')],
    [
      'a placeholder',
      () => withKey('Bearer YOUR_KEY'),
      unauthorized('keys start with svc_live_ or svc_test_'),
    ],
    [
      'a key that was cut short',
      () => withKey(`Bearer ${firm.test.slice(0, -4)}`),
      unauthorized('incomplete or has a wrong character'),
    ],
    [
      'a key with a line break turned into a space',
      () => withKey(`Bearer ${firm.test.slice(0, 20)} ${firm.test.slice(20)}`),
      unauthorized('more than one value after Bearer'),
    ],
    [
      'a key of another installation',
      () => withKey(`Bearer ${keys.unknown}`),
      unauthorized('No API key has this value'),
    ],
    ['a revoked key', () => withKey(`Bearer ${keys.revoked}`), unauthorized('was revoked')],
    ['an expired key', () => withKey(`Bearer ${keys.expired}`), unauthorized('has expired')],
    [
      "an adjuster's session token",
      () => withKey(`Bearer ${keys.session}`),
      unauthorized('session token of the adjuster app'),
    ],
    [
      'a read-only key for sending',
      () => ({ ...send(claim()), as: keys.readOnly }),
      { status: 403, code: 'insufficient_scope', hint: 'claims:create' },
    ],
  ],
  'path and method': [
    ['a trailing slash', () => get('/v1/claims/'), notFound('Did you mean /v1/claims?')],
    [
      'a trailing slash after an id',
      () => get(`/v1/claims/${claims.sent}/`),
      notFound('Did you mean /v1/claims/'),
    ],
    ['no /v1', () => get('/claims'), notFound('Did you mean /v1/claims?')],
    ['/api in front', () => get('/api/v1/claims'), notFound('Did you mean /v1/claims?')],
    ['a doubled slash', () => get('/v1//claims'), notFound('Did you mean /v1/claims?')],
    ['capital letters', () => get('/v1/Claims'), notFound('Did you mean /v1/claims?')],
    [
      'a path that does not exist',
      () => get('/v1/adjuster/all'),
      notFound('not part of the interface. The documentation is at'),
    ],
    [
      'PUT on a claim',
      () => ({ method: 'PUT', path: `/v1/claims/${claims.sent}`, body: {} }),
      { status: 405, code: 'method_not_allowed', hint: 'supports GET, HEAD only' },
    ],
    [
      'DELETE of a claim',
      () => ({ method: 'DELETE', path: `/v1/claims/${claims.sent}` }),
      { status: 405, code: 'method_not_allowed', hint: 'supports GET, HEAD only' },
    ],
    [
      'the external id in place of the id',
      () => get('/v1/claims/CMS-2026-004417'),
      invalid('?id', 'GET /v1/claims?external_id='),
    ],
    [
      'an unknown id',
      () => get('/v1/claims/0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10'),
      notFound('No claim of your firm has this id'),
    ],
    [
      'a live claim with a test key',
      () => get(`/v1/claims/${claims.live}`),
      notFound('No claim of your firm has this id'),
    ],
  ],
  'the body as JSON': [
    ['no body', () => raw(''), malformed('empty')],
    ['a trailing comma', () => raw('{\n  "external_id": "A",\n}'), malformed('not valid JSON')],
    ['single quotes', () => raw("{'external_id': 'A'}"), malformed('not valid JSON')],
    ["Python's None", () => raw('{"external_id": None}'), malformed('not valid JSON')],
    ['a cut-off document', () => raw('{"external_id": "A'), malformed('not valid JSON')],
    ['a line break in a string', () => raw('{"instructions": "one\ntwo"}'), malformed('not valid JSON')],
    [
      'a form instead of JSON',
      () => raw('external_id=A', { 'Content-Type': 'application/x-www-form-urlencoded' }),
      malformed('application/json'),
    ],
    ['Latin-1 instead of UTF-8', () => raw(Buffer.from('{"a":"é"}', 'latin1')), malformed('UTF-8')],
    ['the same name twice', () => raw('{"external_id": "A", "external_id": "B"}'), malformed('/external_id')],
    ['an array of claims', () => send([claim()]), invalid('', 'Must be an object; received an array')],
    ['JSON in a string', () => send(JSON.stringify(claim())), invalid('', 'Must be an object')],
  ],
  // The hints of every field and parameter are tested in the contract.
  'fields, headers and parameters': [
    ['no Idempotency-Key', () => send(claim(), {}), invalid('Idempotency-Key:', 'This header is required')],
    [
      'an empty Idempotency-Key',
      () => send(claim(), { 'Idempotency-Key': ' ' }),
      invalid('Idempotency-Key:', '1 to 255 characters'),
    ],
    [
      'a date as updated_since',
      () => get('/v1/claims?updated_since=2026-08-29'),
      invalid('?updated_since', 'did you mean 2026-08-29T00:00:00Z?'),
    ],
    ['a page number', () => get('/v1/claims?page=2'), invalid('?page', 'cursor')],
    ['a cursor that was made up', () => get('/v1/claims?cursor=2'), invalid('?cursor', 'next_cursor')],
    ['camelCase', () => field('/externalId', 'A'), invalid('/externalId', 'Did you mean external_id?')],
    [
      'a state in lowercase',
      () => field('/loss_location/state', 'fl'),
      invalid('/loss_location/state', 'did you mean FL?'),
    ],
    [
      'a building type of the other class',
      () => field('/building', { occupancy_type: 'single_family_home', building_type: 'barn' }),
      invalid('/building/building_type', 'main_dwelling'),
    ],
    [
      'a policy that ends before it starts',
      () => field('/policy', { number: '1', effective_date: '2026-03-14', expiration_date: '2026-03-13' }),
      invalid('/policy/expiration_date', 'before it takes effect'),
    ],
  ],
  'adjusters and claims': [
    [
      'an SVCID that nobody has',
      () => invite({ svc_id: 'nobody' }),
      { status: 422, code: 'unknown_osaid', hint: 'case-sensitive' },
    ],
    [
      'a real adjuster with a test key',
      () => send(claimBody(real)),
      { status: 422, code: 'adjuster_not_in_firm', hint: 'A test key cannot name a real adjuster' },
    ],
    [
      'a test account with a live key',
      () => ({ ...send(claim()), as: firm.live }),
      { status: 422, code: 'environment_mismatch', hint: 'use a test key' },
    ],
    [
      'an adjuster who was not invited',
      () => send(claimBody(firm.account.new)),
      { status: 422, code: 'adjuster_not_in_firm', hint: 'accept an invitation first' },
    ],
    [
      'an adjuster who has paused',
      () => send(claimBody(firm.account.paused)),
      { status: 422, code: 'adjuster_not_accepting', hint: 'not accepting claims' },
    ],
    [
      'an invitation of a member',
      () => invite({ svc_id: firm.account.accepts }),
      { status: 409, code: 'already_member', hint: 'already a member' },
    ],
    [
      'an invitation sent twice',
      () => invite({ svc_id: firm.account.new }),
      { status: 409, code: 'invitation_pending', hint: 'pending' },
    ],
    [
      'withdrawing an invitation that does not exist',
      () => ({ method: 'DELETE', path: `/v1/adjusters/invitations/${firm.account.accepts}` }),
      notFound('no pending invitation'),
    ],
    [
      'a claim sent twice with a new key',
      () => send(claim({ external_id: 'SENT' })),
      { status: 409, code: 'duplicate_claim', hint: 'external_id' },
    ],
    [
      'an Idempotency-Key of another request',
      () => send(claim(), { 'Idempotency-Key': 'SENT' }),
      { status: 422, code: 'idempotency_key_reused', hint: 'different' },
    ],
    [
      'an accepted claim offered again',
      () => offer(claims.accepted, firm.account.accepts),
      { status: 409, code: 'claim_already_accepted', hint: 'accepted' },
    ],
    [
      'the sandbox with a live key',
      () => ({ method: 'POST', path: `/v1/test/claims/${claims.sent}/acceptance`, as: firm.live }),
      { status: 422, code: 'environment_mismatch', hint: 'for test keys' },
    ],
  ],
};

const ask = ({
  method = 'GET',
  path,
  headers = {},
  body,
  raw: text,
  as = firm.test,
}: Request): Promise<ApiResponse> =>
  service.call(method, path, {
    headers,
    ...(as !== null && { as }),
    ...(body !== undefined && { body }),
    ...(text !== undefined && { raw: text }),
  });

const locationOf = (error: Json): string =>
  error.pointer !== undefined
    ? String(error.pointer)
    : error.parameter !== undefined
      ? `?${error.parameter}`
      : `${error.header}:`;

describe.each(Object.entries(MISTAKES))('%s', (_, mistakes) => {
  test.each(mistakes)('%s', async (_, request, { status, code, at, hint }) => {
    const response = await ask(request());
    const { json } = response;
    expectProblem(response, status, code);
    if (at === undefined) {
      expect(json.detail).toEqual(
        typeof hint === 'string' ? expect.stringContaining(hint) : expect.stringMatching(hint),
      );
      return;
    }
    // One mistake, one error: nothing that follows from it is reported beside it.
    expect(json.errors.map(locationOf)).toEqual([at]);
    expect(json.errors[0].detail).toEqual(
      typeof hint === 'string' ? expect.stringContaining(hint) : expect.stringMatching(hint),
    );
  });
});

test('a request corrected by its errors is accepted', async () => {
  expect((await ask(send(claim()))).status).toBe(201);
  expect((await ask(send({ ...surgeClaim, adjuster_svc_id: firm.account.manual }))).status).toBe(201);
});

test('every response has a unique request id, which the client cannot set', async () => {
  const seen = new Set<string | null>();
  for (const request of [
    get('/v1/health'),
    { ...get('/v1/me'), headers: { 'X-Request-Id': 'mine' } },
    send(claim()),
    send({}),
    get('/nowhere'),
  ])
    seen.add((await ask(request)).headers.get('x-request-id'));
  expect(seen.size).toBe(5);
  expect([...seen].filter((id) => !/^[0-9a-f-]{36}$/.test(id ?? ''))).toEqual([]);
});

test('an internal error has no internal details', async () => {
  const response = await withClient(service.databaseUrl, async (client) => {
    await client.query('ALTER TABLE claims RENAME TO claims_gone');
    const failed = await ask(get('/v1/claims'));
    await client.query('ALTER TABLE claims_gone RENAME TO claims');
    return failed;
  });
  expectProblem(response, 500, 'internal_error');
  expect(response.text).not.toMatch(/claims_gone|relation|sql|stack|\.ts/i);
  expect((await ask(get('/v1/claims'))).status).toBe(200);
});
