import { afterEach, expect, jest, test } from '@jest/globals';
import { RejectedAnswer } from '@svc/application';
import { type Endpoint, ERRORS, type ErrorCode, endpoints, LIMITS, mcpEndpoint } from '@svc/contract';
import {
  type ClaimId,
  DomainError,
  type FaultKind,
  type FieldErrorCode,
  KEY_PURPOSES,
  PLANS,
  permissionsOf,
  STAFF_ROLES,
  scopesOf,
} from '@svc/domain';
import { later } from '@svc/testkit/eventually';
import { shortHash } from '../src/http/pipeline/client-behavior.ts';
import { asHttpProblem } from '../src/http/problems/http-problem.ts';
import { turnForPage, withJsonRows } from '../src/http/routes/paging.ts';
import {
  agentRoute,
  appRoute,
  type FirmContext,
  firmRoute,
  jsonResponse,
  openRoute,
  type PerformOperation,
  type Route,
  staffRoute,
} from '../src/http/routes/route.ts';
import { inAscii } from '../src/http/serialization/ascii-json.ts';
import { application, type Callers, FIRM, GRANT, type Results, requestOf } from './application.ts';

afterEach(() => void jest.useRealTimers());

interface Work {
  handle(id: string): unknown;
}
const kinds = { key: firmRoute, session: appRoute, staff: staffRoute, none: openRoute };
/** Every operation, without its work. */
const operations = (use: Work) => ({
  routes: Object.values(endpoints).map(
    (endpoint: Endpoint): Route =>
      kinds[endpoint.auth](endpoint, async () => {
        await use.handle(endpoint.id);
        return { status: 204 };
      }),
  ),
});
const CREDENTIALS = {
  key: 'bearer svc_live_1',
  session: 'BEARER adjuster',
  staff: 'Bearer staff',
  none: undefined,
};
/** Its own and, where the firm has none, those of the environment. */
const KEY_LIMITS = { requestsPerMinute: 600, writesPerMinute: 120, burst: 20 };

/** Each operation with what becomes of a request for it. */
async function all(credentials: Partial<typeof CREDENTIALS>, callers: Callers = {}, results: Results = {}) {
  const ask = application<Work>(operations, results, callers);
  const ends = [];
  for (const id of Object.keys(endpoints)) {
    const { endpoint, path, query, headers, body } = requestOf(id);
    const authorization = credentials[endpoint.auth];
    const sent = { headers: { ...headers, authorization, 'x-request-id': 'own' }, body };
    ends.push({ endpoint, ...(await ask(endpoint.method, `${path}?${query}`, sent)) });
  }
  return ends;
}

test('each request counts against the limits of its caller, and its response against what the caller leaves unread', async () => {
  const byCaller = {
    key: ({ id, write, sandbox }: Endpoint, environment: string) => [
      ['apiKeyAuthenticator.check', `svc_${environment}_1`],
      [
        ...['rateLimiter.consume', 'key_1'],
        ...[environment === 'live' ? KEY_LIMITS : { ...KEY_LIMITS, writesPerMinute: 30 }, { write }],
      ],
      ...(environment === 'test' && sandbox !== true ? [['faults.take', FIRM, 'key_1']] : []),
      ['handle', id],
    ],
    session: ({ id }: Endpoint) => [
      ['sessionAuthenticator.authenticate', 'adjuster'],
      ['sessionLimiter', 'session'],
      ['handle', id],
    ],
    staff: ({ id }: Endpoint) => [
      ['sessionAuthenticator.authenticateStaff', 'staff'],
      ['sessionLimiter', 'session'],
      ['handle', id],
    ],
    none: ({ id }: Endpoint) => [['handle', id]],
  };
  const readers = {
    key: `firm ${FIRM}`,
    session: 'adjuster SVC-1',
    staff: 'staff staff-1',
    none: 'address 192.0.2.1',
  };
  for (const environment of ['live', 'test']) {
    const ends = await all({ ...CREDENTIALS, key: `Bearer svc_${environment}_1` });
    const admission = [['isDraining'], ['edgeLimiter.allow', '192.0.2.1']];
    const ids = ends.map(({ header }) => `${header('X-Request-Id')}`);
    expect([new Set(ids).size, ids.filter((id) => !/^[0-9a-f-]{36}$/.test(id))]).toEqual([ends.length, []]);
    for (const { endpoint, status, calls, trace } of ends)
      expect([endpoint.id, status, trace?.route, trace?.environment, trace?.reader, calls]).toEqual([
        ...[endpoint.id, 204, `${endpoint.method} ${endpoint.path}`],
        endpoint.auth === 'key' ? environment : undefined,
        endpoint.method === 'GET' ? readers[endpoint.auth] : undefined,
        [...admission, ...byCaller[endpoint.auth](endpoint, environment)],
      ]);
  }
});

