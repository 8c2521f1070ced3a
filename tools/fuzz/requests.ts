import {
  type Endpoint,
  type EndpointId,
  type ErrorCode,
  EXAMPLES,
  endpoints,
  LIMITS,
  openApiDocument,
  riverClaim,
  smallestClaim,
  surgeClaim,
} from '@svc/contract';
import type { FirmId, Svcid } from '@svc/domain';
import type { Chance } from '../generate/seeded.ts';
import { type Mutation, mutateBody, type Schema } from './bodies.ts';
import type { FuzzRequest } from './judge.ts';

/** Whom and what the requests may name, so that they get further than the first rule. */
export interface FuzzWorld {
  readonly firmId: FirmId;
  readonly live: string;
  readonly test: string;
  readonly readOnly: string;
  readonly otherFirm: string;
  readonly members: readonly Svcid[];
  readonly strangers: readonly string[];
  readonly testAccounts: readonly string[];
  /** Whose session nobody else uses. */
  readonly signsOut: string;
  /** Sessions by SVCID; a session that was ended is replaced. */
  readonly sessions: Map<string, string>;
  /** Claims that were answered. */
  readonly claims: string[];
  readonly sent: Record<string, unknown>[];
}

const BODIES: Readonly<Record<string, readonly unknown[]>> = {
  sendClaim: [surgeClaim, riverClaim, smallestClaim],
};

const ids = Object.keys(endpoints) as EndpointId[];
/** Those that reach furthest, more often. */
const MOST_WANTED: readonly EndpointId[] = [
  'sendClaim',
  'sendClaim',
  'sendClaim',
  'listClaims',
  'offerClaim',
  'inviteAdjuster',
];

// biome-ignore lint/suspicious/noExplicitAny: the document is JSON, taken apart by path
const DOCUMENT: any = openApiDocument({
  baseUrl: 'http://localhost',
  docsUrl: 'http://localhost/docs',
  version: '0',
});

function schemaOf({ method, path }: Endpoint): Schema | null {
  const content = DOCUMENT.paths[path]?.[method.toLowerCase()]?.requestBody?.content;
  const schema = content?.['application/json']?.schema as Schema | undefined;
  return schema === undefined ? null : resolved(schema);
}

function resolved(schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1);
  const found: Schema = name === undefined ? schema : DOCUMENT.components.schemas[name];
  return {
    ...found,
    ...(found.items && { items: resolved(found.items) }),
    ...(found.properties && {
      properties: Object.fromEntries(
        Object.entries(found.properties).map(([key, inner]) => [key, resolved(inner)]),
      ),
    }),
  };
}

const SCHEMAS = new Map(ids.map((id) => [id, schemaOf(endpoints[id])]));

const UUIDS = [
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  'FFFFFFFF-ffff-FFFF-ffff-ffffffffffff',
];
const NO_UUIDS = [
  'x',
  '1',
  '..',
  '%2e%2e',
  'null',
  '00000000-0000-0000-0000-00000000000',
  '%F0%9F%8C%8A',
  "1'%20OR%201=1--",
  'a'.repeat(400),
  '{id}',
  '%00',
];
const BROKEN = ['%', '%zz', '%ff', '%c3%28', '%ed%a0%80'];

type Draft = { -readonly [K in keyof FuzzRequest]: FuzzRequest[K] };

