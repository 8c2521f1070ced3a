import type { z } from 'zod';
import type { Endpoint, RequestOf } from './endpoint.ts';
import { suggestedField } from './field-suggestion.ts';
import { fields } from './fields.ts';
import { toPointer, valueAt } from './json-pointer.ts';
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
    this.pushEach([item], () => item);
  }

  /** Describes only what is listed: a megabyte can hold a hundred thousand unknown names. */
  pushEach<Value>(values: readonly Value[], describe: (value: Value) => ProblemItem): void {
    this.count += values.length;
    for (const value of values.slice(0, this.capacity - this.items.length)) this.items.push(describe(value));
  }
}

/** Longer names are cut in errors: a name can be a megabyte long. */
const MAX_QUOTED_LENGTH = 100;

const shorten = (name: string): string => {
  if (name.length <= MAX_QUOTED_LENGTH) return name;
  // Does not cut a surrogate pair in half.
  return `${name.slice(0, MAX_QUOTED_LENGTH).replace(/[\ud800-\udbff]$/, '')}…`;
};

/** Validates a whole request: returns its values, or every error in it. */
export function parseRequest<Of extends Endpoint>(endpoint: Of, request: RawRequest): ParsedRequest<Of> {
  const errors = new ErrorList(endpoint.auth === 'none' ? LIMITS.openProblemErrors : LIMITS.problemErrors);
  const params = parseParams(endpoint.params, request.params ?? {}, errors);
  const query = parseQuery(endpoint.query, request.search ?? '', errors);
  const headers = parseHeaders(endpoint.headers, request.headers ?? {}, errors);
  const body = parseBody(endpoint, request.body, errors);
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
    const detail = issue.message.replace('This field', 'This header');
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

  for (const pair of search.split('&')) {
    if (pair === '') continue;
    const nameEnd = `${pair}=`.indexOf('=');
    const rawName = pair.slice(0, nameEnd);
    const rawValue = pair.slice(nameEnd + 1);
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
    else values.set(name, value);
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

function parseBody(endpoint: Endpoint, sent: unknown, errors: ErrorList): unknown {
  if (!endpoint.body && sent === undefined) return undefined;
  const schema = endpoint.body ?? NO_FIELDS;
  const body = sent === undefined && endpoint.bodyRequired === false ? {} : sent;
  const result = schema.safeParse(body);

  const invalid = new Set<string>();
  if (!result.success) {
    for (const issue of result.error.issues) {
      const path = issue.path;
      if (issue.code === 'unrecognized_keys') {
        errors.pushEach(issue.keys, unknownField(schema, path, issue.keys.length <= MAX_SUGGESTIONS));
      } else {
        const pointer = toPointer(path);
        invalid.add(pointer);
        errors.push({ detail: issue.message, pointer });
      }
    }
  }
  for (const { reads, check } of endpoint.rules ?? []) {
    if (reads.some((pointer) => overlaps(pointer, invalid))) continue;
    const detail = check(reads.map((pointer) => valueAt(body, pointer)));
    if (detail !== null) errors.push({ detail, pointer: reads.at(-1) ?? '' });
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

/** Bounds the time spent on comparing names: a body with more unknown fields has no typos, but another format. */
const MAX_SUGGESTIONS = 5;

/** Describes an unknown field of the object at this path. */
const unknownField =
  (schema: z.core.$ZodType, path: readonly PropertyKey[], mayBeTypo: boolean) =>
  (name: string): ProblemItem => {
    // A pointer cannot name an unpaired surrogate, and would repeat all of a long name: it points to the object.
    const isLong = name.length > MAX_QUOTED_LENGTH;
    if (isLong || /\p{Surrogate}/u.test(name))
      return {
        detail: `Contains an unknown field ${isLong ? 'whose name starts with' : 'named'} ${JSON.stringify(shorten(name))}.`,
        pointer: toPointer(path),
      };
    const suggested = mayBeTypo ? suggestedField(name, schema, path) : null;
    const hint = suggested === null ? '' : ` Did you mean ${suggested}?`;
    return {
      detail: `Unknown field.${hint}`,
      pointer: toPointer([...path, name]),
    };
  };