const unauthenticated: Refusal[4] = ({ auth }) =>
  auth === 'none' ? null : auth === 'key' ? 'invalid_key' : 'invalid_session';
const limited =
  (...of: Endpoint['auth'][]): Refusal[4] =>
  ({ auth }) =>
    of.includes(auth) ? 'rate_limited' : null;
const over = { allowed: false, retryAfterMs: 1001 };

type Refusal = [
  who: string,
  Partial<typeof CREDENTIALS>,
  Callers,
  Results,
  (of: Endpoint) => ErrorCode | null,
];

test.each<Refusal>([
  ['sends no credential', {}, {}, {}, unauthenticated],
  [
    ...(['sends that of another caller'] as const),
    ...([{ key: 'Bearer staff', session: 'Bearer staff', staff: 'Bearer adjuster' }, {}, {}] as const),
    unauthenticated,
  ],
  [
    'names another scheme',
    { key: 'svc_live_1', session: 'adjuster', staff: 'Basic staff' },
    {},
    {},
    unauthenticated,
  ],
  ...KEY_PURPOSES.map((purpose): Refusal => {
    const mayUse = ({ scope }: Endpoint) => scope === null || scopesOf(purpose, 'standard').includes(scope);
    const codeOf: Refusal[4] = (of) => (of.auth !== 'key' || mayUse(of) ? null : 'insufficient_scope');
    return [`has a key of the purpose ${purpose}`, CREDENTIALS, { grant: { purpose } }, {}, codeOf];
  }),
  ...STAFF_ROLES.map((role): Refusal => {
    const codeOf: Refusal[4] = ({ permission }) =>
      permission == null || permissionsOf(role, 'standard').includes(permission)
        ? null
        : 'insufficient_scope';
    return [`has the role ${role}`, CREDENTIALS, { staff: { role } }, {}, codeOf];
  }),
  ...PLANS.map((plan): Refusal => {
    const codeOf: Refusal[4] = ({ auth, scope, permission }) => {
      const isIncluded =
        auth === 'key'
          ? scope === null || scopesOf('full_access', plan).includes(scope)
          : permission == null || permissionsOf('admin', plan).includes(permission);
      return isIncluded ? null : 'not_in_plan';
    };
    return [
      `is of a firm with the plan ${plan}`,
      CREDENTIALS,
      { grant: { plan }, staff: { plan } },
      {},
      codeOf,
    ];
  }),
  [
    'has to add a passkey before',
    ...([CREDENTIALS, { session: { mayOnlyAddPasskey: true } }, {}] as const),
    ({ auth, beforePasskey }) =>
      /key|none/.test(auth) || beforePasskey === true ? null : 'passkey_required',
  ],
  [
    'exceeds the limits of a key',
    ...([CREDENTIALS, { grant: { purpose: 'read_only' } }, { 'rateLimiter.consume': over }] as const),
    limited('key'),
  ],
  [
    'exceeds those of a session',
    ...([CREDENTIALS, { session: { mayOnlyAddPasskey: true } }, { sessionLimiter: over }] as const),
    limited('session', 'staff'),
  ],
])(
  'who %s is refused what they may not do, before it is done, which is recorded of firms',
  async (_, credentials, callers, results, codeOf) => {
    for (const { endpoint, status, json, header, calls, audited } of await all(
      credentials,
      callers,
      results,
    )) {
      const code = codeOf(endpoint);
      expect([endpoint.id, json?.code ?? null, status]).toEqual([
        ...[endpoint.id, code, code === null ? 204 : ERRORS[code].status],
      ]);
      expect(calls.some(([name]) => name === 'handle')).toBe(code === null);
      const isRecorded =
        /scope|plan|passkey/.test(code ?? '') && endpoint.auth !== 'session' && endpoint.audit !== null;
      expect(audited.map(({ action, outcome }) => [action, outcome])).toEqual(
        isRecorded ? [[endpoint.audit, code]] : [],
      );
      expect(['WWW-Authenticate', 'Retry-After', 'Content-Type'].map(header)).toEqual([
        ...[status === 401 ? 'Bearer' : undefined, status === 429 ? '2' : undefined],
        code === null ? undefined : 'application/problem+json',
      ]);
    }
  },
);

