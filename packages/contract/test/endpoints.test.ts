import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { FIELD_ERRORS } from '@svc/domain';
import { z } from 'zod';
import { exampleOf, exampleRequest } from '../src/example.ts';
import {
  type Endpoint,
  type ErrorCode,
  EXAMPLES,
  endpoints,
  firmEndpoints,
  INTERFACE_VERSION,
  parseRequest,
  RELEASES,
  sandboxEndpoints,
} from '../src/index.ts';
import { valueAt } from '../src/json-pointer.ts';
import { errorsOf } from './requests.ts';

const all = Object.entries(endpoints) as [keyof typeof endpoints, Endpoint][];

describe('the operations', () => {
  it.each(all)('%s has consistent metadata', (_, endpoint) => {
    const inPath = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    // The log of requests takes it for a claim's.
    if (inPath.includes('id')) expect(endpoint.path).toContain('/claims/{id}');
    expect(Object.keys(endpoint.params?.shape ?? {})).toEqual(inPath);
    expect(endpoint.write).toBe(endpoint.method !== 'GET');
    // No endpoint of the desk is open to every role by omission.
    expect(endpoint.permission !== undefined).toBe(endpoint.auth === 'staff');
    if (endpoint.write && ['key', 'staff'].includes(endpoint.auth)) expect(endpoint.audit).not.toBeNull();
    // A key or a role that may only read writes nothing.
    if (endpoint.write) expect(endpoint.scope ?? endpoint.permission ?? '').not.toMatch(/:read$/);
    const hasKey = 'Idempotency-Key' in (endpoint.headers?.shape ?? {});
    expect(endpoint.problems.includes('idempotency_key_reused')).toBe(hasKey);
    if (endpoint.repeatable === false) expect([endpoint.write, hasKey]).toEqual([true, false]);
  });
});

/** The errors that an operation has by what it needs. */
const commonErrors = ({
  auth,
  scope,
  permission = scope,
  write,
  beforePasskey,
}: Endpoint): readonly ErrorCode[] => [
  ...(['validation_failed', 'internal_error', 'service_unavailable'] as const),
  ...(write ? (['malformed_request', 'payload_too_large'] as const) : []),
  ...(auth === 'none' ? [] : ([auth === 'key' ? 'invalid_key' : 'invalid_session', 'rate_limited'] as const)),
  ...(permission === null ? [] : (['insufficient_scope', 'not_in_plan'] as const)),
  ...(auth === 'key' || auth === 'none' || beforePasskey ? [] : (['passkey_required'] as const)),
];

const nameOf = (schema: z.ZodType | null | undefined): unknown => schema && metaOf(schema).id;

it('each operation has its summary and description, method, path, status and responses, needs this permission or sign-in, and is recorded as this action', () => {
  const found = all.map(([id, one]) => {
    const { method, path, success, scope, permission = scope, audit, pointers = {}, problems } = one;
    const common = commonErrors(one);
    return [
      ...[id, method, path, success.status === 200 || success.status],
      ...[success.schema, one.next?.schema, one.problemSchema].map(nameOf),
      ...[
        permission ?? one.auth,
        audit ?? 'unrecorded',
        one.sandbox && 'sandbox',
        one.since && `since${one.since}`,
      ],
      ...[one.repeatable === false && 'unrepeatable', one.beforePasskey && 'before-passkey'],
      one.bodyRequired === false && 'body-optional',
      ...[one.bodyValues && `values${one.bodyValues}`, success.csv && 'csv'],
      ...Object.entries(pointers).map(([code, pointer]) => `${code}@${pointer}`),
      // The errors besides those of its kind, and those that it lacks.
      ...problems.filter((code) => !common.includes(code)),
      ...common.filter((code) => !problems.includes(code)).map((code) => `-${code}`),
      `“${one.summary}” ${one.description}`,
    ]
      .filter((part) => part && part !== true)
      .join(' ');
  });
  const file = readFileSync(new URL('operations.txt', import.meta.url), 'utf8');
  expect(found).toEqual(file.trim().split('\n'));
});

