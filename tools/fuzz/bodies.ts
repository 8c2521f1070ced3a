import type { Chance } from '../generate/seeded.ts';

/** The part of JSON Schema in which the interface is written down. */
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

/** What was done to a sound request, and what has to come of it. */
export interface Mutation {
  readonly name: string;
  /** `refused`: it is `validation_failed`, and says so of this place. `either`: whatever the rules make of it. */
  readonly verdict: 'sound' | 'refused' | 'either';
  readonly pointer?: string;
}

interface Place {
  readonly path: readonly (string | number)[];
  readonly schema: Schema;
  readonly value: unknown;
  readonly required: boolean;
}

const ESCAPES: Readonly<Record<string, string>> = { '~': '~0', '/': '~1' };
const pointerOf = (path: readonly (string | number)[]): string =>
  path.map((step) => `/${String(step).replace(/[~/]/g, (mark) => ESCAPES[mark] ?? mark)}`).join('');

/** Every place of the body that the schema knows, objects and arrays before what they hold. */
function placesOf(value: unknown, schema: Schema): Place[] {
  const found: Place[] = [];
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

/** Text of exactly this many code points, without blanks at its ends. */
function textOf(length: number, chance: Chance): string {
  const one = (): string => chance.one(TEXTS);
  const inner = Array.from({ length: Math.max(0, length - 2) }, chance.happens(0.5) ? one : () => 'x').join(
    '',
  );
  return length <= 0 ? '' : length === 1 ? 'z' : `z${inner}z`;
}

const isText = ({ pattern, format }: Schema): boolean =>
  format === undefined && (pattern === undefined || pattern === '\\S' || pattern === '^\\S(.*\\S)?$');
const isDate = ({ format }: Schema): boolean => format === 'date';

/** Places where a value that is right by itself may still contradict another one, or the world. */
const BOUND_UP =
  /^\/(building\/(occupancy_type|building_type)|policy\/(effective_date|expiration_date)|adjuster_svc_id|svc_id|external_id|claim_number|email|code|sign_in_secret)$/;
/** Objects of which some parts have to come together; leaving one out may or may not be right. */
const TOGETHER =
  /^\/(policyholder|carrier|agent|mortgagee|additional_contacts|email|code|svc_id|sign_in_secret|subscription)/;

type Mutate = (body: unknown, place: Place, chance: Chance) => { body: unknown; mutation: Mutation } | null;

const refusedAt = (name: string, place: Place, body: unknown): { body: unknown; mutation: Mutation } => ({
  body,
  mutation: { name, verdict: 'refused', pointer: pointerOf(place.path) },
});
const soundAt = (name: string, place: Place, body: unknown): { body: unknown; mutation: Mutation } => {
  const pointer = pointerOf(place.path);
  return { body, mutation: { name, verdict: BOUND_UP.test(pointer) ? 'either' : 'sound', pointer } };
};

const OTHER_TYPES: readonly unknown[] = [true, false, 0, 1.5, -1, 'text', '', [], {}, [[]], 1e308];
const kindOf = (value: unknown): string =>
  Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;

const BODY_MUTATIONS: Readonly<Record<string, Mutate>> = {
  'a field left out': (body, place) => {
    const pointer = pointerOf(place.path);
    if (place.path.length === 0 || typeof place.path.at(-1) === 'number') return null;
    const made = without(body, place.path);
    if (place.required) return refusedAt('a field left out', place, made);
    const verdict = TOGETHER.test(pointer) || BOUND_UP.test(pointer) ? 'either' : 'sound';
    return { body: made, mutation: { name: 'a field left out', verdict, pointer } };
  },
  'an unknown field': (body, place, chance) => {
    if (kindOf(place.value) !== 'object' || place.schema.additionalProperties !== false) return null;
    const name = chance.one([
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
    if (place.schema.properties !== undefined && Object.hasOwn(place.schema.properties, name)) return null;
    const path = [...place.path, name];
    return refusedAt('an unknown field', { ...place, path }, put(body, path, chance.one(OTHER_TYPES)));
  },
  'null instead of a value': (body, place) => {
    // A push subscription may say that it never expires.
    if (place.schema.type === undefined || kindOf(place.schema.type) === 'array') return null;
    return refusedAt('null instead of a value', place, put(body, place.path, null));
  },
  'another type': (body, place, chance) => {
    const { type } = place.schema;
    if (typeof type !== 'string') return null;
    const own = type === 'integer' ? 'number' : type;
    const others = OTHER_TYPES.filter((value) => kindOf(value) !== own);
    return refusedAt('another type', place, put(body, place.path, chance.one(others)));
  },
  'a text too long by one': (body, place, chance) => {
    const { maxLength, type } = place.schema;
    if (type !== 'string' || maxLength === undefined) return null;
    const text = isText(place.schema) ? textOf(maxLength + 1, chance) : 'x'.repeat(maxLength + 1);
    return refusedAt('a text too long by one', place, put(body, place.path, text));
  },
  'a text as long as can be': (body, place, chance) => {
    const { maxLength, type } = place.schema;
    if (type !== 'string' || maxLength === undefined || !isText(place.schema)) return null;
    return soundAt('a text as long as can be', place, put(body, place.path, textOf(maxLength, chance)));
  },
  'a text of one character': (body, place, chance) => {
    const { minLength, type } = place.schema;
    if (type !== 'string' || minLength !== 1 || !isText(place.schema)) return null;
    return soundAt('a text of one character', place, put(body, place.path, chance.one(['z', '🌊', '東'])));
  },
  'an empty text': (body, place) => {
    if (place.schema.type !== 'string') return null;
    return refusedAt('an empty text', place, put(body, place.path, ''));
  },
  'a blank text': (body, place, chance) => {
    if (place.schema.pattern !== '\\S') return null;
    return refusedAt(
      'a blank text',
      place,
      put(body, place.path, chance.one([' ', '\t\n', '\u00a0', '\u3000\u200b'])),
    );
  },
  'a character that is none': (body, place, chance) => {
    if (place.schema.type !== 'string') return null;
    return refusedAt(
      'a character that is none',
      place,
      put(body, place.path, `z${chance.one(['\0', '\ud800', '\udc00'])}z`),
    );
  },
  'blanks around it': (body, place, chance) => {
    const { pattern } = place.schema;
    if (pattern !== '^\\S(.*\\S)?$') return null;
    return refusedAt(
      'blanks around it',
      place,
      put(body, place.path, chance.one([' a', 'a ', '\ta', 'a\n', '\u00a0a'])),
    );
  },
  'a number beyond its bounds': (body, place, chance) => {
    const { minimum, maximum, type } = place.schema;
    if (type !== 'integer' && type !== 'number') return null;
    const beyond = [minimum === undefined ? null : minimum - 1, maximum === undefined ? null : maximum + 1];
    const values = [...beyond.filter((value) => value !== null), 1e300, -1e300];
    return refusedAt('a number beyond its bounds', place, put(body, place.path, chance.one(values)));
  },
  'a number at its bounds': (body, place, chance) => {
    const { minimum, maximum, type } = place.schema;
    if ((type !== 'integer' && type !== 'number') || minimum === undefined || maximum === undefined)
      return null;
    return soundAt('a number at its bounds', place, put(body, place.path, chance.one([minimum, maximum])));
  },
  'a fraction for a whole number': (body, place, chance) => {
    if (place.schema.type !== 'integer') return null;
    return refusedAt(
      'a fraction for a whole number',
      place,
      put(body, place.path, chance.one([0.5, 1.000001])),
    );
  },
  'a value that is not listed': (body, place, chance) => {
    const { enum: values } = place.schema;
    if (values === undefined) return null;
    const near = String(chance.one(values));
    const wrong = chance.one([
      near.toUpperCase() === near ? near.toLowerCase() : near.toUpperCase(),
      `${near} `,
      'nothing',
    ]);
    if (values.includes(wrong)) return null;
    return refusedAt('a value that is not listed', place, put(body, place.path, wrong));
  },
  'another listed value': (body, place, chance) => {
    const { enum: values } = place.schema;
    if (values === undefined) return null;
    return soundAt('another listed value', place, put(body, place.path, chance.one(values)));
  },
  'a day that does not exist': (body, place, chance) => {
    if (!isDate(place.schema)) return null;
    const days = [
      '2026-02-30',
      '2026-13-01',
      '2026-1-1',
      '0000-00-00',
      '2026-08-27T00:00:00Z',
      '27.08.2026',
      '2100-02-29',
    ];
    return refusedAt('a day that does not exist', place, put(body, place.path, chance.one(days)));
  },
  'another day': (body, place, chance) => {
    if (!isDate(place.schema)) return null;
    const day = chance.one(['2024-02-29', '2000-02-29', '1968-01-01', '2026-12-31', '2026-01-01']);
    return soundAt('another day', place, put(body, place.path, day));
  },
  'too many items': (body, place) => {
    const { maxItems } = place.schema;
    if (!Array.isArray(place.value) || maxItems === undefined) return null;
    const items = Array.from({ length: maxItems + 1 }, () => (place.value as unknown[])[0] ?? {});
    return refusedAt('too many items', place, put(body, place.path, items));
  },
  'two values swapped': (body, place, chance) => {
    const other = chance.one(placesOf(body, place.schema).map(({ value }) => value));
    if (place.path.length === 0) return null;
    const mutation: Mutation = { name: 'two values swapped', verdict: 'either' };
    return { body: put(body, place.path, other), mutation };
  },
  'nested deeply': (body, place, chance) => {
    if (place.path.length === 0) return null;
    let deep: unknown = 'x';
    for (let depth = chance.whole(50, 3000); depth > 0; depth -= 1)
      deep = depth % 2 === 0 ? [deep] : { deep };
    return { body: put(body, place.path, deep), mutation: { name: 'nested deeply', verdict: 'either' } };
  },
};

/** One mutation of this body, by the schema; the same body where none was found that fits. */
export function mutateBody(
  body: unknown,
  schema: Schema,
  chance: Chance,
): { body: unknown; mutation: Mutation | null } {
  const names = Object.keys(BODY_MUTATIONS);
  for (let tries = 0; tries < 20; tries += 1) {
    const place = chance.one(placesOf(body, schema));
    const made = BODY_MUTATIONS[chance.one(names)]?.(body, place, chance);
    if (made) return made;
  }
  return { body, mutation: null };
}