test('purpose and plan are checked before the size of the body, and that before the fields of query, headers and body', async () => {
  const found = async (grant: Callers['grant'] = {}, headers: Record<string, string> = {}) => {
    const ask = application<Work>(operations, {}, { grant });
    const { json } = await ask('POST', '/v1/claims?a=1', { headers: { ...KEY, ...headers }, body: {} });
    return [
      json.code,
      ...(json.errors ?? []).map(({ parameter, header }: Record<string, string>) => parameter ?? header),
    ];
  };
  const large = { 'content-length': `${LIMITS.bodyBytes + 1}` };
  expect([await found({ purpose: 'read_only' }, large), await found({ plan: 'read_only' }, large)]).toEqual([
    ['insufficient_scope'],
    ['not_in_plan'],
  ]);
  expect(await found({}, large)).toEqual(['payload_too_large']);
  expect((await found()).slice(0, 3)).toEqual(['validation_failed', 'a', 'Idempotency-Key']);
});

test('an operation takes as many values as it allows, and no body where it needs none', async () => {
  const ask = application<Work>(operations);
  const values = { a: Array(LIMITS.bodyValues).fill(1) };
  const send = async (id: string, body?: unknown) => {
    const { endpoint, path, query, headers } = requestOf(id);
    const sent = { ...headers, authorization: CREDENTIALS[endpoint.auth] };
    const { status, json } = await ask(endpoint.method, `${path}?${query}`, { headers: sent, body });
    return json?.errors?.[0]?.detail ?? json?.detail ?? status;
  };
  const most = `Must not hold more than ${LIMITS.bodyValues} values.`;
  expect([await send('inviteAdjuster', values), await send('importClaims', values)]).toEqual([
    most,
    expect.not.stringContaining('Must not hold'),
  ]);
  expect([await send('withdrawBoardOffer'), await send('signOut'), await send('inviteAdjuster')]).toEqual([
    ...[204, 204, 'The Content-Type must be application/json.'],
  ]);
  const message = agentRoute(mcpEndpoint, async () => ({ status: 204 }));
  const sizes = [LIMITS.messageBytes, LIMITS.messageBytes + 1].map((size) =>
    application<Work>(() => ({ routes: [message] }))('POST', '/mcp', {
      headers: { ...KEY, 'content-length': `${size}` },
      body: {},
    }),
  );
  expect((await Promise.all(sizes)).map(({ status }) => status)).toEqual([204, 413]);
});

const KEY = { authorization: 'Bearer svc_live_1' };

