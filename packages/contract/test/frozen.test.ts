import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { type Endpoint, firmEndpoints, openApiDocument, sandboxEndpoints } from '../src/index.ts';

// The specified operations of /v1, without texts, compared with how they were released: a line for each operation and
// schema. Additions pass, and need no new line; nothing in the file changes.

type Json = Readonly<Record<string, unknown>>;
type Described = Readonly<Record<string, Json>>;

const TEXTS: ReadonlySet<string> = new Set(['description', 'summary', 'example', 'examples', 'tags']);

/** Without texts and examples; of the examples of errors, their codes. */
function withoutTexts(value: unknown, isNamed = false): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutTexts(one));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => {
      if (key === 'application/problem+json')
        return [[key, { schema: inner.schema, codes: Object.keys(inner.examples) }]];
      return TEXTS.has(key) && !isNamed ? [] : [[key, withoutTexts(inner, key === 'properties')]];
    }),
  );
}

function describedBy(document: Json): Described {
  const { paths, components } = withoutTexts(document) as {
    paths: Described;
    components: { schemas: Described };
  };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation]),
  );
  return Object.fromEntries([...operations, ...Object.entries(components.schemas)]) as Described;
}

/** Objects that may get more entries. */
const OPEN_OBJECTS: ReadonlySet<string> = new Set(['properties', 'responses', 'headers', 'content']);
const OPEN_LISTS: ReadonlySet<string> = new Set(['x-extensible-enum', 'codes']);

/** What a client of the frozen interface could notice. */
function changesOf(frozen: Described, present: Described): string[] {
  const found: string[] = [];
  const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
  const parametersOf = (list: unknown): Described =>
    Object.fromEntries((list as Json[]).map((one) => [`${one.in} ${one.name}`, one]));

  function compare(at: string, was: unknown, is: unknown, isSent: boolean): void {
    const key = at.slice(at.lastIndexOf('.') + 1);
    if (key === 'parameters') {
      const [before, now] = [parametersOf(was), parametersOf(is)];
      for (const [name, one] of Object.entries(before)) compare(`${at}[${name}]`, one, now[name], true);
      for (const [name, one] of Object.entries(now))
        if (one.required === true && before[name] === undefined) found.push(`${at}[${name}]`);
    } else if (Array.isArray(was) && Array.isArray(is)) {
      const isOpen = OPEN_LISTS.has(key) || key === (isSent ? 'enum' : 'required');
      const isKept = isOpen ? was.every((one) => is.some((other) => isSame(one, other))) : isSame(was, is);
      if (!isKept && !(key === 'anyOf' && was.length === is.length)) found.push(at);
      else if (key === 'anyOf')
        for (const [n, one] of was.entries()) compare(`${at}[${n}]`, one, is[n], isSent);
    } else if (typeof was === 'object' && was !== null && typeof is === 'object' && is !== null) {
      const [before, now] = [was as Json, is as Json];
      const names = OPEN_OBJECTS.has(key) ? Object.keys(before) : Object.keys({ ...before, ...now });
      for (const name of names)
        compare(`${at}.${name}`, before[name], now[name], isSent || name === 'requestBody');
      const schema = String(before.$ref ?? '').split('/schemas/')[1];
      if (schema !== undefined && before.$ref === now.$ref)
        compare(`${at}(${schema})`, frozen[schema], present[schema], isSent);
    } else if (was !== is) found.push(at);
  }
  for (const name of Object.keys(frozen))
    if (name.includes(' ')) compare(name, frozen[name], present[name], false);
  return found;
}