/** Builds the next request. */
export function nextRequest(world: FuzzWorld, chance: Chance, count: number): FuzzRequest {
  const id = chance.happens(0.4) ? chance.one(MOST_WANTED) : chance.one(ids);
  const endpoint: Endpoint = endpoints[id];
  const headers: Record<string, string> = {};
  const mutations: Mutation[] = [];
  const draft: Draft = { endpoint, method: endpoint.method, path: '', headers, body: undefined, mutations };

  const svcId = chance.one(world.members);
  if (endpoint.auth === 'key') headers.authorization = `Bearer ${world.live}`;
  if (endpoint.auth === 'session') {
    headers.authorization = `Bearer ${world.sessions.get(id === 'signOut' ? world.signsOut : svcId)}`;
    // Two may end the same session at once.
    if (id === 'signOut') draft.codes = ['success', 'invalid_session', 'validation_failed'];
  }
  if (endpoint.headers !== undefined) headers['idempotency-key'] = `fuzz-${count}`;
  draft.path = pathOf(draft, world, chance) + queryOf(id, draft, chance);

  const schema = SCHEMAS.get(id) ?? null;
  if (schema !== null) {
    let body = soundBody(id, world, chance, count);
    for (let left = chance.one([0, 1, 1, 1, 2, 4]); left > 0; left -= 1) {
      const made = mutateBody(body, schema, chance);
      body = made.body;
      if (made.mutation !== null) mutations.push(made.mutation);
    }
    // Of several mutations, a later one may undo or hide an earlier one.
    if (mutations.length > 1)
      mutations.splice(0, mutations.length, { name: 'several things', verdict: 'either' });
    headers['content-type'] = 'application/json';
    draft.body = JSON.stringify(body);
    if (id === 'sendClaim' && typeof body === 'object' && body !== null) {
      const { adjuster_svc_id: _, ...content } = body as Record<string, unknown>;
      const loss = content.loss as object;
      draft.sent = JSON.parse(JSON.stringify({ ...content, loss: { ...loss, peril: 'flood' } }));
    }
  }
  if (chance.happens(0.25)) chance.one(BENDS)(draft, world, chance);
  return draft;
}

function soundBody(id: EndpointId, world: FuzzWorld, chance: Chance, count: number): unknown {
  const body = structuredClone(chance.one(BODIES[id] ?? [EXAMPLES[id].body])) as Record<string, unknown>;
  const member = chance.one(world.members);
  if (id === 'sendClaim') {
    Object.assign(body, { external_id: `F-${count}`, claim_number: `C-${count}`, adjuster_svc_id: member });
    if (world.sent.length > 0 && chance.happens(0.05)) return chance.one(world.sent);
    world.sent.push(structuredClone(body));
    if (world.sent.length > 200) world.sent.shift();
  }
  const anybody = (): string =>
    chance.one([...world.members, ...world.strangers, ...world.testAccounts, 'nobody']);
  if (id === 'offerClaim') body.adjuster_svc_id = anybody();
  if (id === 'inviteAdjuster') body.svc_id = anybody();
  if (id === 'updateProfile') body.email = `fuzz-${count}@example.com`;
  return body;
}

function pathOf(draft: Draft, world: FuzzWorld, chance: Chance): string {
  const { path } = draft.endpoint as Endpoint;
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (name === 'device_id') return 'c4a1b6de-52c8-4b0e-a9b0-9a3c1f7d2e60';
    if (name === 'svc_id') return encodeURIComponent(chance.one([...world.strangers, ...world.members]));
    const known = name === 'firm_id' ? [world.firmId] : world.claims.slice(-100);
    if (known.length > 0 && chance.happens(0.85)) return chance.one(known);
    if (chance.happens(0.4)) return chance.one(UUIDS);
    draft.codes = ['validation_failed'];
    // A path that a host folds or cannot decode leads elsewhere.
    const other = chance.one(NO_UUIDS);
    if (/^(\.|%2e)/.test(other)) {
      draft.endpoint = null;
      delete draft.codes;
    }
    return other;
  });
}