type Unmatched = [
  method: string,
  path: string,
  Record<string, string>,
  code: string,
  counted: boolean | null,
];
const withoutKey = (code: string, ...paths: string[]): Unmatched[] =>
  paths.map((path) => ['GET', path, {}, code, null]);

test.each<Unmatched>([
  ...withoutKey('invalid_key', '/v1', '/v1/', '/v1/nowhere', '/v1/health/x'),
  ['PUT', '/v1/claims', {}, 'invalid_key', null],
  ['GET', '/v1/nowhere', KEY, 'not_found', false],
  ['HEAD', '/v1/nowhere', KEY, 'not_found', false],
  ['POST', '/v1/nowhere', KEY, 'not_found', true],
  ['PUT', '/v1/claims', KEY, 'method_not_allowed', true],
  ['PUT', '/v1/health', {}, 'method_not_allowed', null],
  ...withoutKey('not_found', '/v1x', '/nowhere/v1/', '/app/v1/nowhere', '/firm/v1/nowhere'),
])(
  'at %s %s with %j nothing is found for who has no key, and for others it counts',
  async (method, path, headers, code, write) => {
    const { json, calls, trace } = await application<Work>(operations)(method, path, { headers });
    const counted = calls.filter(([name]) => name === 'rateLimiter.consume');
    expect([json.code, trace?.route, trace?.keyId, counted]).toEqual([
      ...[code, undefined, write === null ? undefined : 'key_1'],
      write === null ? [] : [['rateLimiter.consume', 'key_1', KEY_LIMITS, { write }]],
    ]);
  },
);

test('an unknown path is answered with the one that was meant, and an excess of such requests like any other', async () => {
  const { json } = await application<Work>(operations)('GET', '/v1/Claims/', { headers: KEY });
  const at = (detail: string) =>
    `This path is not part of the interface.${detail} The documentation is at https://docs.example.`;
  expect(json.detail).toBe(at(' Did you mean /v1/claims?'));
  const other = await application<Work>(operations)('GET', '/v1/nowhere', { headers: KEY });
  expect(other.json.detail).toBe(at(''));
  const limitedAsk = application<Work>(operations, { 'rateLimiter.consume': { ...over, retryAfterMs: 0 } });
  const end = await limitedAsk('GET', '/v1/nowhere', { headers: KEY });
  expect([end.status, end.header('Retry-After'), end.calls.at(-1)]).toEqual([
    429,
    '1',
    ['rejectionPace.next', 'key_1'],
  ]);
  expect(end.json.detail).toBe(
    'This key may send 600 requests per minute, 120 of them writes, and 20 at once.',
  );
});

test.each([
  ['sendClaim', 'idempotency-key', 'The Idempotency-Key header was sent twice.'],
  ['sendClaim', 'content-type', 'The Content-Type header was sent twice.'],
  ['getClaim', 'authorization', 'The Authorization header was sent twice.'],
  ['getClaim', 'host', 'The Host header was sent twice.'],
  ['getClaim', 'content-type', null],
  ['inviteAdjuster', 'idempotency-key', null],
])('a request for %s that has the header %s twice is answered: %s', async (id, name, detail) => {
  const { endpoint, path, headers, body } = requestOf(id);
  const rawHeaders = [name.toUpperCase(), 'a', 'X-Other', name, name, 'a'];
  const sent = { headers: { ...headers, ...KEY }, rawHeaders, body };
  const { status, json } = await application<Work>(operations)(endpoint.method, path, sent);
  expect(json?.detail ?? status).toBe(detail ?? 204);
});

