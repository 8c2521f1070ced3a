import {
  type Endpoint,
  type EndpointId,
  EXAMPLES,
  endpoints,
  type JsonSchema,
  LIMITS,
  openApiDocument,
  riverClaim,
  smallestClaim,
  surgeClaim,
} from '@svc/contract';
import type { FirmId, Svcid } from '@svc/domain';
import type { Random } from '../generate/random.ts';
import { type Mutation, mutateBody } from './fuzz-bodies.ts';
import type { FuzzRequest } from './judge.ts';

/** Existing data for the requests to name, so that they pass the first checks. */
export interface FuzzData {
  readonly firmId: FirmId;
  readonly live: string;
  readonly members: readonly Svcid[];
  readonly strangers: readonly string[];
  readonly testAccounts: readonly string[];
  /** The adjuster whose session is used to sign out, and for nothing else. */
  readonly signsOut: string;
  /** Session tokens by SVCID; an ended session is replaced. */
  readonly sessions: Map<string, string>;
  /** A session of an administrator, of the same firm. */
  readonly staff: string;
  /** IDs of created claims. */
  readonly claims: string[];
  readonly sent: Record<string, unknown>[];
}

const BODIES: Readonly<Record<string, readonly unknown[]>> = {
  sendClaim: [surgeClaim, riverClaim, smallestClaim],
};

/**
 * Simulated faults would make other requests fail, a sign-out would end the only session, a firm has few staff and
 * webhooks, and most texts that the contract allows are no CSV.
 */
const LEFT_OUT: readonly EndpointId[] = [
  ...(['simulateFaults', 'signOutStaff', 'inviteStaff', 'createWebhook', 'importClaims'] as const),
];
const ids: readonly EndpointId[] = (Object.keys(endpoints) as EndpointId[]).filter(
  (id) => !LEFT_OUT.includes(id),
);
/** Requested more often than the others. */
const FREQUENT: readonly EndpointId[] = [
  'sendClaim',
  'sendClaim',
  'sendClaim',
  'listClaims',
  'offerClaim',
  'inviteAdjuster',
];

// biome-ignore lint/suspicious/noExplicitAny: the document is JSON, read by path
const DOCUMENTS: readonly any[] = (['firm', 'app', 'desk'] as const).map((api) =>
  openApiDocument(
    {
      baseUrl: 'http://localhost',
      docsUrl: 'http://localhost/docs',
      version: '0',
      supportEmail: 'support@localhost',
    },
    { api },
  ),
);
const NAMED_SCHEMAS = Object.assign({}, ...DOCUMENTS.map(({ components }) => components.schemas));

function schemaOf({ method, path }: Endpoint): JsonSchema | null {
  const operation = DOCUMENTS.map(({ paths }) => paths[path]?.[method.toLowerCase()]).find(Boolean);
  const schema = operation?.requestBody?.content['application/json'].schema as JsonSchema | undefined;
  return schema === undefined ? null : resolved(schema);
}

