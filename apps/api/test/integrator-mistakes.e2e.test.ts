import { expect, test } from '@jest/globals';
import { type ErrorCode, surgeClaim } from '@svc/contract';
import { withClient } from '../../../tools/services/postgres.ts';
import { expectProblem } from './problem-shape.ts';
import { type ApiResponse, claimBody, sendClaim, startServiceUnderTest } from './service-under-test.ts';

// Mistakes that integrators make, each with the response it gets: the code, the location and the hint.

const service = await startServiceUnderTest();
const firm = await service.firm();
const real = await service.member(firm);
const readOnly = await service.key(firm, { environment: 'test', purpose: 'read_only' });

type Json = Record<string, unknown>;

interface Request {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  readonly raw?: string | Uint8Array;
  readonly as?: string | null;
}

const claim = (changes: Json = {}): Json => claimBody(firm.account.manual, changes);
const get = (path: string): Request => ({ path });
const post = (path: string, more: Partial<Request> = {}): Request => ({ method: 'POST', path, ...more });
const send = (body: unknown, key: string | null = crypto.randomUUID()): Request =>
  post('/v1/claims', { body, headers: key === null ? {} : { 'Idempotency-Key': key } });
const invite = (svcId: string): Request => post('/v1/adjusters/invitations', { body: { svc_id: svcId } });

const ask = ({ method = 'GET', path, as = firm.test, ...call }: Request): Promise<ApiResponse> =>
  service.call(method, path, { ...(as !== null && { as }), ...call });

const { id: sent } = (await ask(send(claim({ external_id: 'SENT' }), 'SENT'))).json;
const { id: accepted } = (await ask(send(claim()))).json;
const { id: live } = (await sendClaim(service, firm.live, claimBody(real.svcId))).json;
await ask(post(`/v1/test/claims/${accepted}/acceptance`));
// The test account with this name does not respond to invitations.
await ask(invite(firm.account.new));

async function rejectedKeys(): Promise<{ unknown: string; revoked: string; expired: string }> {
  const { services } = service.service;
  const options = { firmId: firm.id, environment: 'test', purpose: 'full_access' } as const;
  const revoked = await services.createKey(services.operator, { ...options, lifetimeMs: null });
  await services.revokeKey(services.operator, revoked.key.id);
  const expired = await services.createKey(services.operator, { ...options, lifetimeMs: 1 });
  return {
    unknown: services.secrets.issue('test_key').secret,
    revoked: revoked.secret,
    expired: expired.secret,
  };
}
const { unknown, revoked, expired } = await rejectedKeys();

const locationOf = ({ pointer, parameter, header }: Json): string =>
  pointer !== undefined ? String(pointer) : parameter !== undefined ? `?${parameter}` : `${header}:`;

/**
 * @param hint part of the detail of the problem, or of its one error
 * @param at the pointer, `?parameter` or `header:` of that error
 */
async function expectHint(sent: Request, status: number, code: ErrorCode, hint: string, at?: string) {
  const response = await ask(sent);
  const { json } = response;
  expectProblem(response, status, code);
  // One mistake, one error: nothing that follows from it is reported beside it.
  if (at !== undefined) expect(json.errors.map(locationOf)).toEqual([at]);
  expect((at === undefined ? json : json.errors[0]).detail).toContain(hint);
}

test.each<[title: string, authorization: string | undefined, hint: string]>([
  ['no Authorization header', undefined, 'The Authorization header is missing.'],
  ['Basic authentication', `Basic ${btoa(`${firm.test}:`)}`, 'another scheme than Bearer'],
  ['the key without Bearer', firm.test, 'The word Bearer is missing'],
  ['Bearer without a key', 'Bearer ', 'no key after Bearer'],
  ['the key in quotes', `Bearer "${firm.test}"`, 'without quotes'],
  ['a placeholder', 'Bearer YOUR_KEY', 'keys start with svc_live_ or svc_test_'],
  ['a key that was cut short', `Bearer ${firm.test.slice(0, -4)}`, 'incomplete or has a wrong character'],
  ['two keys', `Bearer ${firm.test} ${firm.test}`, 'more than one value after Bearer'],
  ['a key of another installation', `Bearer ${unknown}`, 'No API key has this value'],
  ['a revoked key', `Bearer ${revoked}`, 'was revoked'],
  ['an expired key', `Bearer ${expired}`, 'has expired'],
  ["an adjuster's session token", `Bearer ${real.token}`, 'session token of the adjuster app'],
])('the key: %s', (_, authorization, hint) => {
  const headers = authorization === undefined ? undefined : { Authorization: authorization };
  return expectHint({ path: '/v1/me', as: null, ...(headers && { headers }) }, 401, 'invalid_key', hint);
});

test('the key: X-Api-Key in place of Authorization', () => {
  const headers = { 'X-Api-Key': firm.test };
  return expectHint({ path: '/v1/me', as: null, headers }, 401, 'invalid_key', 'X-Api-Key is not read');
});

