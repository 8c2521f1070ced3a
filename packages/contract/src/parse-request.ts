import { z } from 'zod';
import type { CrossFieldRule } from './cross-field-rule.ts';
import type { BodyOf, Endpoint, RequestOf } from './endpoint.ts';
import { fields } from './fields.ts';
import { escapeSegment, toPointer, valueAt } from './json-pointer.ts';
import { LIMITS } from './limits.ts';
import { editDistance } from './nearest.ts';
import type { ProblemItem } from './problems.ts';
import { hasUnusableCharacter } from './text.ts';

/** A request as a host has it in hand, before anything about it is known to be right. */
export interface RawRequest {
  /** The path's parameters, percent-decoded. */
  readonly params?: Readonly<Record<string, string | undefined>>;
  /** What follows the question mark, as it came; empty when there is none. */
  readonly search?: string;
  /** By lower-case name, as Node hands them over. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The parsed JSON. */
  readonly body?: unknown;
}

export type ParsedRequest<Of extends Endpoint> =
  | { readonly ok: true; readonly value: RequestOf<Of> }
  | {
      readonly ok: false;
      /** The first ones; `LIMITS.problemErrors` at most. */
      readonly errors: readonly ProblemItem[];
      /** How many there are in all. */
      readonly errorCount: number;
    };

/** Keeps the first errors and counts the rest: neither the response nor the work grows with the request. */
class ErrorList {
  readonly items: ProblemItem[] = [];
  count = 0;

  constructor(readonly capacity: number) {}

  push(item: ProblemItem): void {
    this.count += 1;
    if (this.items.length < this.capacity) this.items.push(item);
  }
}

/** Names are quoted back no longer than this: a client can send a megabyte of them. */
const LONGEST_NAME = 100;

const shorten = (name: string): string => {
  if (name.length <= LONGEST_NAME) return name;
  const cut = name.slice(0, LONGEST_NAME);
  // Half a pair at the cut would be no text.
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
};

/** Finds everything that is wrong with a request at once, or hands back what it says. */
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
  // Only the parameters of the path's own template: what else a host files there is not the client's.
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

function pick(names: readonly string[], read: (name: string) => string | undefined): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of names) {
    const value = read(name);
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
  const unknown = `This parameter is not known here. ${knownParameters(known)}`;
  const complaints = new Map<string, string>();
  const complain = (name: string, detail: string): void => {
    if (!complaints.has(name)) complaints.set(name, detail);
  };

  for (const pair of search === '' ? [] : search.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const writtenName = equals < 0 ? pair : pair.slice(0, equals);
    const writtenValue = equals < 0 ? '' : pair.slice(equals + 1);
    const name = ASCII_ONLY.test(writtenName) ? percentDecoded(writtenName) : null;
    if (name === null || hasUnusableCharacter(name)) {
      complain(visible(writtenName), 'The name of this parameter is not valid percent-encoded UTF-8 text.');
      continue;
    }
    if (!known.includes(name)) {
      complain(name, unknown);
      continue;
    }
    const value = ASCII_ONLY.test(writtenValue) ? percentDecoded(writtenValue) : null;
    if (values.has(name)) complain(name, 'This parameter was sent more than once.');
    else if (value === null) complain(name, 'The value is not valid percent-encoded UTF-8 text.');
    else if (hasUnusableCharacter(value)) complain(name, 'Must not contain the character U+0000.');
    values.set(name, value ?? '');
  }

  const result = schema?.safeParse(pick(known, (name) => values.get(name)));
  if (result && !result.success)
    for (const issue of result.error.issues) complain(String(issue.path[0]), issue.message);
  for (const [name, detail] of complaints) errors.push({ detail, parameter: shorten(name) });
  return result?.data ?? {};
}

const knownParameters = (known: readonly string[]): string =>
  known.length === 0 ? 'This operation takes no query parameters.' : `Known are ${known.join(', ')}.`;