function resolved(schema: JsonSchema): JsonSchema {
  const name = schema.$ref?.split('/').at(-1);
  const found: JsonSchema = name === undefined ? schema : NAMED_SCHEMAS[name];
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
const INVALID_UUIDS = [
  ..."x 1 .. %2e%2e null 00000000-0000-0000-0000-00000000000 %F0%9F%8C%8A 1'%20OR%201=1-- {id} %00".split(
    ' ',
  ),
  'a'.repeat(400),
];
const INVALID_ESCAPES = ['%', '%zz', '%ff', '%c3%28', '%ed%a0%80'];

type Draft = { -readonly [K in keyof FuzzRequest]: FuzzRequest[K] } & {
  readonly headers: Record<string, string>;
  mutations: Mutation[];
};
const CLAIM_QUERIES =
  'updated_since=yesterday updated_since=2026-02-30T00:00:00Z assignment_status=Accepted external_id= external_id=%20a external_id=a%00';
const INVALID_QUERIES =
  'limit=0 limit=201 limit=1.5 limit=1e2 limit= limit=%31%20 limit=50&limit=50 cursor= cursor=x cursor=1~2.3 cursor=%00 Limit=5 unknown=1 limit[]=5 %ff=1 cursor=%ff';

export function nextRequest(data: FuzzData, random: Random, count: number): FuzzRequest {
  const id = random.chance(0.4) ? random.pick(FREQUENT) : random.pick(ids);
  const endpoint: Endpoint = endpoints[id];
  const headers: Record<string, string> = {};
  const mutations: Mutation[] = [];
  const draft: Draft = { endpoint, method: endpoint.method, path: '', headers, body: undefined, mutations };

  const svcId = random.pick(data.members);
  if (endpoint.auth === 'key') headers.authorization = `Bearer ${data.live}`;
  if (endpoint.auth === 'staff') headers.authorization = `Bearer ${data.staff}`;
  if (endpoint.auth === 'session') {
    headers.authorization = `Bearer ${data.sessions.get(id === 'signOut' ? data.signsOut : svcId)}`;
    // Two concurrent requests may end the same session.
    if (id === 'signOut') draft.codes = ['success', 'invalid_session', 'validation_failed'];
  }
  if (takesIdempotencyKey(endpoint)) headers['idempotency-key'] = `fuzz-${count}`;
  draft.path = pathOf(draft, data, random) + queryOf(id, draft, random);

  const schema = SCHEMAS.get(id) ?? null;
  if (schema !== null) {
    let body = validBody(id, data, random, count);
    for (let left = random.pick([0, 1, 1, 1, 2, 4]); left > 0; left -= 1) {
      const mutated = mutateBody(body, schema, random);
      body = mutated.body;
      if (mutated.mutation !== null) mutations.push(mutated.mutation);
    }
    // A later mutation may undo or hide an earlier one.
    if (mutations.length > 1)
      mutations.splice(0, mutations.length, { name: 'several mutations', expected: 'either' });
    headers['content-type'] = 'application/json';
    draft.body = JSON.stringify(body);
    // Both limits are checked before path, query and fields.
    if (
      draft.endpoint !== null &&
      endpoint.auth === 'none' &&
      Buffer.byteLength(draft.body) > LIMITS.openBodyBytes
    )
      draft.codes = ['payload_too_large'];
    else if (draft.endpoint !== null && isDeeperThan(LIMITS.bodyDepth, body))
      draft.codes = ['malformed_request'];
    if (id === 'sendClaim' && typeof body === 'object' && body !== null) {
      const { adjuster_svc_id: _, ...content } = body as Record<string, unknown>;
      const loss = content.loss as object;
      draft.sent = JSON.parse(JSON.stringify({ ...content, loss: { ...loss, peril: 'flood' } }));
    }
  }
  if (random.chance(0.05)) random.pick(REQUEST_MUTATIONS)(draft, random);
  return draft;
}

const isDeeperThan = (levels: number, value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner)));

const takesIdempotencyKey = ({ headers }: Endpoint): boolean => 'Idempotency-Key' in (headers?.shape ?? {});

function validBody(id: EndpointId, data: FuzzData, random: Random, count: number): unknown {
  const body = structuredClone(random.pick(BODIES[id] ?? [EXAMPLES[id].body])) as Record<string, unknown>;
  const member = random.pick(data.members);
  if (id === 'sendClaim') {
    Object.assign(body, { external_id: `F-${count}`, claim_number: `C-${count}`, adjuster_svc_id: member });
    if (data.sent.length > 0 && random.chance(0.05)) return random.pick(data.sent);
    data.sent.push(structuredClone(body));
    if (data.sent.length > 200) data.sent.shift();
  }
  const anyone = (): string =>
    random.pick([...data.members, ...data.strangers, ...data.testAccounts, 'nobody']);
  if (id === 'offerClaim') body.adjuster_svc_id = anyone();
  if (id === 'inviteAdjuster') body.svc_id = anyone();
  if (id === 'updateProfile') body.email = `fuzz-${count}@example.com`;
  return body;
}