function queryOf(id: EndpointId, draft: Draft, chance: Chance): string {
  const endpoint = endpoints[id] as Endpoint;
  const refused = (): void => {
    if (draft.codes === undefined && draft.endpoint !== null) draft.codes = ['validation_failed'];
  };
  if (endpoint.query === undefined) {
    if (chance.happens(0.95)) return '';
    refused();
    return `?${chance.one(['x=1', 'limit=1', '=', 'a', '%F0%9F%8C%8A=1', '__proto__=1'])}`;
  }
  if (chance.happens(0.3)) return '';
  const parts: string[] = [];
  if (chance.happens(0.6)) parts.push(`limit=${chance.whole(1, LIMITS.page.max)}`);
  if (id === 'listClaims') {
    const times = [
      '2026-08-29T14:30:00Z',
      '2026-08-29T14:30:00.123456789%2B05:30',
      '1999-12-31T23:59:60Z',
      '0001-01-01T00:00:00Z',
    ];
    if (chance.happens(0.4)) parts.push(`updated_since=${chance.one(times)}`);
    if (chance.happens(0.3))
      parts.push(`assignment_status=${chance.one(['accepted', 'rejected', 'unassigned'])}`);
    if (chance.happens(0.2))
      parts.push(`external_id=${encodeURIComponent(chance.one(['F-1', 'Ω', 'a b', '🌊']))}`);
  }
  if (chance.happens(0.4)) {
    refused();
    const wrong = [
      'limit=0',
      'limit=201',
      'limit=1.5',
      'limit=1e2',
      'limit=',
      'limit=%31%20',
      'limit=50&limit=50',
      'cursor=',
      'cursor=x',
      `cursor=${'x'.repeat(513)}`,
      'cursor=1~2.3',
      'cursor=%00',
      'Limit=5',
      'unknown=1',
      'limit[]=5',
      '%ff=1',
      'cursor=%ff',
    ];
    if (id === 'listClaims')
      wrong.push(
        'updated_since=yesterday',
        'updated_since=2026-02-30T00:00:00Z',
        'assignment_status=Accepted',
        'external_id=',
        'external_id=%20a',
        'external_id=a%00',
      );
    parts.push(chance.one(wrong));
  }
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

/** Whoever is refused before the body is looked at is refused for that. */
const only = (draft: Draft, ...codes: (ErrorCode | 'success')[]): void => {
  draft.codes = codes;
};

const asBytes = (body: FuzzRequest['body']): string => (typeof body === 'string' ? body : '');

/** What can be wrong with a request besides its fields. */
const BENDS: readonly ((draft: Draft, world: FuzzWorld, chance: Chance) => void)[] = [
  function wrongCredentials(draft, world, chance) {
    const { endpoint } = draft;
    if (endpoint === null || endpoint.auth === 'none') return;
    const headers = draft.headers as Record<string, string>;
    const token = chance.one([
      '',
      'Bearer',
      'Bearer ',
      'Basic YTpi',
      'Bearer x',
      `Bearer ${world.live}x`,
      `bearer  ${world.live.slice(0, -1)}`,
      `Token ${world.live}`,
      'Bearer \u00e9',
      `Bearer ${'x'.repeat(8000)}`,
    ]);
    if (token === '') delete headers.authorization;
    else headers.authorization = token;
    only(draft, endpoint.auth === 'key' ? 'invalid_key' : 'invalid_session');
  },
  function anothersCredentials(draft, world, chance) {
    const { endpoint } = draft;
    if (endpoint === null || endpoint.auth === 'none') return;
    const headers = draft.headers as Record<string, string>;
    const { path } = draft;
    if (endpoint.auth === 'session') {
      headers.authorization = `Bearer ${world.live}`;
      only(draft, 'invalid_session');
      return;
    }
    const key = chance.one([
      world.test,
      world.otherFirm,
      world.readOnly,
      [...world.sessions.values()][0] ?? 'x',
    ]);
    headers.authorization = `Bearer ${key}`;
    if (!key.startsWith('svc_live') && !key.startsWith('svc_test')) only(draft, 'invalid_key');
    else if (key === world.readOnly && endpoint.write) only(draft, 'insufficient_scope');
    else if (key === world.otherFirm && /\/v1\/claims\/[0-9a-f-]{36}$/.test(path)) only(draft, 'not_found');
  },
  function noBodyAsItShouldBe(draft, _world, chance) {
    const { endpoint, body, codes } = draft;
    if (endpoint?.body === undefined || codes !== undefined) return;
    const text = asBytes(body);
    const broken: (string | Uint8Array)[] = [
      // A number that lost its last digit would still be one.
      `{"a":${text}`,
      `${text}x`,
      '{',
      '}',
      'nul',
      `{"a":1,}`,
      "{'a':1}",
      '[1,',
      'NaN',
      Buffer.from(text, 'utf16le'),
      Buffer.from([0xff, 0xfe, 0x7b]),
      Buffer.from(`{"a":"\xff"}`, 'latin1'),
      '\0',
    ];
    if (endpoint.bodyRequired !== false) broken.push('', ' ');
    draft.body = chance.one(broken);
    only(draft, 'malformed_request');
  },
  function otherJson(draft, _world, chance) {
    const { endpoint, codes } = draft;
    if (endpoint?.body === undefined || codes !== undefined) return;
    draft.body = chance.one(['null', '[]', '"text"', '1', 'true', '[{}]', '[[[[]]]]', '-0', '1e999']);
    only(draft, 'validation_failed');
  },
  function otherContentType(draft, _world, chance) {
    const { endpoint, codes } = draft;
    if (endpoint?.body === undefined || codes !== undefined || asBytes(draft.body) === '') return;
    const headers = draft.headers as Record<string, string>;
    const type = chance.one([
      'text/plain',
      'application/jsonp',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'application/json; charset=latin1',
      'x',
      '',
    ]);
    if (type === '') delete headers['content-type'];
    else headers['content-type'] = type;
    only(draft, 'malformed_request');
  },
  function tooLarge(draft, _world, chance) {
    const { endpoint, codes } = draft;
    if (endpoint?.body === undefined || codes !== undefined || chance.happens(0.8)) return;
    draft.body = `{"instructions":"${'x'.repeat(LIMITS.bodyBytes)}"}`;
    only(draft, 'payload_too_large');
  },
  function manyFields(draft, _world, chance) {
    const { endpoint, codes } = draft;
    if (endpoint?.body === undefined || codes !== undefined || chance.happens(0.7)) return;
    draft.body = `{${Array.from({ length: 5_000 }, (_, at) => `"k${at}":{}`).join(',')}}`;
    only(draft, endpoint.auth === 'none' ? 'payload_too_large' : 'validation_failed');
  },
  function idempotencyKey(draft, _world, chance) {
    const { endpoint, codes } = draft;
    if (endpoint?.headers === undefined || codes !== undefined) return;
    const headers = draft.headers as Record<string, string>;
    const key = chance.one([
      null,
      '',
      ' ',
      'x'.repeat(256),
      'x'.repeat(255),
      'a key with blanks',
      '\u00e9',
      'a\tb',
    ]);
    if (key === null) delete headers['idempotency-key'];
    else headers['idempotency-key'] = key;
    if (key === null || key.trim() === '' || key.length > 255) only(draft, 'validation_failed');
    else (draft.mutations as Mutation[]).push({ name: 'another Idempotency-Key', verdict: 'either' });
  },
  function anotherMethod(draft, _world, chance) {
    draft.method = chance.one([
      'GET',
      'POST',
      'PUT',
      'PATCH',
      'DELETE',
      'HEAD',
      'OPTIONS',
      'TRACE',
      'PROPFIND',
    ]);
    draft.endpoint = null;
    delete draft.codes;
    delete draft.sent;
    (draft.mutations as Mutation[]).splice(0);
  },
  function anotherPath(draft, _world, chance) {
    const [path = '', search] = draft.path.split('?');
    const bent = chance.one([
      `${path}/`,
      `/${path}`,
      path.toUpperCase(),
      `${path}/x`,
      `${path};a=1`,
      path.replace('/v1', '/v2'),
      `${path}/${chance.one(BROKEN)}`,
      `/${chance.one(BROKEN)}`,
      path.replace('/v1/', '/v1//'),
      `${path}%20`,
      `${path}.json`,
      path.slice(0, -1),
    ]);
    draft.path = bent + (search === undefined ? '' : `?${search}`);
    draft.endpoint = null;
    delete draft.codes;
    delete draft.sent;
    (draft.mutations as Mutation[]).splice(0);
  },
  function oddHeaders(draft, _world, chance) {
    const headers = draft.headers as Record<string, string>;
    Object.assign(
      headers,
      chance.one<Record<string, string>>([
        { 'x-request-id': 'mine' },
        { accept: 'text/html' },
        { 'x-forwarded-for': '1.2.3.4' },
        { 'x-http-method-override': 'DELETE' },
        { origin: 'https://evil.example' },
        { 'accept-encoding': 'br' },
        { expect: '200-ok' },
        { 'x-a': 'y'.repeat(7000) },
      ]),
    );
  },
  function hugeHeaders(draft) {
    (draft.headers as Record<string, string>)['x-huge'] = 'y'.repeat(17_000);
    draft.endpoint = null;
    only(draft, 'headers_too_large');
  },
];
