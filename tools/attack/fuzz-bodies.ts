import type { JsonSchema } from '@svc/contract';
import type { Random } from '../generate/random.ts';

/** A change to a valid request, and the response it must get. */
export interface Mutation {
  readonly name: string;
  /** `invalid`: `validation_failed` with an error at the pointer. `either`: depends on other rules. */
  readonly expected: 'valid' | 'invalid' | 'either';
  readonly pointer?: string;
}

interface Location {
  readonly path: readonly (string | number)[];
  readonly schema: JsonSchema;
  readonly value: unknown;
  readonly required: boolean;
}

const ESCAPES: Readonly<Record<string, string>> = { '~': '~0', '/': '~1' };
const pointerOf = (path: readonly (string | number)[]): string =>
  path.map((step) => `/${String(step).replace(/[~/]/g, (mark) => ESCAPES[mark] ?? mark)}`).join('');

/** Every location of the body that the schema describes, parents before children. */
function locationsOf(value: unknown, schema: JsonSchema): Location[] {
  const found: Location[] = [];
  const walk = (
    value: unknown,
    schema: JsonSchema,
    path: readonly (string | number)[],
    required: boolean,
  ): void => {
    found.push({ path, schema, value, required });
    if (Array.isArray(value)) {
      const { items } = schema;
      if (items !== undefined)
        for (const [at, item] of value.entries()) walk(item, items, [...path, at], true);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value)) {
        const known = schema.properties?.[name];
        if (known !== undefined)
          walk(inner, known, [...path, name], schema.required?.includes(name) ?? false);
      }
    }
  };
  walk(value, schema, [], true);
  return found;
}

function put(body: unknown, path: readonly (string | number)[], value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (Array.isArray(body)) return body.map((item, at) => (at === step ? put(item, rest, value) : item));
  const copy: Record<string, unknown> = { ...(body as Record<string, unknown>) };
  const inner = rest.length === 0 ? value : put(copy[step], rest, value);
  Object.defineProperty(copy, step, { value: inner, enumerable: true, writable: true, configurable: true });
  return copy;
}

function without(body: unknown, path: readonly (string | number)[]): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return body;
  if (rest.length > 0) return put(body, [step], without((body as Record<string, unknown>)[step], rest));
  return Object.fromEntries(Object.entries(body as object).filter(([name]) => name !== String(step)));
}

const TEXTS = ['a', 'Ω', '東', '𝕏', '🌊', 'é', "'", '"', '<', '%', '\\', '\u202e', 'ß', '-', '0', ' '];

/** Text of exactly this many code points, without whitespace at its ends. */
function textOf(length: number, random: Random): string {
  const one = (): string => random.pick(TEXTS);
  const inner = Array.from({ length: Math.max(0, length - 2) }, random.chance(0.5) ? one : () => 'x').join(
    '',
  );
  return length <= 0 ? '' : length === 1 ? 'z' : `z${inner}z`;
}

const isText = ({ pattern, format }: JsonSchema): boolean =>
  format === undefined && (pattern === undefined || pattern === '\\S' || pattern === '^\\S(.*\\S)?$');
const isDate = ({ format }: JsonSchema): boolean => format === 'date';

/** Fields whose value is also checked against other fields or stored data. */
const DEPENDENT =
  /^\/(building\/(occupancy_type|building_type)|policy\/(effective_date|expiration_date)|away\/\d+\/(first_day|last_day)|adjuster_svc_id|svc_id|external_id|claim_number|email|code|sign_in_secret)$/;
/** Objects with fields that are required only in combination. */
const INTERDEPENDENT =
  /^\/(policyholder|carrier|agent|mortgagee|additional_contacts|email|code|svc_id|sign_in_secret|subscription)/;

interface Mutated {
  readonly body: unknown;
  readonly mutation: Mutation;
}
type Mutate = (body: unknown, location: Location, random: Random) => Mutated | null;
/** Another value for a location; undefined when the mutation does not fit it. */
type Values = Readonly<Record<string, (location: Location, random: Random, body: unknown) => unknown>>;

const OTHER_TYPES: readonly unknown[] = [true, false, 0, 1.5, -1, 'text', '', [], {}, [[]], 1e308];
const NAMES = 'unknown constructor toString __proto__ ID a/b~c hasOwnProperty ☃'.split(' ');
const kindOf = (value: unknown): string =>
  Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
const isNumber = ({ type }: JsonSchema): boolean => type === 'integer' || type === 'number';

