import { z } from 'zod';
import type { CrossFieldRule } from './cross-field-rule.ts';
import { editDistance } from './edit-distance.ts';
import type { BodyOf, Endpoint, RequestOf } from './endpoint.ts';
import { fields } from './fields.ts';
import { escapeSegment, toPointer, valueAt } from './json-pointer.ts';
import { LIMITS } from './limits.ts';
import type { ProblemItem } from './problems.ts';
import { hasUnusableCharacter } from './text.ts';

/** A request before validation. */
export interface RawRequest {
  /** Path parameters, percent-decoded. */
  readonly params?: Readonly<Record<string, string | undefined>>;
  /** The query string without the question mark, not decoded. */
  readonly search?: string;
  /** Keyed by lowercase name, as in Node. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The parsed JSON. */
  readonly body?: unknown;
}

export type ParsedRequest<Of extends Endpoint> =
  | { readonly ok: true; readonly value: RequestOf<Of> }
  | {
      readonly ok: false;
      /** At most `LIMITS.problemErrors`. */
      readonly errors: readonly ProblemItem[];
      /** The total, including errors that are not listed. */
      readonly errorCount: number;
    };

/** Keeps the first errors and counts the rest, so that the response and the work stay bounded. */
class ErrorList {
  readonly items: ProblemItem[] = [];
  count = 0;

  constructor(readonly capacity: number) {}

  push(item: ProblemItem): void {
    this.count += 1;
    if (this.items.length < this.capacity) this.items.push(item);
  }
}

/** Longer names are cut in errors: a name can be a megabyte long. */
const MAX_QUOTED_LENGTH = 100;

const shorten = (name: string): string => {
  if (name.length <= MAX_QUOTED_LENGTH) return name;
  const cut = name.slice(0, MAX_QUOTED_LENGTH);
  // Do not cut a surrogate pair in half.
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
};

/** Validates a whole request: returns its values, or every error in it. */
export function parseRequest<Of extends Endpoint>(
  endpoint: Of,
  request: RawRequest,
  rules: readonly CrossFieldRule<BodyOf<Of>>[] = [],
): ParsedRequest<Of> {
  const errors = new ErrorList(endpoint.auth === 'none' ? LIMITS.openProblemErrors : LIMITS.problemErrors);
  const params = parseParams(endpoint.params, request.params ?? {}, errors);
  const query = parseQuery(endpoint.query, request.search ?? '', errors);
  const headers = parseHeaders(endpoint.headers, request.headers ?? {}, errors);
  const body = parseBody(endpoint, request.body, rules, errors);
  if (errors.count > 0) return { ok: false, errors: errors.items, errorCount: errors.count };
  return { ok: true, value: { params, query, headers, body } as RequestOf<Of> };
}

function parseParams(
  schema: z.ZodObject | undefined,
  sent: Readonly<Record<string, string | undefined>>,
  errors: ErrorList,
): unknown {
  if (!schema) return {};
  // Only parameters of this path: a router may add others.
  const result = schema.safeParse(pick(Object.keys(schema.shape), (name) => sent[name]));
  if (result.success) return result.data;
  for (const issue of result.error.issues)
    errors.push({ detail: issue.message, parameter: String(issue.path[0]) });
  return undefined;
}

function parseHeaders(
  schema: z.ZodObject | undefined,
  sent: NonNullable<RawRequest['headers']>,
  errors: ErrorList,
): unknown {
  if (!schema) return {};
  const result = schema.safeParse(
    pick(Object.keys(schema.shape), (name) => {
      const value = sent[name.toLowerCase()];
      return typeof value === 'object' ? value.join(', ') : value;
    }),
  );
  if (result.success) return result.data;
  for (const issue of result.error.issues) {
    const detail = issue.message.replace(/^This field/, 'This header');
    errors.push({ detail, header: String(issue.path[0]) });
  }
  return undefined;
}

function pick(
  names: readonly string[],
  lookUp: (name: string) => string | undefined,
): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of names) {
    const value = lookUp(name);
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}

const percentDecoded = (encoded: string): string | null => {
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch {
    return null;
  }
};

const ASCII_ONLY = /^[\x21-\x7e]*$/;