it('the interface has these releases, and is that of the latest one', () => {
  const releases = RELEASES.map(({ version, date }) => `${version} ${date}`);
  expect(releases).toEqual(['1.2.0 2026-11-26', '1.1.0 2026-11-22', '1.0.0 2026-11-21']);
  expect(INTERFACE_VERSION).toBe('1.2.0');
});

it('an error that only a use case finds is at a field of the body, or at all of it', () => {
  const pointers = all.flatMap(([id, { body, pointers = {} }]) =>
    Object.values(pointers).map((pointer) => ({ id, body, pointer })),
  );
  const wrong = pointers.filter(
    ({ body, pointer }) => pointer !== '' && !fieldsIn(body ?? z.never()).some(([path]) => path === pointer),
  );
  expect(wrong).toEqual([]);
  const named = new Set(all.flatMap(([, { pointers = {} }]) => Object.keys(pointers)));
  expect([...named].sort()).toEqual([...FIELD_ERRORS].sort());
});

describe('the examples', () => {
  it.each(all)('of %s are valid and parse to the same values', (id, endpoint) => {
    const { response, ...request } = EXAMPLES[id];
    const result = parseRequest(endpoint, request);
    expect(errorsOf(result)).toEqual([]);
    expect(request.body !== undefined).toBe(endpoint.body !== undefined);
    expect(endpoint.success.schema?.parse(response)).toEqual(response);
  });
});

const example = (value: unknown) => z.string().meta({ example: value });

it('an example of a schema is its own or that of its fields, of a request only with what must be sent', () => {
  const fields = {
    a: example('A'),
    b: example('B').optional(),
    c: example(3).default('0'),
    d: example('D').nullable(),
  };
  const item = z.object({ a: example('A') });
  const lists = {
    e: z.array(item),
    f: z.array(item).meta({ example: [] }),
    g: z.array(z.string()),
    h: z.string(),
  };
  const body = z.object({ ...fields, ...lists });
  const all = { a: 'A', b: 'B', c: 3, d: 'D' };
  const whole = { ...all, e: [{ a: 'A' }], f: [{ a: 'A' }], g: [], h: undefined };
  expect(exampleOf(body)).toStrictEqual(whole);
  expect(exampleOf(item.meta({ example: { a: 'own' } }))).toEqual({ a: 'own' });
  const { getHealth } = endpoints;
  const { a, b, c } = fields;
  const success = { ...getHealth.success, schema: null };
  const part = z.object({ 'X-A': a, b, c });
  const required = { params: z.object({ a }), query: part, headers: part, body };
  expect(exampleRequest({ ...getHealth, ...required })).toStrictEqual({
    ...{ params: { a: 'A' }, search: 'X-A=A', headers: { 'x-a': 'A' }, body: whole, response: {} },
  });
  const optional = { query: z.object({ b }), headers: z.object({ b, c }), success };
  expect(exampleRequest({ ...getHealth, ...optional })).toStrictEqual({});
  const own = { params: { a: 'own' }, search: 'b=own' };
  expect(exampleRequest({ ...getHealth, ...required, success, example: own })).toStrictEqual({
    ...{ headers: { 'x-a': 'A' }, body: whole, ...own },
  });
});