test.each([
  ['a trailing slash', '/v1/claims/', 'Did you mean /v1/claims?'],
  ['a trailing slash after an id', `/v1/claims/${sent}/`, 'Did you mean /v1/claims/'],
  ['no /v1', '/claims', 'Did you mean /v1/claims?'],
  ['/api in front', '/api/v1/claims', 'Did you mean /v1/claims?'],
  ['a doubled slash', '/v1//claims', 'Did you mean /v1/claims?'],
  ['capital letters', '/v1/Claims', 'Did you mean /v1/claims?'],
  ['one that does not exist', '/v1/adjuster/all', 'not part of the interface. The documentation is at'],
  ['an unknown id', '/v1/claims/0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10', 'No claim of your firm has this id'],
  ['a live claim with a test key', `/v1/claims/${live}`, 'No claim of your firm has this id'],
])('the path: %s', (_, path, hint) => expectHint(get(path), 404, 'not_found', hint));

test.each(['PUT', 'DELETE'])('the method: %s of a claim', (method) =>
  expectHint({ method, path: `/v1/claims/${sent}` }, 405, 'method_not_allowed', 'supports GET, HEAD only'),
);

// The hints of every field and parameter are tested in the contract.
test.each<[title: string, sent: Request, at: string, hint: string]>([
  ['an array of claims', send([claim()]), '', 'Must be an object; received an array'],
  ['no Idempotency-Key', send(claim(), null), 'Idempotency-Key:', 'This header is required'],
  ['an empty Idempotency-Key', send(claim(), ' '), 'Idempotency-Key:', '1 to 255 characters'],
  ['a date', get('/v1/claims?updated_since=2026-08-29'), '?updated_since', 'mean 2026-08-29T00:00:00Z?'],
  ['a page number', get('/v1/claims?page=2'), '?page', 'cursor'],
  ['a cursor that was made up', get('/v1/claims?cursor=2'), '?cursor', 'next_cursor'],
  ['the external id in place of the id', get('/v1/claims/CMS-1'), '?id', 'GET /v1/claims?external_id='],
  ['camelCase', send(claim({ externalId: 'A' })), '/externalId', 'Did you mean external_id?'],
])('fields, headers and parameters: %s', (_, sent, at, hint) =>
  expectHint(sent, 422, 'validation_failed', hint, at),
);

test.each<[title: string, sent: Request, status: number, code: ErrorCode, hint: string]>([
  ['an unknown SVCID', invite('nobody'), 422, 'unknown_osaid', 'case-sensitive'],
  ['a member', invite(firm.account.accepts), 409, 'already_member', 'already a member'],
  ['sent twice', invite(firm.account.new), 409, 'invitation_pending', 'pending'],
  [
    'withdrawn without one',
    { method: 'DELETE', path: `/v1/adjusters/invitations/${firm.account.accepts}` },
    404,
    'not_found',
    'no pending invitation',
  ],
])('an invitation: %s', (_, sent, status, code, hint) => expectHint(sent, status, code, hint));

test.each<[title: string, sent: Request, status: number, code: ErrorCode, hint: string]>([
  ['a read-only key', { ...send(claim()), as: readOnly }, 403, 'insufficient_scope', 'claims:create'],
  [
    'a real adjuster with a test key',
    send(claimBody(real.svcId)),
    422,
    'adjuster_not_in_firm',
    'A test key cannot name a real adjuster',
  ],
  [
    'a test account with a live key',
    { ...send(claim()), as: firm.live },
    422,
    'environment_mismatch',
    'use a test key',
  ],
  [
    'an adjuster who was not invited',
    send(claimBody(firm.account.new)),
    422,
    'adjuster_not_in_firm',
    'accept an invitation first',
  ],
  [
    'an adjuster who has paused',
    send(claimBody(firm.account.paused)),
    422,
    'adjuster_not_accepting',
    'not accepting claims',
  ],
  ['twice with a new key', send(claim({ external_id: 'SENT' })), 409, 'duplicate_claim', 'external_id'],
  ['with the key of another', send(claim(), 'SENT'), 422, 'idempotency_key_reused', 'different'],
  [
    'again after it was accepted',
    post(`/v1/claims/${accepted}/assignment`, {
      body: { adjuster_svc_id: firm.account.accepts },
      headers: { 'Idempotency-Key': 'again' },
    }),
    409,
    'claim_already_accepted',
    'accepted',
  ],
  [
    'in the sandbox with a live key',
    post(`/v1/test/claims/${sent}/acceptance`, { as: firm.live }),
    422,
    'environment_mismatch',
    'for test keys',
  ],
])('a claim: %s', (_, sent, status, code, hint) => expectHint(sent, status, code, hint));

test('a request corrected by its errors is accepted', async () => {
  expect((await ask(send(claim()))).status).toBe(201);
  expect((await ask(send({ ...surgeClaim, adjuster_svc_id: firm.account.manual }))).status).toBe(201);
});

test('every response has a unique request id, which the client cannot set', async () => {
  const seen = new Set<string | null>();
  for (const request of [
    get('/v1/health'),
    { path: '/v1/me', headers: { 'X-Request-Id': 'mine' } },
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