function parseQuery(schema: z.ZodObject | undefined, search: string, errors: ErrorList): unknown {
  const known = schema ? Object.keys(schema.shape) : [];
  const values = new Map<string, string>();
  const unknown = `Unknown parameter. ${allowedParameters(known)}`;
  const details = new Map<string, string>();
  const report = (name: string, detail: string): void => {
    if (!details.has(name)) details.set(name, detail);
  };

  for (const pair of search === '' ? [] : search.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const rawName = equals < 0 ? pair : pair.slice(0, equals);
    const rawValue = equals < 0 ? '' : pair.slice(equals + 1);
    const name = ASCII_ONLY.test(rawName) ? percentDecoded(rawName) : null;
    if (name === null || hasUnusableCharacter(name)) {
      report(printable(rawName), 'The parameter name is not valid percent-encoded UTF-8.');
      continue;
    }
    if (!known.includes(name)) {
      report(name, unknown);
      continue;
    }
    const value = ASCII_ONLY.test(rawValue) ? percentDecoded(rawValue) : null;
    if (values.has(name)) report(name, 'This parameter was sent more than once.');
    else if (value === null) report(name, 'The value is not valid percent-encoded UTF-8.');
    else if (hasUnusableCharacter(value)) report(name, 'Must not contain U+0000.');
    values.set(name, value ?? '');
  }

  const result = schema?.safeParse(pick(known, (name) => values.get(name)));
  if (result && !result.success)
    for (const issue of result.error.issues) report(String(issue.path[0]), issue.message);
  for (const [name, detail] of details) errors.push({ detail, parameter: shorten(name) });
  return result?.data ?? {};
}

const allowedParameters = (known: readonly string[]): string =>
  known.length === 0 ? 'This operation takes no query parameters.' : `Allowed: ${known.join(', ')}.`;

/** An undecodable name, safe to quote: other characters than printable ASCII are replaced. */
const printable = (name: string): string => shorten(name).replace(/[^\x20-\x7e…]/g, '\ufffd');

function parseBody(
  endpoint: Endpoint,
  sent: unknown,
  rules: readonly CrossFieldRule<never>[],
  errors: ErrorList,
): unknown {
  if (!endpoint.body && sent === undefined) return undefined;
  const schema = endpoint.body ?? NO_FIELDS;
  const body = sent === undefined && endpoint.bodyRequired === false ? {} : sent;
  const result = schema.safeParse(body);

  const invalid = new Set<string>();
  if (!result.success) {
    for (const issue of result.error.issues) {
      const path = issue.path;
      if (issue.code === 'unrecognized_keys') {
        reportUnknown(toPointer(path), issue.keys, objectAt(schema, path), errors);
      } else {
        const pointer = toPointer(path);
        invalid.add(pointer);
        errors.push({ detail: issue.message, pointer });
      }
    }
  }
  for (const rule of rules) {
    if (invalid.size > 0 && rule.reads.some((pointer) => overlaps(pointer, invalid))) continue;
    const problem = rule.check(rule.reads.map((pointer) => valueAt(body, pointer)));
    if (problem !== null) errors.push(problem);
  }
  // The sent object, not zod's copy: responses repeat a claim with its fields in the order they were sent.
  return endpoint.body && body;
}

/** An operation without a body accepts none or an empty object. */
const NO_FIELDS = fields({});

/** Whether the field, an object above it or a field in it is invalid. */
function overlaps(pointer: string, invalid: ReadonlySet<string>): boolean {
  for (const other of invalid)
    if (other === pointer || pointer.startsWith(`${other}/`) || other.startsWith(`${pointer}/`)) return true;
  return false;
}

// Bounds the time spent on comparing names: a body with many unknown fields is not a typo.
const MAX_SUGGESTIONS = 5;
const MAX_COMPARED_LENGTH = 40;

function reportUnknown(
  parent: string,
  names: readonly string[],
  object: z.ZodObject | null,
  errors: ErrorList,
): void {
  const room = errors.capacity - errors.items.length;
  // No texts for errors that are not listed: a megabyte can hold a hundred thousand names.
  errors.count += Math.max(0, names.length - room);
  for (const name of names.slice(0, room)) {
    // A pointer to such a field would repeat all of its name, so it points to the object.
    if (name.length > MAX_QUOTED_LENGTH) {
      errors.push({
        detail: `Contains an unknown field whose name starts with ${JSON.stringify(shorten(name))}.`,
        pointer: parent,
      });
      continue;
    }
    const suggested = names.length <= MAX_SUGGESTIONS ? suggestion(name, parent, object) : null;
    errors.push({
      detail: suggested === null ? 'Unknown field.' : `Unknown field. Did you mean ${suggested}?`,
      pointer: `${parent}/${escapeSegment(name)}`,
    });
  }
}