it('the examples of firms are of claims and adjusters as the operation leaves them', () => {
  const found: Record<string, string> = {};
  for (const id of Object.keys({ ...firmEndpoints, ...sandboxEndpoints })) {
    const { response } = EXAMPLES[id as keyof typeof EXAMPLES];
    const [one] = (response as { data?: unknown[] })?.data ?? [response];
    const { assignment, ...rest } = { ...(one as Record<string, unknown>) };
    const values: Record<string, unknown> = { ...rest, ...Object(assignment) };
    const names = ['responded_at', 'rejection_reason', 'name', 'email', 'expires_at', 'invited_by', 'note'];
    const { status, svc_id, adjuster_svc_id = svc_id, test, created_at, updated_at } = values;
    const isLater = updated_at !== created_at && 'changed';
    const parts = [status, `${adjuster_svc_id}`.split(/[-_]/).pop(), test && 'test', isLater];
    const key = [...parts, ...names.filter((name) => values[name] !== null && name in values)].filter(
      Boolean,
    );
    if (status !== undefined) found[key.join(' ')] = `${found[key.join(' ')] ?? ''} ${id}`.trim();
  }
  expect(found).toEqual({
    'rejected Delacroix changed responded_at rejection_reason': 'listClaims',
    'pending_acceptance Delacroix': 'sendClaim',
    'accepted Delacroix changed responded_at': 'getClaim',
    'pending_acceptance Whitcomb changed': 'offerClaim',
    'pending Delacroix expires_at invited_by': 'inviteAdjuster',
    'active Delacroix responded_at name email invited_by': 'listAdjusters',
    'withdrawn Delacroix invited_by': 'withdrawInvitation',
    'accepted accepts test changed responded_at': 'acceptTestClaim',
    'rejected accepts test changed responded_at rejection_reason': 'rejectTestClaim',
    'pending_acceptance accepts test changed': 'closeTestClaim',
    'active accepts test responded_at name email':
      'acceptTestInvitation pauseTestAdjuster resumeTestAdjuster suspendTestAdjuster reinstateTestAdjuster',
    'declined accepts test responded_at': 'declineTestInvitation',
    'expired accepts test': 'expireTestInvitation',
    'left accepts': 'departTestAdjuster',
  });
});

describe('a response', () => {
  it('with unknown values and fields is parsed unchanged', () => {
    const claim = {
      ...(EXAMPLES.getClaim.response as object),
      assignment: {
        status: 'on_hold',
        adjuster_svc_id: 'S',
        responded_at: null,
        rejection_reason: null,
        queue: 3,
      },
      building: { flood_zone: 'AE2', roof: 'tin', number_of_units: 0 },
      additional_contacts: Array(30).fill({ pronouns: 'they' }),
      weather: 'wet',
    };
    expect(endpoints.getClaim.success.schema.parse(claim)).toEqual(claim);
  });
});

const schemas: [string, z.ZodType, 'input' | 'output'][] = all.flatMap(([id, endpoint]) => [
  ...(['params', 'query', 'headers', 'body'] as const).flatMap((part): [string, z.ZodType, 'input'][] => {
    const schema = endpoint[part];
    return schema ? [[`${id}: ${part}`, schema, 'input']] : [];
  }),
  ...(endpoint.success.schema
    ? [[`${id}: response`, endpoint.success.schema, 'output'] as [string, z.ZodType, 'output']]
    : []),
]);

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return unwrap(schema.unwrap());
  return schema;
}

function metaOf(field: z.core.$ZodType): Record<string, unknown> {
  const own = z.globalRegistry.get(field);
  if (own?.description !== undefined) return own;
  const inner =
    field instanceof z.ZodOptional || field instanceof z.ZodNullable || field instanceof z.ZodDefault
      ? field.unwrap()
      : undefined;
  return inner ? metaOf(inner) : (own ?? {});
}

/** Every field of a schema, nested ones included. */
function fieldsIn(schema: z.core.$ZodType, base = ''): [string, z.ZodType][] {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodPipe) return fieldsIn(inner.out, base);
  if (inner instanceof z.ZodArray) return fieldsIn(inner.element, `${base}/0`);
  if (!(inner instanceof z.ZodObject)) return [];
  return Object.entries(inner.shape as Record<string, z.ZodType>).flatMap(([name, field]) => [
    [`${base}/${name}`, field] as [string, z.ZodType],
    ...fieldsIn(field, `${base}/${name}`),
  ]);
}

/** With the items of lists, such as SVCIDs, that are no objects. */
const valuesIn = (schema: z.ZodType): [string, z.core.$ZodType][] =>
  fieldsIn(schema).flatMap(([path, field]) => {
    const inner = unwrap(field);
    const list = inner instanceof z.ZodPipe ? inner.out : inner;
    const isList = list instanceof z.ZodArray && !(unwrap(list.element) instanceof z.ZodObject);
    return [[path, field], ...(isList ? [[`${path}/0`, list.element] as [string, z.core.$ZodType]] : [])];
  });

