import type { Steps } from './steps.ts';

/** Far above those of claims systems; columns are compared with each other. */
export const MAX_COLUMNS = 1000;

/**
 * Why the cells of a record are not certain. `opened`: a quote is not closed. `inside`: one is within a quoted cell. `wide`:
 * there are too many.
 */
export type RecordProblem = 'opened' | 'inside' | 'wide';

/** A row of a file, which has several lines where a quoted cell has line breaks. */
export interface CsvRecord {
  /** Where its text begins, and where that of the next one does. */
  readonly start: number;
  readonly end: number;
  readonly lines: number;
  /** With a problem, those before it. */
  readonly cells: readonly string[];
  readonly problem: RecordProblem | null;
}

/** Where the line of this character ends: before its line break. */
function lineEnd(text: string, from: number): number {
  const lineBreak = /[\r\n]/g;
  lineBreak.lastIndex = from;
  return lineBreak.exec(text)?.index ?? text.length;
}

const isBreak = (character: string | undefined): boolean => character === '\n' || character === '\r';

/** After the line break that is here, if one is. */
const afterBreak = (text: string, at: number): number =>
  text.startsWith('\r\n', at) ? at + 2 : Math.min(at + 1, text.length);

function afterSpaces(text: string, from: number, delimiter: string): number {
  let at = from;
  while (text[at] === ' ' || (text[at] === '\t' && delimiter !== '\t')) at += 1;
  return at;
}

interface Cell {
  readonly value: string;
  /** At the delimiter or the line break after it. */
  readonly end: number;
}

/**
 * A cell that begins with a quote. A quote within it that is not doubled is a part of its text, as in `"6" of water"`, if no
 * other reading has another end: it has no delimiter and no line break.
 */
function quotedCell(
  text: string,
  opening: number,
  delimiter: string,
  endOfLine: (from: number) => number,
): Cell | RecordProblem {
  /** Of the line, once a quote within the text has been found. */
  let end: number | undefined;
  let from = opening + 1;
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote === -1) return end === undefined ? 'opened' : 'inside';
    if (end !== undefined && quote > end) return 'inside';
    if (text[quote + 1] === '"') {
      from = quote + 2;
      continue;
    }
    const after = afterSpaces(text, quote + 1, delimiter);
    if (after === text.length || text[after] === delimiter || isBreak(text[after])) {
      const written = text.slice(opening + 1, quote);
      const isUncertain =
        end !== undefined && (written.includes(delimiter) || hasOtherEnd(text, after, delimiter));
      if (isUncertain) return 'inside';
      return { value: written.replaceAll('""', '"'), end: after };
    }
    end ??= endOfLine(opening);
    if (quote > end) return 'inside';
    from = quote + 1;
  }
}

/** Whether a later quote of the line may be the end as well, as in `"say "yes", twice"`, and begins no other cell. */
function hasOtherEnd(text: string, from: number, delimiter: string): boolean {
  let before = '';
  for (let at = from; at < text.length && !isBreak(text[at]); at += 1) {
    const character = text[at];
    if (character === '"') {
      if (before === delimiter) return false;
      const next = text[afterSpaces(text, at + 1, delimiter)];
      if (next === undefined || next === delimiter || isBreak(next)) return true;
    }
    if (character !== undefined && character !== ' ') before = character;
  }
  return false;
}

function plainCell(text: string, from: number, delimiter: string): Cell {
  const cellEnd = new RegExp(`[\\r\\n${delimiter}]`, 'g');
  cellEnd.lastIndex = from;
  const end = cellEnd.exec(text)?.index ?? text.length;
  return { value: text.slice(from, end), end };
}

/** A step of it takes less than a millisecond. */
const STEP_CHARACTERS = 5000;

/**
 * The records of a text (RFC 4180). In a cell that does not begin with a quote, quotes are text; before one that does, and
 * after its end, spaces are not. A record with a problem ends with its line, so that all of them are found at once.
 */
export function* recordsOf(
  text: string,
  delimiter: string,
  visit: (record: CsvRecord) => boolean,
): Steps<undefined> {
  let start = 0;
  let paused = 0;
  while (start < text.length) {
    const record = recordAt(text, start, delimiter);
    if (!visit(record)) return undefined;
    start = record.end;
    if (start - paused < STEP_CHARACTERS) continue;
    paused = start;
    yield undefined;
  }
  return undefined;
}

export function recordAt(text: string, start: number, delimiter: string): CsvRecord {
  const cells: string[] = [];
  let at = start;
  // Once for the line, which may be long, and not for each of its cells.
  let ofLine = -1;
  const endOfLine = (from: number): number => {
    if (ofLine < from) ofLine = lineEnd(text, from);
    return ofLine;
  };
  for (;;) {
    const opening = afterSpaces(text, at, delimiter);
    const cell =
      text[opening] === '"'
        ? quotedCell(text, opening, delimiter, endOfLine)
        : plainCell(text, at, delimiter);
    if (typeof cell === 'string' || cells.length === MAX_COLUMNS) {
      const problem = typeof cell === 'string' ? cell : 'wide';
      const end = afterBreak(text, lineEnd(text, at));
      return { start, end, lines: linesOf(text, start, end).length, cells, problem };
    }
    cells.push(cell.value);
    if (text[cell.end] === delimiter) at = cell.end + 1;
    else {
      const end = afterBreak(text, cell.end);
      const lines = cells.some((value) => /[\r\n]/.test(value)) ? linesOf(text, start, end).length : 1;
      return { start, end, lines, cells, problem: null };
    }
  }
}

export const linesOf = (text: string, start: number, end: number): string[] =>
  text
    .slice(start, end)
    .replace(/(\r\n|\r|\n)$/, '')
    .split(/\r\n|\r|\n/);

/** Whether a line after the first has as many cells as the header, so that it may be a row that a quote has swallowed. */
export function hasRowInside(
  text: string,
  { start, end }: CsvRecord,
  delimiter: string,
  header: readonly string[],
): boolean {
  const width = header.findLastIndex((name) => name.trim() !== '') + 1;
  // As in a row, further cells may be empty.
  const isRow = (cells: readonly string[]): boolean =>
    cells.length >= width && cells.slice(header.length).every((cell) => cell.trim() === '');
  return linesOf(text, start, end)
    .slice(1)
    .some((line) => isRow(line.split(delimiter)) || isRow(recordAt(line, 0, delimiter).cells));
}
