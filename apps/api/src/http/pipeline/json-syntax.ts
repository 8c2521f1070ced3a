import { codePointLength } from '@svc/contract';

/** Where a text stops being JSON, and what was expected there. */
interface JsonError {
  readonly at: number;
  readonly expected: string;
}

const WHITESPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const LITERAL = /true|false|null/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON does not allow them in a string
const PLAIN = /[^"\\\0-\x1f]+/y;
const ESCAPE = /["\\/bfnrt]|u[0-9a-fA-F]{4}/y;

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

class Stop {
  constructor(readonly error: JsonError) {}
}

/**
 * The first syntax error of a text that JSON.parse rejects: its own message quotes the text, and has a position only for
 * some errors. The caller has limited the depth.
 */
export function findSyntaxError(text: string): JsonError {
  let at = 0;
  const stop = (expected: string): never => {
    throw new Stop({ at, expected });
  };
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const found = pattern.test(text);
    if (found) at = pattern.lastIndex;
    return found;
  };
  const isNext = (character: string): boolean => {
    if (text[at] !== character) return false;
    at += 1;
    skip(WHITESPACE);
    return true;
  };

  function string(): void {
    at += 1;
    for (skip(PLAIN); text[at] !== '"'; skip(PLAIN)) {
      if (at >= text.length) stop('a double quote at the end of the string');
      if (text[at] !== '\\') stop('an escaped control character, such as \\n for a line break');
      at += 1;
      if (!skip(ESCAPE)) stop('an escape sequence of JSON after the backslash');
    }
    at += 1;
  }

  function members(close: '}' | ']', member: () => void): void {
    at += 1;
    skip(WHITESPACE);
    if (isNext(close)) return;
    for (;;) {
      member();
      if (isNext(close)) return;
      if (!isNext(',')) stop(`a comma or ${close}`);
    }
  }

  function value(): void {
    const character = text[at];
    if (character === '"') string();
    else if (character === '[') members(']', value);
    else if (character === '{') {
      members('}', () => {
        if (text[at] !== '"') stop('a name in double quotes');
        string();
        skip(WHITESPACE);
        if (!isNext(':')) stop('a colon');
        value();
      });
    } else if (!skip(LITERAL) && !skip(NUMBER))
      stop('a value: an object, array, string in double quotes, number, true, false or null');
    skip(WHITESPACE);
  }

  try {
    skip(WHITESPACE);
    value();
    return { at, expected: 'the end of the body' };
  } catch (error) {
    if (error instanceof Stop) return error.error;
    throw error;
  }
}

/** Line and column of a position, counted from 1; columns count characters. */
export function lineAndColumn(text: string, at: number): { line: number; column: number } {
  let line = 1;
  let start = 0;
  for (let index = 0; index < at; index++) {
    const unit = text.charCodeAt(index);
    if (unit !== LINE_FEED && (unit !== CARRIAGE_RETURN || text.charCodeAt(index + 1) === LINE_FEED))
      continue;
    line += 1;
    start = index + 1;
  }
  return { line, column: codePointLength(text.slice(start, at)) + 1 };
}