/** A value with every field. */
function completeExample(schema: z.core.$ZodType): unknown {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodPipe) return completeExample(inner.out);
  if (inner instanceof z.ZodArray) return [completeExample(inner.element)];
  if (!(inner instanceof z.ZodObject)) return exampleOf(schema);
  const fields = Object.entries(inner.shape as Record<string, z.ZodType>);
  return Object.fromEntries(fields.map(([name, field]) => [name, completeExample(field)]));
}

const isOptional = (field: z.core.$ZodType): boolean =>
  field instanceof z.ZodOptional || field instanceof z.ZodDefault;
/** Optional only together. */
const isHalfName = (path: string): boolean => /\/(first|last)_name$/.test(path);
const isNullable = (field: z.core.$ZodType): boolean =>
  field instanceof z.ZodNullable || (field instanceof z.ZodOptional && isNullable(field.unwrap()));

interface Values {
  readonly right: readonly unknown[];
  readonly wrong: readonly unknown[];
}

/** By what the OpenAPI document says of the field. */
function valuesOf(field: z.core.$ZodType): Values {
  const inner = unwrap(field);
  const { minLength, maxLength, minimum, maximum, maxItems, type, pattern, format } = metaOf(field) as {
    readonly [Keyword in 'minLength' | 'maxLength' | 'minimum' | 'maximum' | 'maxItems']: number | undefined;
  } & { readonly [Keyword in 'type' | 'pattern' | 'format']?: string };
  if (inner instanceof z.ZodEnum) {
    const [first = ''] = inner.options as string[];
    const otherCase = first === first.toUpperCase() ? first.toLowerCase() : first.toUpperCase();
    return { right: inner.options, wrong: ['no_such_value', '', otherCase, ` ${first}`, 1] };
  }
  if (inner instanceof z.ZodString && maxLength !== undefined) {
    const long = [`${'🌊'.repeat(maxLength)}x`, '5'.repeat(maxLength + 1)];
    const start = pattern === EMAIL ? '5@' : '';
    const full = start + '5'.repeat(maxLength - start.length);
    return {
      right: LOOSE.has(format ?? pattern ?? '') ? [full] : [],
      wrong: [...long, ...(minLength === 0 ? [] : ['']), 'a\0', '\ud83c', 7, true, ['x'], { x: 1 }],
    };
  }
  if (inner instanceof z.ZodString)
    return {
      right: [],
      wrong: [...(format === 'date' ? ['2023-02-29', '2024-1-05'] : []), '', 'x\n', 7, true, ['x'], { x: 1 }],
    };
  if (inner instanceof z.ZodBoolean) return { right: [true, false], wrong: ['true', 1] };
  if (inner instanceof z.ZodNumber && minimum !== undefined && maximum !== undefined)
    return {
      right: [minimum, maximum],
      wrong: [
        ...[minimum - 1, maximum + 1, maximum * 2, Number.POSITIVE_INFINITY, String(minimum), true],
        ...(type === 'integer' ? [minimum + 0.5] : []),
      ],
    };
  if (maxItems !== undefined) return { right: [], wrong: [Array(maxItems + 1).fill(1), { 0: 1 }, 'x'] };
  return { right: [], wrong: inner instanceof z.ZodObject ? ['x', 7, []] : [] };
}

const EMAIL = '^[^\\s@]+@[^\\s@]+$';
/** Patterns that a text of digits has, or an email address of them. */
const LOOSE: ReadonlySet<string> = new Set(['', '\\S', '[0-9]', '^\\S(.*\\S)?$', EMAIL]);

const withBody = all.flatMap(([id, endpoint]) =>
  endpoint.body ? [[id, endpoint, endpoint.body] as const] : [],
);