/** Words that are a letter or two away from a word of a field and mean something else. */
const NOT_MISSPELLED: ReadonlySet<string> = new Set([
  ...['country', 'contract', 'contracted', 'contractor', 'estimator', 'mortgagor', 'mortgager', 'inspector'],
]);

/** Usual names for the same thing in other systems; suggested only where the object has the field. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  zip: ['zip_code', 'zipcode', 'postal_code', 'postcode'],
  street: ['street1', 'street_address', 'address1', 'address_1', 'address_line1', 'address_line_1', 'line1'],
  street2: ['street_2', 'address2', 'address_2', 'address_line2', 'address_line_2', 'line2'],
  phone: ['phone_number', 'telephone', 'telephone_number'],
  email: ['email_address', 'e_mail'],
  company_name: ['company', 'organization', 'business_name'],
  first_name: ['given_name'],
  last_name: ['surname', 'family_name'],
  policyholder: ['insured'],
  loss_location: ['property_address', 'risk_address', 'loss_address'],
};

const wordsOf = (name: string): string[] =>
  name
    .replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    .split(/[-_\s]+/)
    .filter((word) => word !== '');

const digitsIn = (name: string): string => name.replace(/[^0-9]/g, '');

/** The field that this name surely stands for: misspelled, called so elsewhere, or a field of an object in this one. */
function suggestion(name: string, parent: string, object: z.ZodObject | null): string | null {
  if (name.length > MAX_COMPARED_LENGTH || object === null) return null;
  const known = Object.keys(object.shape);
  const snake = wordsOf(name).join('_');
  return (
    misspelled(name, known) ??
    known.find((field) => SYNONYMS[field]?.includes(snake)) ??
    nestedField(snake, parent, object)
  );
}

/** The pointer of the one field below this object with this name: after the name of its object, or of several words. */
function nestedField(name: string, parent: string, object: z.ZodObject): string | null {
  const found = Object.entries(object.shape).flatMap(([outer, field]) => {
    const inner = unwrapped(field as z.core.$ZodType);
    if (!(inner instanceof z.ZodObject)) return [];
    return Object.keys(inner.shape)
      .filter((own) => `${outer}_${own}` === name || (own === name && name.includes('_')))
      .map((own) => `${parent}/${outer}/${own}`);
  });
  return found.length === 1 ? (found[0] ?? null) : null;
}

/** The known field that this name misspells. Compares word by word: contact_name is not a typo of contact_date. */
function misspelled(name: string, known: readonly string[]): string | null {
  const words = wordsOf(name);
  let best: string | null = null;
  let fewest = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const edits = editsBetween(words, wordsOf(candidate));
    if (edits < fewest) {
      best = candidate;
      fewest = edits;
    }
  }
  return best;
}

/** The number of typos; infinite when a word or a number is a different one. */
function editsBetween(words: readonly string[], meant: readonly string[]): number {
  if (words.join('') === meant.join('')) return 0;
  if (words.length !== meant.length || digitsIn(words.join('')) !== digitsIn(meant.join(''))) {
    return Number.POSITIVE_INFINITY;
  }
  return words.reduce((sum, word, index) => {
    const intended = meant[index] ?? '';
    if (word === intended) return sum;
    // In a short word a changed letter makes another word; letters in the wrong order do not.
    if (isTransposed(word, intended)) return sum + 1;
    const allowed = intended.length < 5 ? 0 : intended.length < 8 ? 1 : 2;
    if (NOT_MISSPELLED.has(word) || Math.abs(word.length - intended.length) > allowed) {
      return Number.POSITIVE_INFINITY;
    }
    const edits = editDistance(word, intended);
    return edits > allowed ? Number.POSITIVE_INFINITY : sum + edits;
  }, 0);
}

const isTransposed = (word: string, intended: string): boolean =>
  word.length === intended.length &&
  word.length > 3 &&
  editDistance(word, intended) === 1 &&
  sorted(word) === sorted(intended);

const sorted = (word: string): string => [...word].sort().join('');

/** The object at this path of the schema. */
function objectAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): z.ZodObject | null {
  const inner = unwrapped(schema);
  const [next, ...rest] = path;
  if (inner instanceof z.ZodArray) return next === undefined ? null : objectAt(inner.element, rest);
  if (!(inner instanceof z.ZodObject)) return null;
  if (next === undefined) return inner;
  const field = inner.shape[String(next)];
  return field ? objectAt(field, rest) : null;
}

function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional) return unwrapped(schema.unwrap());
  if (schema instanceof z.ZodPipe) return unwrapped(schema.out);
  return schema;
}