function pathOf(draft: Draft, data: FuzzData, random: Random): string {
  const { path } = draft.endpoint as Endpoint;
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    // Any short text is an id of these.
    if (['device_id', 'contact_id', 'key_id'].includes(name)) return 'c4a1b6de-52c8-4b0e-a9b0-9a3c1f7d2e60';
    if (name === 'svc_id') return encodeURIComponent(random.pick([...data.strangers, ...data.members]));
    const known = name === 'firm_id' ? [data.firmId] : data.claims.slice(-100);
    if (known.length > 0 && random.chance(0.85)) return random.pick(known);
    if (random.chance(0.4)) return random.pick(UUIDS);
    draft.codes = ['validation_failed'];
    // The HTTP client or the router normalizes dot segments to another path.
    const other = random.pick(INVALID_UUIDS);
    if (/^(\.|%2e)/.test(other)) {
      draft.endpoint = null;
      delete draft.codes;
    }
    return other;
  });
}

function queryOf(id: EndpointId, draft: Draft, random: Random): string {
  const endpoint = endpoints[id] as Endpoint;
  const expectInvalid = (): void => {
    if (draft.codes === undefined && draft.endpoint !== null) draft.codes = ['validation_failed'];
  };
  if (endpoint.query === undefined) {
    if (random.chance(0.95)) return '';
    expectInvalid();
    return `?${random.pick(['x=1', 'limit=1', '=', 'a', '%F0%9F%8C%8A=1', '__proto__=1'])}`;
  }
  const parts = Object.entries(endpoint.query.shape)
    .filter(([, field]) => !field.safeParse(undefined).success)
    .map(([name, field]) => `${name}=${encodeURIComponent(String(field.meta()?.example))}`);
  if (random.chance(0.3)) return parts.length === 0 ? '' : `?${parts.join('&')}`;
  if ('limit' in endpoint.query.shape && random.chance(0.6))
    parts.push(`limit=${random.integer(LIMITS.page.min, LIMITS.page.max)}`);
  if (id === 'listClaims') {
    const times =
      '2026-08-29T14:30:00Z 2026-08-29T14:30:00.123456789%2B05:30 1999-12-31T23:59:60Z 0001-01-01T00:00:00Z';
    if (random.chance(0.4)) parts.push(`updated_since=${random.pick(times.split(' '))}`);
    if (random.chance(0.3))
      parts.push(`assignment_status=${random.pick(['accepted', 'rejected', 'unassigned'])}`);
    if (random.chance(0.2))
      parts.push(`external_id=${encodeURIComponent(random.pick(['F-1', 'Ω', 'a b', '🌊']))}`);
  }
  if (random.chance(0.4)) {
    expectInvalid();
    const invalid = `${INVALID_QUERIES} cursor=${'x'.repeat(513)}${id === 'listClaims' ? ` ${CLAIM_QUERIES}` : ''}`;
    parts.push(random.pick(invalid.split(' ')));
  }
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

function expectAnything(draft: Draft): void {
  draft.endpoint = null;
  draft.mutations = [];
  delete draft.codes;
  delete draft.sent;
}

/** Changes to a request apart from its body and query. `apps/api/test/hostile-*` have headers, credentials and syntax. */
const REQUEST_MUTATIONS: readonly ((draft: Draft, random: Random) => void)[] = [
  function anotherMethod(draft, random) {
    draft.method = random.pick('GET POST PUT PATCH DELETE HEAD OPTIONS TRACE PROPFIND'.split(' '));
    expectAnything(draft);
  },
  function anotherPath(draft, random) {
    const [path = '', search] = draft.path.split('?');
    const changed = random.pick([
      `${path}/`,
      `/${path}`,
      path.toUpperCase(),
      `${path}/x`,
      `${path};a=1`,
      path.replace('/v1', '/v2'),
      `${path}/${random.pick(INVALID_ESCAPES)}`,
      `/${random.pick(INVALID_ESCAPES)}`,
      path.replace('/v1/', '/v1//'),
      `${path}%20`,
      `${path}.json`,
      path.slice(0, -1),
    ]);
    draft.path = changed + (search === undefined ? '' : `?${search}`);
    expectAnything(draft);
  },
];