test.each([
  ['requestSignInCode', LIMITS.openBodyBytes, LIMITS.openSmallChunks],
  ['sendClaim', LIMITS.bodyBytes, LIMITS.smallChunks],
  ['importClaims', LIMITS.bodyBytes, LIMITS.smallChunks],
])('a body for %s has %d bytes and %d small chunks at most', async (id, most, mostChunks) => {
  const { endpoint, path, headers, body } = requestOf(id);
  const send = (more: Record<string, string>, characters?: number) =>
    application<Work>(operations)(endpoint.method, path, {
      headers: { ...headers, authorization: CREDENTIALS[endpoint.auth], ...more },
      ...{ body, ...(characters !== undefined && { characters }) },
    });
  const ends = [
    ...[most, most + 1].map((size) => send({ 'content-length': `${size}` })),
    ...[mostChunks, mostChunks + 1].map((characters) => send({}, characters)),
  ];
  expect((await Promise.all(ends)).map(({ status }) => status)).toEqual([204, 413, 204, 400]);
});

test('who is slow to send bodies keeps no other from being served, and may send 24 MB of them at once', async () => {
  const ask = application<Work>(operations);
  const send = (id: string, isComplete = true) => {
    const { endpoint, path, query, headers } = requestOf(id);
    const sent = { ...headers, authorization: CREDENTIALS[endpoint.auth] };
    const body = 'x'.repeat(LIMITS.bodyBytes - 2);
    return ask('POST', `${path}?${query}`, { headers: sent, body, isComplete });
  };
  for (let times = 0; times < 25; times += 1) expect((await send('sendClaim')).status).toBe(422);
  for (let times = 0; times < 24; times += 1) {
    void send('sendClaim', false);
    for (let ticks = 0; ticks < 5; ticks += 1) await new Promise(setImmediate);
  }
  expect((await send('sendClaim')).json.code).toBe('service_unavailable');
  expect((await send('sendBoardClaim')).json.code).toBe('validation_failed');
});

test('long work is counted for a firm and for an adjuster, whatever key or session asks for it', async () => {
  const { promise, resolve } = later();
  const handle = async (_: object, { longWork }: Pick<FirmContext, 'longWork'>) => {
    await longWork('verification', (nextPiece) => nextPiece().then(() => promise));
    return { status: 204 };
  };
  const routes = [firmRoute(endpoints.getKeyInfo, handle), appRoute(endpoints.getProfile, handle)];
  const ask = application<Work>(() => ({ routes }), {
    'apiKeyAuthenticator.check': (keyId: string) => ({ grant: { ...GRANT, environment: 'live', keyId } }),
    'sessionAuthenticator.authenticate': async (sessionId: string) => ({ sessionId, svcId: 'SVC-1' }),
  });
  const ends = ['/v1/me 1', '/app/v1/me 1', '/v1/me 2', '/app/v1/me 2'].map(async (one) => {
    const [path = '', token] = one.split(' ');
    return (await ask('GET', path, { headers: { authorization: `Bearer ${token}` } })).status;
  });
  expect(await Promise.all(ends.slice(2))).toEqual([429, 429]);
  resolve();
  expect(await Promise.all(ends)).toEqual([204, 204, 429, 429]);
});

test.each<[id: string, waitsFor: string, fault?: FaultKind]>([
  ...['getKeyInfo', 'getProfile', 'getOwnStaff', 'getHealth'].map((id): [string, string] => [id, 'handle']),
  ['getKeyInfo', 'apiKeyAuthenticator.check'],
  ['nowhere', 'apiKeyAuthenticator.check'],
  ['getKeyInfo', 'faults.take'],
  ['getKeyInfo', 'faults.giveBack', 'dropped_write'],
  ['getProfile', 'sessionAuthenticator.authenticate'],
  ['getOwnStaff', 'sessionAuthenticator.authenticateStaff'],
])('a request for %s that waits for %s is answered after five seconds', async (...row) => {
  const [id, waitsFor, fault] = row;
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] });
  const results = { 'faults.take': async () => fault ?? null, [waitsFor]: () => new Promise(() => {}) };
  const { endpoint, path } =
    id === 'nowhere' ? { ...requestOf('getClaim'), path: '/v1/nowhere' } : requestOf(id);
  const authorization = endpoint.auth === 'key' ? 'Bearer svc_test_1' : CREDENTIALS[endpoint.auth];
  const asked = application<Work>(operations, results)('GET', path, { headers: { authorization } });
  let isAnswered = false;
  void asked.then(() => {
    isAnswered = true;
  });
  const settle = async () => {
    for (let times = 0; times < 9; times += 1) await new Promise(setImmediate);
  };
  await settle();
  jest.advanceTimersByTime(4999);
  await settle();
  expect(isAnswered).toBe(false);
  jest.advanceTimersByTime(1);
  expect((await asked).json.code).toBe('service_unavailable');
});