// That limits, formats and enums of a claim stay as they are documented, `frozen.test.ts` proves.
it.each(withBody)(
  'the body of %s takes what is documented, and nothing else, in each field',
  (_, endpoint, schema) => {
    const complete = completeExample(schema);
    const hasError = (path: string, value: unknown): boolean => {
      const body = structuredClone(complete);
      const name = path.slice(path.lastIndexOf('/') + 1);
      const parent = Object(valueAt(body, path.slice(0, path.lastIndexOf('/'))));
      if (value === undefined) delete parent[name];
      else parent[name] = value;
      return errorsOf(parseRequest({ ...endpoint, rules: [] }, { body })).some(
        ({ pointer }) => pointer === path,
      );
    };
    const objects = new Set(fieldsIn(schema).map(([path]) => path.slice(0, path.lastIndexOf('/'))));
    expect([...objects].filter((path) => !hasError(`${path}/no_such_field`, 1))).toEqual([]);
    const mistaken = valuesIn(schema).flatMap(([path, field]) => {
      const { right, wrong } = valuesOf(field);
      return [
        ...[
          ...right,
          ...(isOptional(field) && !isHalfName(path) ? [undefined] : []),
          ...(isNullable(field) ? [null] : []),
        ]
          .filter((value) => hasError(path, value))
          .map((value) => ['is refused', path, value]),
        ...[...wrong, ...(isOptional(field) ? [] : [undefined]), ...(isNullable(field) ? [] : [null])]
          .filter((value) => !hasError(path, value))
          .map((value) => ['is taken', path, value]),
      ];
    });
    expect(mistaken).toEqual([]);
  },
);

const FORMATS: Readonly<Record<string, string>> = {
  [EMAIL]: 'email',
  '\\S': 'visible',
  '^[A-Za-z0-9_-]+={0,2}$': 'base64url',
  '^\\S(.*\\S)?$': 'trimmed',
  '^[0-9]{5}(-[0-9]{4})?$': 'zip',
  '^([01][0-9]|2[0-3]):[0-5][0-9]$': 'HH:MM',
};

/** What may be sent in a field, in short: `?` may be missing, `=` has a default, `!` may be null. */
function sentIn(schema: z.core.$ZodType): string {
  const inner = unwrap(schema);
  const { minLength, maxLength, minimum, maximum, maxItems, pattern, format } = metaOf(schema);
  const item = inner instanceof z.ZodPipe ? inner.out : inner;
  if (item instanceof z.ZodArray) return `[${sentIn(item.element)}]${maxItems ?? ''}`;
  if (inner instanceof z.ZodObject)
    return `{${Object.entries(inner.shape as Record<string, z.ZodType>)
      .map(([name, field]) => {
        const ifMissing = field instanceof z.ZodDefault ? `=${field.def.defaultValue}` : '?';
        const marks = `${isOptional(field) ? ifMissing : ''}${isNullable(field) ? '!' : ''}`;
        return `${name}${marks} ${sentIn(field)}`.trim();
      })
      .join(', ')}}`;
  if (inner instanceof z.ZodEnum)
    return inner.options.length > 50 ? `${inner.options.length} values` : inner.options.join('|');
  const bounds = [minLength ?? minimum, maxLength ?? maximum].filter((one) => one !== undefined);
  return `${format ?? FORMATS[String(pattern)] ?? pattern ?? ''} ${bounds.join('..')}`.trim();
}

// What firms send besides, `frozen.test.ts` has.
it('each operation of the app, the desk, the sandbox and the accounts takes these fields, within these bounds', () => {
  const others = all.filter(([id, { since }]) => !(id in firmEndpoints) || since !== undefined);
  const found = others.flatMap(([id, { params, query, headers, body }]) => {
    const isShared = body === endpoints.sendClaim.body || body === endpoints.inviteAdjuster.body;
    const parts = [params, query, headers, isShared ? undefined : body].flatMap((part) => {
      const sent = part === undefined ? '' : sentIn(part);
      return sent === '' || /^\{(\w+ uuid|svc_id 1\.\.128)\}$/.test(sent) ? [] : sent;
    });
    return parts.length === 0 ? [] : `${id} ${parts.join(' ')}`;
  });
  const file = readFileSync(new URL('sent.txt', import.meta.url), 'utf8');
  expect(found).toEqual(file.trim().split('\n'));
});

const KINDS = Object.entries({ text: z.ZodString, number: z.ZodNumber, flag: z.ZodBoolean });