const document = openApiDocument({ baseUrl: '', docsUrl: '', supportEmail: '', version: '' });
const present = describedBy(document);
const frozen = Object.fromEntries(
  readFileSync(new URL('frozen-v1.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as [string, Json]),
);

test('the specified operations of /v1 are as they were released, except for additions', () => {
  const all: readonly Endpoint[] = Object.values({ ...firmEndpoints, ...sandboxEndpoints });
  const first = all.filter(({ since }) => since === undefined).map(({ method, path }) => `${method} ${path}`);
  expect(first.toSorted()).toEqual(
    Object.keys(frozen)
      .filter((name) => name.includes(' '))
      .toSorted(),
  );
  expect(changesOf(frozen, present)).toEqual([]);
});

// biome-ignore lint/suspicious/noExplicitAny: read as JSON
type Change = readonly [path: readonly string[], next: (value: any) => unknown];

/** The description with another value at the path; undefined: without it. */
function changed([path, next]: Change): Described {
  // biome-ignore lint/suspicious/noExplicitAny: read as JSON
  const set = (value: any, [name, ...rest]: readonly string[]): unknown =>
    name === undefined ? next(value) : { ...value, [name]: set(value?.[name], rest) };
  return JSON.parse(JSON.stringify(set(present, path)));
}
const plus =
  (...added: readonly unknown[]) =>
  (list: readonly unknown[]) => [...list, ...added];
const withoutLast = (list: readonly unknown[]) => list.slice(0, -1);
const to = (value: unknown) => () => value;

const [LIST, SEND] = ['GET /v1/claims', 'POST /v1/claims'];
const CODES = [SEND, 'responses', '422', 'content', 'application/problem+json', 'codes'];
const SENT = ['SendClaimRequest', 'properties'];

test.each<[string, ...Change]>([
  ['an operation', ['GET /v1/news'], to({})],
  ['a status', [SEND, 'responses', '418'], to({})],
  ['an error code', CODES, plus('new')],
  ['an optional parameter', [LIST, 'parameters'], plus({ name: 'new', in: 'query', required: false })],
  ['an optional field that is sent', [...SENT, 'new'], to({ type: 'string' })],
  ['an accepted value', ['FloodZone', 'enum'], plus('NEW')],
  ['a field of a response', ['Claim', 'properties', 'new'], to({})],
  ['a field that is always in a response', ['Claim', 'required'], plus('new')],
  ['a value of an open list', ['AssignmentStatus', 'x-extensible-enum'], plus('on_hold')],
])('%s may be added', (_, ...change) => {
  const next = changed(change);
  expect(next).not.toEqual(present);
  expect(changesOf(frozen, next)).toEqual([]);
});

test.each<[string, string, ...Change]>([
  ['an operation is removed', SEND, [SEND], to(undefined)],
  ['a scope changes', '.x-required-scope', [SEND, 'x-required-scope'], to('claims:read')],
  ['a status is removed', '.responses.201', [SEND, 'responses', '201'], to(undefined)],
  ['an error code is removed', '.codes', CODES, withoutLast],
  [
    'a field is no longer in errors',
    '(Problem).properties.code',
    ['Problem', 'properties', 'code'],
    to(undefined),
  ],
  ['a parameter is removed', '.parameters[query cursor]', [LIST, 'parameters'], withoutLast],
  [
    'a required parameter is added',
    '.parameters[query new]',
    [LIST, 'parameters'],
    plus({ name: 'new', in: 'query', required: true }),
  ],
  [
    'another field must be sent',
    '(SendClaimRequest).required',
    ['SendClaimRequest', 'required'],
    plus('new'),
  ],
  ['a limit changes', '.external_id.maxLength', [...SENT, 'external_id', 'maxLength'], to(99)],
  ['a limit is added', '.carrier.maxProperties', [...SENT, 'carrier', 'maxProperties'], to(3)],
  ['a value is no longer accepted', '(FloodZone).enum', ['FloodZone', 'enum'], withoutLast],
  [
    'a field is no longer in responses',
    '(Claim).properties.test',
    ['Claim', 'properties', 'test'],
    to(undefined),
  ],
  ['a field may be missing in responses', '(Claim).required', ['Claim', 'required'], withoutLast],
  ['a field may be null', '.updated_at', ['Claim', 'properties', 'updated_at'], to({ anyOf: [] })],
])('it is a change if %s', (_, place, ...change) => {
  expect(changesOf(frozen, changed(change)).join()).toContain(place);
});
