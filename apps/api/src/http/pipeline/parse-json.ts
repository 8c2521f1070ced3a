import { LIMITS, toPointer } from '@svc/contract';
import { HttpProblem } from '../problems/http-problem.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

const malformed = (detail: string): HttpProblem => new HttpProblem('malformed_request', { detail });

/**
 * The JSON document in these bytes.
 *
 * @throws HttpProblem `malformed_request`, with a detail that quotes nothing but names of members.
 */
export function parseJson(bytes: Uint8Array): unknown {
  const colons = countColons(bytes);
  if (colons === null) throw malformed(`The body is nested deeper than ${LIMITS.bodyDepth} levels.`);
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
    // The parser's own message quotes the input, which may hold personal data.
    throw malformed('The body is not valid JSON.');
  }
  // The parser keeps the last of two members with one name: then the text has more members than the value.
  if (colons !== countMembers(value)) {
    throw malformed(`The body has two members of one name${placeOf(repeatedMember(text))}.`);
  }
  return value;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

/**
 * Colons outside strings, of which valid JSON has one for each member; null when the text is nested too deep for the
 * parser. In UTF-8 none of these characters is part of another one.
 */
function countColons(bytes: Uint8Array): number | null {
  let colons = 0;
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      for (at++; at < bytes.length && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++;
    } else if (byte === COLON) {
      colons++;
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > LIMITS.bodyDepth) return null;
    } else if (byte === 0x7d || byte === 0x5d) {
      depth--;
    }
  }
  return colons;
}

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner = Array.isArray(value) ? (value as unknown[]) : Object.values(value);
  let count = inner === value ? 0 : inner.length;
  for (const one of inner) if (typeof one === 'object') count += countMembers(one);
  return count;
}

const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]/gs;

interface Level {
  /** Null in an array. */
  readonly names: Set<string> | null;
  /** The member, or the item, that is being read. */
  at: string | number;
}

/** Where the first name comes again, in valid JSON that has one that does. */
function repeatedMember(text: string): string {
  const levels: Level[] = [];
  let nameIsNext = false;
  for (const [token] of text.matchAll(TOKENS)) {
    const level = levels.at(-1);
    if (token === '{' || token === '[') {
      nameIsNext = token === '{';
      levels.push({ names: nameIsNext ? new Set() : null, at: 0 });
    } else if (token === '}' || token === ']') {
      levels.pop();
      nameIsNext = false;
    } else if (token === ',') {
      nameIsNext = typeof level?.names === 'object' && level.names !== null;
      if (typeof level?.at === 'number') level.at++;
    } else if (nameIsNext && level?.names) {
      nameIsNext = false;
      level.at = JSON.parse(token) as string;
      if (level.names.has(level.at)) return toPointer(levels.map(({ at }) => at));
      level.names.add(level.at);
    }
  }
  return '';
}

/** A path that would make the response long is left out. */
const LONGEST_POINTER = 200;
const placeOf = (pointer: string): string => (pointer.length > LONGEST_POINTER ? '' : `: ${pointer}`);