/** Of a field of a response: its name, values, format or type, in brackets of the items of a list. */
function returnedIn(field: z.core.$ZodType): string {
  const inner = unwrap(field);
  const { id, format, type, 'x-extensible-enum': values } = metaOf(field);
  if (id !== undefined) return String(id);
  if (inner instanceof z.ZodArray) return `[${returnedIn(inner.element)}]`;
  if (inner instanceof z.ZodRecord) return `{${returnedIn(inner.valueType)}}`;
  if (inner instanceof z.ZodObject) return `{${fieldsOf(inner)}}`;
  const [kind] = KINDS.find(([, of]) => inner instanceof of) ?? [];
  return String(Array.isArray(values) ? values.join('|') : (format ?? type ?? kind ?? 'any'));
}

/** Which of the fields may be missing (`?`) or null (`!`), and what each is. */
const fieldsOf = ({ shape }: z.ZodObject): string =>
  Object.entries(shape as Record<string, z.ZodType>)
    .map(([name, field]) => {
      const marks = `${isOptional(field) ? '?' : ''}${isNullable(field) ? '!' : ''}`;
      return `${name}${marks} ${returnedIn(field)}`;
    })
    .join(', ');

/** Adds to `found`, by their names, the fields of objects and the known values of enums. */
function describeReturned(schema: z.core.$ZodType, found: Map<string, string>): void {
  const inner = unwrap(schema);
  const { id, 'x-extensible-enum': values } = metaOf(schema);
  if (inner instanceof z.ZodArray) describeReturned(inner.element, found);
  if (inner instanceof z.ZodRecord) describeReturned(inner.valueType, found);
  if (inner instanceof z.ZodObject)
    for (const field of Object.values(inner.shape)) describeReturned(field as z.ZodType, found);
  if (id === undefined) return;
  if (inner instanceof z.ZodObject) found.set(String(id), fieldsOf(inner));
  if (Array.isArray(values))
    found.set(String(id), values.length > 15 ? `${values.length} values` : values.join('|'));
}

it('responses of the app, the desk, the sandbox and the accounts have these fields, of these types and values', () => {
  const returnedBy = (of: (id: string, endpoint: Endpoint) => boolean) => {
    const found = new Map<string, string>();
    for (const [, { success, next }] of all.filter((one) => of(...one)))
      for (const schema of [success.schema, next?.schema]) if (schema) describeReturned(schema, found);
    return found;
  };
  const firms = { ...firmEndpoints, ...sandboxEndpoints };
  const frozen = returnedBy((id, { since }) => id in firms && since === undefined);
  const isUsual = (name: string, text: string) =>
    frozen.has(name) || text === `data [${name.replace(/Page$/, '')}], next_cursor! text`;
  const found = [...returnedBy(() => true)].filter((one) => !isUsual(...one));
  const file = readFileSync(new URL('returned.txt', import.meta.url), 'utf8');
  expect(found.map((entry) => entry.join(' ')).sort()).toEqual(file.trim().split('\n'));
});

it('a field of a claim is described in responses as in requests, also where its type has a description', () => {
  const described = (schema: z.ZodType) =>
    fieldsIn(schema).map(([path, field]): [string, unknown] => [path, metaOf(field).description]);
  const sent = new Map(described(endpoints.sendClaim.body));
  const both = described(endpoints.sendClaim.success.schema).filter(([path]) => sent.has(path));
  expect(both).toEqual(both.map(([path]) => [path, sent.get(path)]));
});

const withoutOwnMeta = new Set(['/data/0']);

describe('the documentation', () => {
  it.each(schemas)('of %s describes each field and has a valid example', (_, schema) => {
    for (const [path, field] of fieldsIn(schema)) {
      if (withoutOwnMeta.has(path)) continue;
      const meta = metaOf(field);
      if (meta.id !== undefined) continue;
      expect([path, meta.description]).toEqual([path, expect.stringMatching(/^.+\.$/s)]);
      expect([path, 'example' in meta]).toEqual([path, true]);
      const example =
        unwrap(field) instanceof z.ZodPipe && typeof meta.example === 'number'
          ? String(meta.example)
          : meta.example;
      expect([path, field.safeParse(example).error?.issues]).toEqual([path, undefined]);
    }
  });
});