test('of a graded request the trace has key, subject and cursor as hashes of its firm, and a claim in lowercase', async () => {
  const headers = { authorization: 'Bearer svc_test_1', 'idempotency-key': 'k' };
  const id = '0B9F6A52-3C0E-4A53-8F57-2F1F7A3C9D10';
  const { trace } = await application<Work>(operations)('POST', `/v1/claims/${id}/assignment?cursor=c`, {
    ...{ headers, body: { adjuster_svc_id: 'SVC-1' } },
  });
  expect(trace?.behavior).toEqual({
    ...{ operation: 'POST /v1/claims/{id}/assignment', idempotencyKey: shortHash(FIRM, 'k') },
    ...{ subject: shortHash(FIRM, `${id.toLowerCase()} SVC-1`), cursor: shortHash(FIRM, 'c') },
  });
  const { trace: read } = await application<Work>(operations)('GET', `/v1/claims/${id}`, { headers });
  expect(read?.claimId).toBe(id.toLowerCase());
  const { trace: named } = await application<Work>(operations)('GET', '/v1/claims/Ana', { headers });
  expect([named?.code, named?.claimId]).toEqual(['validation_failed', undefined]);
});

/** What becomes of an operation that a message of a firm's program names, and what it is given. */
async function inMessage(
  id: string,
  sent: Partial<Parameters<PerformOperation>[1]>,
  callers: Callers = {},
  results: Results = {},
) {
  const given: object[] = [];
  let by: unknown;
  const operation = firmRoute(endpoints[id as 'getClaim'], async ({ params }, { sentBody, maxPageBytes }) => {
    given.push({ params, sentBody, maxPageBytes });
    return { status: 201, ...(id === 'offerClaim' && { claimId: 'new' as ClaimId }) };
  });
  const message = agentRoute(mcpEndpoint, async (_, { perform, headers, origin, grant }) => {
    by = [headers.authorization, origin.address, grant.keyId];
    return perform(operation, { params: {}, search: '', headers: {}, body: {}, ...sent }).then(
      ({ status }) => jsonResponse({ code: status }, 207),
      (error: unknown) => jsonResponse({ code: asHttpProblem(error).code }, 207),
    );
  });
  const ask = application<Work>(() => ({ routes: [message] }), results, callers);
  const { json, calls, trace, lines, audited } = await ask('POST', '/mcp', { headers: KEY, body: {} });
  expect(by).toEqual([KEY.authorization, '192.0.2.1', 'key_1']);
  return {
    ...{ status: json.code, reader: trace?.reader },
    ...{
      given,
      lines,
      audited: audited.map(({ chain, actor, action, object, outcome }) =>
        [chain, actor, action, object, outcome].join(' '),
      ),
    },
    counted: calls.filter(([name]) => name === 'rateLimiter.consume').map(([, , , counted]) => counted),
  };
}