const INVALID: Values = {
  // Some fields, such as a push subscription's expirationTime, may be null.
  'null instead of a value': ({ schema: { type } }) =>
    type === undefined || Array.isArray(type) ? undefined : null,
  'another type': ({ schema: { type } }, random) => {
    const kind = type === 'integer' ? 'number' : type;
    return typeof kind === 'string'
      ? random.pick(OTHER_TYPES.filter((value) => kindOf(value) !== kind))
      : undefined;
  },
  'a string one character too long': ({ schema }, random) => {
    const { maxLength, type } = schema;
    if (type !== 'string' || maxLength === undefined) return undefined;
    return isText(schema) ? textOf(maxLength + 1, random) : 'x'.repeat(maxLength + 1);
  },
  'an empty string': ({ schema }) => (schema.type === 'string' ? '' : undefined),
  'a blank string': ({ schema }, random) =>
    schema.pattern === '\\S' ? random.pick([' ', '\t\n', '\u00a0', '\u3000\u200b']) : undefined,
  'an invalid character': ({ schema }, random) =>
    schema.type === 'string' ? `z${random.pick(['\0', '\ud800', '\udc00'])}z` : undefined,
  'surrounding whitespace': ({ schema }, random) =>
    schema.pattern === '^\\S(.*\\S)?$' ? random.pick([' a', 'a ', '\ta', 'a\n', '\u00a0a']) : undefined,
  'a number out of range': ({ schema }, random) => {
    const { minimum, maximum } = schema;
    const beyond = [
      ...(minimum === undefined ? [] : [minimum - 1]),
      ...(maximum === undefined ? [] : [maximum + 1]),
    ];
    return isNumber(schema) ? random.pick([...beyond, 1e300, -1e300]) : undefined;
  },
  'a fraction instead of an integer': ({ schema }, random) =>
    schema.type === 'integer' ? random.pick([0.5, 1.000001]) : undefined,
  'a value outside the enum': ({ schema: { enum: values } }, random) => {
    if (values === undefined) return undefined;
    const near = String(random.pick(values));
    const otherCase = near.toUpperCase() === near ? near.toLowerCase() : near.toUpperCase();
    const wrong = random.pick([otherCase, `${near} `, 'nothing']);
    return values.includes(wrong) ? undefined : wrong;
  },
  'an invalid date': ({ schema }, random) =>
    isDate(schema)
      ? random.pick(
          '2026-02-30 2026-13-01 2026-1-1 0000-00-00 2026-08-27T00:00:00Z 27.08.2026 2100-02-29'.split(' '),
        )
      : undefined,
  'too many items': ({ schema: { maxItems }, value }) =>
    Array.isArray(value) && maxItems !== undefined
      ? Array.from({ length: maxItems + 1 }, () => value[0] ?? {})
      : undefined,
};

const VALID: Values = {
  'a string of the maximum length': ({ schema }, random) =>
    schema.type === 'string' && schema.maxLength !== undefined && isText(schema)
      ? textOf(schema.maxLength, random)
      : undefined,
  'a string of one character': ({ schema }, random) =>
    schema.type === 'string' && schema.minLength === 1 && isText(schema)
      ? random.pick(['z', '🌊', '東'])
      : undefined,
  'a number at a limit': ({ schema }, random) =>
    isNumber(schema) && schema.minimum !== undefined && schema.maximum !== undefined
      ? random.pick([schema.minimum, schema.maximum])
      : undefined,
  'another enum value': ({ schema: { enum: values } }, random) =>
    values === undefined ? undefined : random.pick(values),
  'another date': ({ schema }, random) =>
    isDate(schema)
      ? random.pick(['2024-02-29', '2000-02-29', '1968-01-01', '2026-12-31', '2026-01-01'])
      : undefined,
};

const EITHER: Values = {
  'two values swapped': ({ path, schema }, random, body) =>
    path.length === 0 ? undefined : random.pick(locationsOf(body, schema).map(({ value }) => value)),
  'deep nesting': ({ path }, random) => {
    if (path.length === 0) return undefined;
    let deep: unknown = 'x';
    for (let depth = random.integer(50, 3000); depth > 0; depth -= 1)
      deep = depth % 2 === 0 ? [deep] : { deep };
    return deep;
  },
};

const replacing = (values: Values, expected: Mutation['expected']): Mutate[] =>
  Object.entries(values).map(([name, other]) => (body, location, random) => {
    const value = other(location, random, body);
    if (value === undefined) return null;
    const pointer = pointerOf(location.path);
    const isDependent = expected === 'valid' && DEPENDENT.test(pointer);
    return {
      body: put(body, location.path, value),
      mutation: { name, expected: isDependent ? 'either' : expected, pointer },
    };
  });

const BODY_MUTATIONS: readonly Mutate[] = [
  ...replacing(INVALID, 'invalid'),
  ...replacing(VALID, 'valid'),
  ...replacing(EITHER, 'either'),
  function missingField(body, { path, required }) {
    if (path.length === 0 || typeof path.at(-1) === 'number') return null;
    const pointer = pointerOf(path);
    const mayBe = INTERDEPENDENT.test(pointer) || DEPENDENT.test(pointer) ? 'either' : 'valid';
    const expected = required ? 'invalid' : mayBe;
    return { body: without(body, path), mutation: { name: 'a missing field', expected, pointer } };
  },
  function unknownField(body, { path: parent, schema, value }, random) {
    if (kindOf(value) !== 'object' || schema.additionalProperties !== false) return null;
    const name = random.pick([...NAMES, '']);
    if (schema.properties !== undefined && Object.hasOwn(schema.properties, name)) return null;
    const path = [...parent, name];
    return {
      body: put(body, path, random.pick(OTHER_TYPES)),
      mutation: { name: 'an unknown field', expected: 'invalid', pointer: pointerOf(path) },
    };
  },
];

/** Applies one random mutation that fits the schema; returns the body unchanged when none does. */
export function mutateBody(
  body: unknown,
  schema: JsonSchema,
  random: Random,
): { body: unknown; mutation: Mutation | null } {
  for (let tries = 0; tries < 20; tries += 1) {
    const location = random.pick(locationsOf(body, schema));
    const mutated = random.pick(BODY_MUTATIONS)(body, location, random);
    if (mutated) return mutated;
  }
  return { body, mutation: null };
}