/** A name that could not be decoded, fit to be quoted: whatever is no plain character becomes a mark. */
const visible = (written: string): string => shorten(written).replace(/[^\x20-\x7e…]/g, '\ufffd');

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

  const wrong = new Set<string>();
  if (!result.success) {
    for (const issue of result.error.issues) {
      const path = issue.path;
      if (issue.code === 'unrecognized_keys') {
        reportUnknown(toPointer(path), issue.keys, fieldsAt(schema, path), errors);
      } else {
        const pointer = toPointer(path);
        wrong.add(pointer);
        errors.push({ detail: issue.message, pointer });
      }
    }
  }
  for (const rule of rules) {
    if (wrong.size > 0 && rule.reads.some((pointer) => isTouched(pointer, wrong))) continue;
    const problem = rule.judge(rule.reads.map((pointer) => valueAt(body, pointer)));
    if (problem !== null) errors.push(problem);
  }
  // The client's own object, and not zod's copy: a claim is answered as it was sent, in the order it was sent.
  return endpoint.body && body;
}

/** What may be sent where no body is needed: nothing, or an empty object. */
const NO_FIELDS = fields({});

/** Whether the field, something above it or something in it is wrong by itself. */
function isTouched(pointer: string, wrong: ReadonlySet<string>): boolean {
  for (const place of wrong)
    if (place === pointer || pointer.startsWith(`${place}/`) || place.startsWith(`${pointer}/`)) return true;
  return false;
}

// Comparing names costs time; a body with many unknown ones is no slip of the finger.
const MOST_SUGGESTIONS = 5;
const LONGEST_COMPARED = 40;

function reportUnknown(
  parent: string,
  names: readonly string[],
  known: readonly string[],
  errors: ErrorList,
): void {
  const room = errors.capacity - errors.items.length;
  // Only what is listed is put into words: a megabyte holds a hundred thousand names.
  errors.count += Math.max(0, names.length - room);
  for (const name of names.slice(0, room)) {
    // Such a name cannot be pointed at without sending all of it back: the object that holds it can.
    if (name.length > LONGEST_NAME) {
      errors.push({
        detail: `Must not hold the unknown field whose name begins with ${JSON.stringify(shorten(name))}.`,
        pointer: parent,
      });
      continue;
    }
    const meant = names.length <= MOST_SUGGESTIONS ? suggestion(name, known) : null;
    errors.push({
      detail:
        meant === null
          ? 'This field is not known here.'
          : `This field is not known here; did you mean ${meant}?`,
      pointer: `${parent}/${escapeSegment(name)}`,
    });
  }
}

/** One letter away from a field that means something else. */
const OTHER_WORDS: ReadonlySet<string> = new Set(['country']);

const wordsOf = (name: string): string[] =>
  name
    .replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    .split(/[-_\s]+/)
    .filter((word) => word !== '');

const digitsIn = (name: string): string => name.replace(/[^0-9]/g, '');

/** The known field that this name misspells. Compared word by word: contact_name is not a misspelled contact_date. */
function suggestion(name: string, known: readonly string[]): string | null {
  if (name.length > LONGEST_COMPARED) return null;
  const words = wordsOf(name);
  let best: string | null = null;
  let fewest = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const edits = misspellings(words, wordsOf(candidate));
    if (edits < fewest) {
      best = candidate;
      fewest = edits;
    }
  }
  return best;
}

/** How many characters are wrong; infinite where a word or a number is another one. */
function misspellings(words: readonly string[], meant: readonly string[]): number {
  if (words.join('') === meant.join('')) return 0;
  if (words.length !== meant.length || digitsIn(words.join('')) !== digitsIn(meant.join(''))) {
    return Number.POSITIVE_INFINITY;
  }
  return words.reduce((sum, word, index) => {
    const intended = meant[index] ?? '';
    if (word === intended) return sum;
    const allowed = intended.length < 4 ? 0 : intended.length < 8 ? 1 : 2;
    if (OTHER_WORDS.has(word) || Math.abs(word.length - intended.length) > allowed) {
      return Number.POSITIVE_INFINITY;
    }
    const edits = editDistance(word, intended);
    return edits > allowed ? Number.POSITIVE_INFINITY : sum + edits;
  }, 0);
}

/** The names that the schema lists for the object at this path. */
function fieldsAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): readonly string[] {
  const inner = unwrapped(schema);
  const [next, ...rest] = path;
  if (inner instanceof z.ZodArray) return next === undefined ? [] : fieldsAt(inner.element, rest);
  if (!(inner instanceof z.ZodObject)) return [];
  if (next === undefined) return Object.keys(inner.shape);
  const field = inner.shape[String(next)];
  return field ? fieldsAt(field, rest) : [];
}

function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional) return unwrapped(schema.unwrap());
  if (schema instanceof z.ZodPipe) return unwrapped(schema.out);
  return schema;
}