test('an operation in a message has its own limit, scope, log and audit trail, and pages of the size for tools', async () => {
  const [{ params, headers, body }, counted] = [requestOf('offerClaim'), { write: true, isCounted: true }];
  const line = {
    ...{ message: 'request', request_id: expect.any(String), method: 'POST' },
    ...{ key_id: 'key_1', firm_id: FIRM, ms: expect.any(Number) },
  };
  const of = { route: 'POST /v1/claims/{id}/assignment' };
  const upper = { id: `${params.id}`.toUpperCase() };
  expect(await inMessage('offerClaim', { params: upper, headers, body })).toEqual({
    ...{ status: 201, audited: [], counted: [{ write: false }, counted], reader: undefined },
    given: [{ params: { id: params.id }, sentBody: body, maxPageBytes: LIMITS.toolPage.bytes }],
    lines: [{ ...line, ...of, status: 201, claim_id: 'new' }],
  });
  expect(
    await inMessage('offerClaim', { params, headers, body }, { grant: { purpose: 'read_only' } }),
  ).toEqual({
    ...{
      ...{ status: 'insufficient_scope', reader: `firm ${FIRM}` },
      audited: [`${FIRM} key:key_1 claim.offer claim:${params.id} insufficient_scope`],
      counted: [{ write: false }, counted],
    },
    ...{ given: [], lines: [{ ...line, ...of, status: 403, code: 'insufficient_scope' }] },
  });
  const denied = await inMessage('offerClaim', { params, headers, body }, { grant: { plan: 'read_only' } });
  expect(denied.status).toBe('not_in_plan');
  const consume = async (_key: string, _limits: object, { write }: { write: boolean }) =>
    write ? over : { allowed: true };
  const limitedEnd = await inMessage(
    'offerClaim',
    { params, headers, body },
    {},
    { 'rateLimiter.consume': consume },
  );
  expect([limitedEnd.status, limitedEnd.given]).toEqual(['rate_limited', []]);
  expect(await inMessage('getClaim', { params: upper })).toMatchObject({
    ...{ status: 201, reader: `firm ${FIRM}`, lines: [{ claim_id: params.id }] },
    counted: [{ write: false }],
  });
  const sizes = [16_384, 16_385].map((size) =>
    inMessage('listClaims', { search: `external_id=${'%20'.repeat(9)}`.padEnd(size - 2, '&') }),
  );
  expect((await Promise.all(sizes)).map(({ status }) => status)).toEqual([
    'validation_failed',
    'payload_too_large',
  ]);
});

test.each<
  [kind: FaultKind, id: string, status: number, route: string, isGivenBack: boolean, maxPageBytes?: number]
>([
  ['rate_limited', 'listClaims', 429, 'simulated fault', false],
  ['short_page', 'listClaims', 200, 'GET /v1/claims', true, 1],
  ['unknown_value', 'getClaim', 200, 'simulated fault', false],
  ['unknown_value', 'getKeyInfo', 200, 'GET /v1/me', true],
  ['dropped_write', 'getClaim', 200, 'GET /v1/claims/{id}', true],
  ['unknown_value', 'getReceipt', 404, 'GET /v1/claims/{id}/receipt', true],
])('the fault %s of %s has the status %d and the route %s, and is given back: %s', async (...row) => {
  const [kind, id, status, route, isGivenBack, maxPageBytes] = row;
  const given: unknown[] = [];
  const { endpoint, path } = requestOf(id);
  const text = id === 'getClaim' ? '{"status":"pending_acceptance"}' : '{"next_cursor":null}';
  const operation = firmRoute(endpoint, async (_, context) => {
    given.push(context.maxPageBytes);
    if (id === 'getReceipt') throw new DomainError('not_found', 'No.');
    return { status: 200, json: inAscii(text) };
  });
  const ask = application<Work>(() => ({ routes: [operation] }), {
    'faults.take': async () => kind,
    'faults.giveBack': async () => {},
  });
  const end = await ask('GET', path, { headers: { authorization: 'Bearer svc_test_1' } });
  const isUnknown = kind === 'unknown_value' && id === 'getClaim';
  expect([end.status, end.trace?.route, end.trace?.behavior?.unknownValue, given]).toEqual([
    ...[status, route, isUnknown ? 'received' : undefined, kind === 'rate_limited' ? [] : [maxPageBytes]],
  ]);
  expect(end.calls.slice(5)).toEqual(isGivenBack ? [['faults.giveBack', FIRM, 'key_1', kind]] : []);
});

