import type { Random } from '../generate/random.ts';

/** The JSON Schema keywords that the OpenAPI document uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly items?: Schema;
  readonly maxItems?: number;
  readonly enum?: readonly unknown[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly multipleOf?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly examples?: readonly unknown[];
}

/** A change to a valid request, and the response it must get. */
export interface Mutation {
  readonly name: string;
  /** `invalid`: `validation_failed` with an error at the pointer. `either`: depends on other rules. */
  readonly expected: 'valid' | 'invalid' | 'either';
  readonly pointer?: string;
}

interface Location {
  readonly path: readonly (string | number)[];
  readonly schema: Schema;
  readonly value: unknown;
  readonly required: boolean;
}

const ESCAPES: Readonly<Record<string, string>> = { '~': '~0', '/': '~1' };
const pointerOf = (path: readonly (string | number)[]): string =>
  path.map((step) => `/${String(step).replace(/[~/]/g, (mark) => ESCAPES[mark] ?? mark)}`).join('');

/** Every location of the body that the schema describes, parents before children. */
function locationsOf(value: unknown, schema: Schema): Location[] {
  const found: Location[] = [];
  const walk = (
    value: unknown,
    schema: Schema,
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

const isText = ({ pattern, format }: Schema): boolean =>
  format === undefined && (pattern === undefined || pattern === '\\S' || pattern === '^\\S(.*\\S)?$');
const isDate = ({ format }: Schema): boolean => format === 'date';

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

const invalidAt = (name: string, location: Location, body: unknown): Mutated => ({
  body,
  mutation: { name, expected: 'invalid', pointer: pointerOf(location.path) },
});
const validAt = (name: string, location: Location, body: unknown): Mutated => {
  const pointer = pointerOf(location.path);
  return { body, mutation: { name, expected: DEPENDENT.test(pointer) ? 'either' : 'valid', pointer } };
};

const OTHER_TYPES: readonly unknown[] = [true, false, 0, 1.5, -1, 'text', '', [], {}, [[]], 1e308];
const kindOf = (value: unknown): string =>
  Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;

const BODY_MUTATIONS: Readonly<Record<string, Mutate>> = {
  'a missing field': (body, location) => {
    const pointer = pointerOf(location.path);
    if (location.path.length === 0 || typeof location.path.at(-1) === 'number') return null;
    const rest = without(body, location.path);
    if (location.required) return invalidAt('a missing field', location, rest);
    const expected = INTERDEPENDENT.test(pointer) || DEPENDENT.test(pointer) ? 'either' : 'valid';
    return { body: rest, mutation: { name: 'a missing field', expected, pointer } };
  },
  'an unknown field': (body, location, random) => {
    if (kindOf(location.value) !== 'object' || location.schema.additionalProperties !== false) return null;
    const name = random.pick([
      'unknown',
      'constructor',
      'toString',
      '__proto__',
      'ID',
      'a/b~c',
      '',
      'hasOwnProperty',
      '☃',
    ]);
    if (location.schema.properties !== undefined && Object.hasOwn(location.schema.properties, name))
      return null;
    const path = [...location.path, name];
    return invalidAt('an unknown field', { ...location, path }, put(body, path, random.pick(OTHER_TYPES)));
  },
  'null instead of a value': (body, location) => {
    // Some fields, such as a push subscription's expirationTime, may be null.
    if (location.schema.type === undefined || kindOf(location.schema.type) === 'array') return null;
    return invalidAt('null instead of a value', location, put(body, location.path, null));
  },
  'another type': (body, location, random) => {
    const { type } = location.schema;
    if (typeof type !== 'string') return null;
    const kind = type === 'integer' ? 'number' : type;
    const others = OTHER_TYPES.filter((value) => kindOf(value) !== kind);
    return invalidAt('another type', location, put(body, location.path, random.pick(others)));
  },
  'a string one character too long': (body, location, random) => {
    const { maxLength, type } = location.schema;
    if (type !== 'string' || maxLength === undefined) return null;
    const text = isText(location.schema) ? textOf(maxLength + 1, random) : 'x'.repeat(maxLength + 1);
    return invalidAt('a string one character too long', location, put(body, location.path, text));
  },
  'a string of the maximum length': (body, location, random) => {
    const { maxLength, type } = location.schema;
    if (type !== 'string' || maxLength === undefined || !isText(location.schema)) return null;
    return validAt(
      'a string of the maximum length',
      location,
      put(body, location.path, textOf(maxLength, random)),
    );
  },
  'a string of one character': (body, location, random) => {
    const { minLength, type } = location.schema;
    if (type !== 'string' || minLength !== 1 || !isText(location.schema)) return null;
    return validAt(
      'a string of one character',
      location,
      put(body, location.path, random.pick(['z', '🌊', '東'])),
    );
  },
  'an empty string': (body, location) => {
    if (location.schema.type !== 'string') return null;
    return invalidAt('an empty string', location, put(body, location.path, ''));
  },
  'a blank string': (body, location, random) => {
    if (location.schema.pattern !== '\\S') return null;
    return invalidAt(
      'a blank string',
      location,
      put(body, location.path, random.pick([' ', '\t\n', '\u00a0', '\u3000\u200b'])),
    );
  },
  'an invalid character': (body, location, random) => {
    if (location.schema.type !== 'string') return null;
    return invalidAt(
      'an invalid character',
      location,
      put(body, location.path, `z${random.pick(['\0', '\ud800', '\udc00'])}z`),
    );
  },
  'surrounding whitespace': (body, location, random) => {
    const { pattern } = location.schema;
    if (pattern !== '^\\S(.*\\S)?$') return null;
    return invalidAt(
      'surrounding whitespace',
      location,
      put(body, location.path, random.pick([' a', 'a ', '\ta', 'a\n', '\u00a0a'])),
    );
  },
  'a number out of range': (body, location, random) => {
    const { minimum, maximum, type } = location.schema;
    if (type !== 'integer' && type !== 'number') return null;
    const beyond = [minimum === undefined ? null : minimum - 1, maximum === undefined ? null : maximum + 1];
    const values = [...beyond.filter((value) => value !== null), 1e300, -1e300];
    return invalidAt('a number out of range', location, put(body, location.path, random.pick(values)));
  },
  'a number at a limit': (body, location, random) => {
    const { minimum, maximum, type } = location.schema;
    if ((type !== 'integer' && type !== 'number') || minimum === undefined || maximum === undefined)
      return null;
    return validAt(
      'a number at a limit',
      location,
      put(body, location.path, random.pick([minimum, maximum])),
    );
  },
  'a fraction instead of an integer': (body, location, random) => {
    if (location.schema.type !== 'integer') return null;
    return invalidAt(
      'a fraction instead of an integer',
      location,
      put(body, location.path, random.pick([0.5, 1.000001])),
    );
  },
  'a value outside the enum': (body, location, random) => {
    const { enum: values } = location.schema;
    if (values === undefined) return null;
    const near = String(random.pick(values));
    const wrong = random.pick([
      near.toUpperCase() === near ? near.toLowerCase() : near.toUpperCase(),
      `${near} `,
      'nothing',
    ]);
    if (values.includes(wrong)) return null;
    return invalidAt('a value outside the enum', location, put(body, location.path, wrong));
  },
  'another enum value': (body, location, random) => {
    const { enum: values } = location.schema;
    if (values === undefined) return null;
    return validAt('another enum value', location, put(body, location.path, random.pick(values)));
  },
  'an invalid date': (body, location, random) => {
    if (!isDate(location.schema)) return null;
    const days = [
      '2026-02-30',
      '2026-13-01',
      '2026-1-1',
      '0000-00-00',
      '2026-08-27T00:00:00Z',
      '27.08.2026',
      '2100-02-29',
    ];
    return invalidAt('an invalid date', location, put(body, location.path, random.pick(days)));
  },
  'another date': (body, location, random) => {
    if (!isDate(location.schema)) return null;
    const day = random.pick(['2024-02-29', '2000-02-29', '1968-01-01', '2026-12-31', '2026-01-01']);
    return validAt('another date', location, put(body, location.path, day));
  },
  'too many items': (body, location) => {
    const { maxItems } = location.schema;
    if (!Array.isArray(location.value) || maxItems === undefined) return null;
    const items = Array.from({ length: maxItems + 1 }, () => (location.value as unknown[])[0] ?? {});
    return invalidAt('too many items', location, put(body, location.path, items));
  },
  'two values swapped': (body, location, random) => {
    const other = random.pick(locationsOf(body, location.schema).map(({ value }) => value));
    if (location.path.length === 0) return null;
    const mutation: Mutation = { name: 'two values swapped', expected: 'either' };
    return { body: put(body, location.path, other), mutation };
  },
  'deep nesting': (body, location, random) => {
    if (location.path.length === 0) return null;
    let deep: unknown = 'x';
    for (let depth = random.integer(50, 3000); depth > 0; depth -= 1)
      deep = depth % 2 === 0 ? [deep] : { deep };
    return { body: put(body, location.path, deep), mutation: { name: 'deep nesting', expected: 'either' } };
  },
};

/** Applies one random mutation that fits the schema; returns the body unchanged when none does. */
export function mutateBody(
  body: unknown,
  schema: Schema,
  random: Random,
): { body: unknown; mutation: Mutation | null } {
  const names = Object.keys(BODY_MUTATIONS);
  for (let tries = 0; tries < 20; tries += 1) {
    const location = random.pick(locationsOf(body, schema));
    const mutated = BODY_MUTATIONS[random.pick(names)]?.(body, location, random);
    if (mutated) return mutated;
  }
  return { body, mutation: null };
}
