import { LIMITS, toPointer, validationSummary } from '@svc/contract';
import { HttpProblem } from '../problems/http-problem.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

const malformed = (detail: string): HttpProblem => new HttpProblem('malformed_request', { detail });

/** A member takes twenty times as long as a value in an array. */
const MAX_MEMBERS = LIMITS.bodyValues;
const valuesAllowed = (maxValues: number): string =>
  maxValues > MAX_MEMBERS
    ? `${maxValues} values, of which ${MAX_MEMBERS} are members`
    : `${maxValues} values`;

const tooManyValues = (maxValues: number): HttpProblem =>
  new HttpProblem('validation_failed', {
    detail: validationSummary(1, 1),
    errors: [{ detail: `Must not hold more than ${valuesAllowed(maxValues)}.`, pointer: '' }],
  });

/**
 * Parses a JSON document in UTF-8.
 *
 * @throws HttpProblem `malformed_request`, whose detail quotes nothing of the body except member names;
 * `validation_failed` for more values than any operation takes, without parsing them.
 */
export const parseJson = (bytes: Uint8Array, maxValues: number = LIMITS.bodyValues): unknown =>
  parseScanned(bytes, scanJson(bytes, maxValues), maxValues);

/** The second half of {@link parseJson}, for a large body in another tick. */
export function parseScanned(bytes: Uint8Array, { colons, end }: ScannedJson, maxValues: number): unknown {
  if (end < bytes.length) throw tooManyValues(maxValues);
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw malformed('The body is not valid UTF-8.');
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Its message quotes the text.
    throw malformed(text.trim() === '' ? 'The body is empty.' : 'The body is not valid JSON.');
  }
  // JSON.parse keeps the last of duplicate members, so the text then has more members than the value.
  if (colons !== countMembers(value)) {
    throw malformed(`The body has a duplicate member${locationOf(duplicateMember(text))}.`);
  }
  return value;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

interface ScannedJson {
  readonly colons: number;
  readonly end: number;
}

/**
 * Counts the colons outside strings, of which valid JSON has one per member, up to a value too many. Works on bytes, since in UTF-8 no multi-byte character contains an ASCII byte.
 *
 * @throws HttpProblem for too many levels
 */
export function scanJson(bytes: Uint8Array, maxValues: number): ScannedJson {
  let colons = 0;
  let depth = 0;
  let values = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      for (at++; at < bytes.length && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++;
    } else if (byte === COLON) {
      colons++;
    } else if (byte === COMMA) {
      values++;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      values++;
      if (++depth > LIMITS.bodyDepth)
        throw malformed(`The body is nested deeper than ${LIMITS.bodyDepth} levels.`);
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth--;
    }
    if (values > maxValues || colons > MAX_MEMBERS) return { colons, end: at + 1 };
  }
  return { colons, end: bytes.length };
}

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner = Array.isArray(value) ? (value as unknown[]) : Object.values(value);
  let count = inner === value ? 0 : inner.length;
  for (const item of inner) if (typeof item === 'object') count += countMembers(item);
  return count;
}

const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]/gs;

interface Level {
  /** The names so far; null in an array. */
  readonly names: Set<string> | null;
  /** The current member or item. */
  at: string | number;
}

/** The JSON pointer of the first duplicate member, in valid JSON that has one. */
function duplicateMember(text: string): string {
  const levels: Level[] = [];
  let expectsName = false;
  for (const [token] of text.matchAll(TOKENS)) {
    const level = levels.at(-1);
    if (token === '{' || token === '[') {
      expectsName = token === '{';
      levels.push({ names: expectsName ? new Set() : null, at: 0 });
    } else if (token === '}' || token === ']') {
      levels.pop();
    } else if (token === ',') {
      expectsName = typeof level?.names === 'object' && level.names !== null;
      if (typeof level?.at === 'number') level.at++;
    } else if (expectsName && level?.names) {
      expectsName = false;
      level.at = JSON.parse(token) as string;
      if (level.names.has(level.at)) return toPointer(levels.map(({ at }) => at));
      level.names.add(level.at);
    }
  }
  return '';
}

/** Longer pointers are left out of the response. */
const MAX_POINTER_LENGTH = 200;
const locationOf = (pointer: string): string => (pointer.length > MAX_POINTER_LENGTH ? '' : `: ${pointer}`);