test('what a page of another firm sends is refused, and a rejected answer is recorded for the firm of its offer', async () => {
  const { path } = requestOf('getOwnStaff');
  const shown = (firm: string) =>
    application<Work>(operations)('GET', path, {
      headers: { authorization: 'Bearer staff', 'x-claims-page': firm, 'sec-fetch-site': 'same-origin' },
    });
  expect([(await shown(FIRM)).status, (await shown(FIRM.replace('f1', 'f2'))).json?.code]).toEqual([
    204,
    'invalid_session',
  ]);
  const accept = requestOf('acceptClaim');
  const device = { answeredAt: 1, keptOfflineSince: null };
  for (const isRecorded of [false, true]) {
    const error = new RejectedAnswer(new DomainError('not_found', 'No.'), FIRM, device, isRecorded);
    const rejecting = appRoute(accept.endpoint, () => Promise.reject(error));
    const ask = application<Work>(() => ({ routes: [rejecting] }));
    const end = await ask('POST', accept.path, {
      headers: { authorization: 'Bearer adjuster' },
      body: accept.body,
    });
    expect(end.audited.map(({ chain, action, outcome, device }) => [chain, action, outcome, device])).toEqual(
      isRecorded ? [] : [[FIRM, 'claim.accept', 'not_found', device]],
    );
  }
});

test('a rule about a field is an error at the place where the operation has it', async () => {
  const placed = Object.values<Endpoint>(endpoints).flatMap(({ id, pointers = {} }) =>
    Object.entries(pointers).map(([code, pointer]) => [id, code as FieldErrorCode, pointer] as const),
  );
  for (const [id, code, pointer] of [...placed, ['rollKey', 'too_many_keys', ''] as const]) {
    const { endpoint, path, query, headers, body } = requestOf(id);
    const route = (endpoint.auth === 'staff' ? staffRoute : endpoint.auth === 'key' ? firmRoute : appRoute)(
      endpoint,
      () => Promise.reject(new DomainError(code, 'No.')),
    );
    const sent = { headers: { ...headers, authorization: CREDENTIALS[endpoint.auth] }, body };
    const { json } = await application<Work>(() => ({ routes: [route] }))(
      endpoint.method,
      `${path}?${query}`,
      sent,
    );
    expect([id, json.errors]).toEqual([id, [{ detail: 'No.', pointer }]]);
  }
  expect(placed.length).toBeGreaterThan(1);
});

test('a long page waits for its turn before it is read and before it is written, and again after each 128 kB', async () => {
  const { default: most } = LIMITS.page;
  let turns = 0;
  const nextPiece = async () => {
    turns += 1;
    return true;
  };
  const turnsOf = async (work: Promise<unknown>) => {
    await work;
    const taken = turns;
    turns = 0;
    return taken;
  };
  const rows = (count: number) => ({ rows: Array.from({ length: count }, (_, n) => n), next: null });
  const written = (count: number, bytes: number) =>
    withJsonRows(rows(count), () => inAscii('x'.repeat(bytes)), nextPiece);
  const asked = (limit: number) => ({ after: null, limit, maxBytes: 1 });
  expect([
    await turnsOf(turnForPage(asked(most), nextPiece)),
    await turnsOf(turnForPage(asked(most + 1), nextPiece)),
  ]).toEqual([0, 1]);
  expect([await turnsOf(written(most, 1)), await turnsOf(written(most + 1, 1))]).toEqual([0, 1]);
  expect([await turnsOf(written(6, 2 ** 16 - 1)), await turnsOf(written(6, 2 ** 16))]).toEqual([1, 2]);
  expect(await written(2, 1)).toEqual({ rows: ['x', 'x'], next: null });
});
