import { DELIMITER_NAMES } from '@svc/contract';
import { knownColumns } from './columns.ts';
import { decode, type Encoding, UnreadableCsv } from './decode.ts';
import {
  type CsvRecord,
  hasRowInside,
  linesOf,
  MAX_COLUMNS,
  type RecordProblem,
  recordsOf,
} from './records.ts';
import { atOnce, type Steps } from './steps.ts';

export type Delimiter = (typeof DELIMITER_NAMES)[number];
const DELIMITERS: Readonly<Record<Delimiter, string>> = { comma: ',', semicolon: ';', tab: '\t', pipe: '|' };

export interface CsvOptions {
  /** By default recognized. */
  readonly encoding?: Encoding | undefined;
  readonly delimiter?: Delimiter | undefined;
  /** As a spreadsheet counts. By default the first row with text. */
  readonly headerRow?: number | undefined;
  /** Of a part of a larger file: the number of its first row after the header. */
  readonly firstRow?: number | undefined;
  /** A file with more rows or cells is not read. */
  readonly maxRows: number;
  readonly maxCells?: number;
}

export interface CsvFile {
  readonly encoding: Encoding;
  readonly delimiter: Delimiter;
  readonly header: readonly string[];
  readonly headerRow: number;
  /** A later row that looks like the header, as this one does not. */
  readonly likelyHeaderRow: number | null;
  readonly rows: readonly CsvRow[];
  /** Lines with text after the header: as many as rows, unless cells have line breaks. */
  readonly lines: number;
}

/** `swallowed`: a line of it looks like a row. `shifted`: it has a separator more, perhaps within a cell. */
type RowProblem = RecordProblem | 'swallowed' | 'shifted';

export interface CsvRow {
  /** As a spreadsheet counts: the header is row 1. */
  readonly row: number;
  /** Of the file. */
  readonly lines: number;
  readonly cells: readonly string[];
  readonly problem: RowProblem | null;
}

/** Rows of the beginning among which the header is looked for. */
const HEADER_ROWS = 20;
/** A row with fewer names of columns that are known may be anything. */
const MIN_KNOWN = 3;

const ROW_PROBLEMS: Readonly<Record<RowProblem, (lines: number, cells: number) => string>> = {
  opened: () => 'A cell begins with a quote that is not closed. Close it, or write the quote twice.',
  inside: () =>
    'A quote is within a cell that begins with one. Put the cell in quotes, and write a quote in it twice.',
  wide: () => `The row has more than ${MAX_COLUMNS.toLocaleString('en-US')} cells.`,
  swallowed: (lines) =>
    `A quote makes ${lines} lines of the file one row, and one of them looks like a row: is a quote not closed, or not written twice?`,
  shifted: (_, cells) =>
    `The row has ${cells} cells, which is more than the header: is a separator within a cell that is not in quotes?`,
};

export const rowProblem = ({ problem, lines, cells }: CsvRow): string | null =>
  problem === null ? null : ROW_PROBLEMS[problem](lines, cells.length);

/** No row has text from the one on that was chosen as the header. */
export class UnknownHeaderRow extends UnreadableCsv {
  constructor(headerRow: number) {
    super(`No row has text from row ${headerRow} on: choose the row of the header (header_row).`);
  }
}

const noHeader = (headerRow: number | undefined, isEmpty: boolean): UnreadableCsv =>
  headerRow === undefined || isEmpty
    ? new UnreadableCsv('The file is empty.')
    : new UnknownHeaderRow(headerRow);

/** Reads a file, or a text that is decoded already. */
export const readCsv = (input: Uint8Array | string, options: CsvOptions): CsvFile =>
  atOnce(readCsvInSteps(input, options));

export function* readCsvInSteps(input: Uint8Array | string, options: CsvOptions): Steps<CsvFile> {
  const { text, encoding } =
    typeof input === 'string' ? { text: input, encoding: 'utf-8' as const } : decode(input, options.encoding);
  const { content, delimiter, records, first } = yield* rowsInSteps(text, options);
  const separator = DELIMITERS[delimiter];
  const { headerRow, firstRow } = options;
  const header = records[first];
  if (header === undefined) throw noHeader(headerRow, records.every(isBlankRow));
  if (header.problem !== null)
    throw new UnreadableCsv(`The header: ${ROW_PROBLEMS[header.problem](header.lines, header.cells.length)}`);
  const rows: CsvRow[] = [];
  const isShifted = shiftedFrom(header.cells, records.slice(first + 1));
  let lines = 0;
  for (const [n, record] of records.slice(first + 1).entries()) {
    if (n % STEP_ROWS === 0) yield undefined;
    const isSwallowing = record.lines > 1 && hasRowInside(content, record, separator, header.cells);
    const problem = record.problem ?? (isSwallowing ? 'swallowed' : isShifted(record) ? 'shifted' : null);
    if (isBlankRow(record)) continue;
    const row = firstRow === undefined ? first + 2 + n : firstRow + n;
    rows.push({ row, lines: record.lines, cells: record.cells.map(asWritten), problem });
    lines +=
      record.lines === 1
        ? 1
        : linesOf(content, record.start, record.end).filter((line) => line.trim() !== '').length;
  }
  const likelyHeaderRow =
    headerRow === undefined && firstRow === undefined ? likelyHeader(records, first) : null;
  if (header.cells.length === 1 && likelyHeaderRow === null)
    throw new UnreadableCsv(
      'The header has one column: is it a title above the header, whose row has to be chosen (header_row), or is the separator of a CSV file something else than a comma, a semicolon, a tab or a pipe (|)?',
    );
  return {
    ...{ encoding, delimiter, headerRow: first + 1, likelyHeaderRow, lines },
    header: columnNames(header.cells.map(asWritten), rows),
    rows,
  };
}

interface RowsIn {
  readonly content: string;
  readonly delimiter: Delimiter;
  /** Also blank ones. */
  readonly records: readonly CsvRecord[];
  /** Where the header is among them; -1: nowhere. */
  readonly first: number;
}

/** The rows of a text, as far as they are found without the names of its columns. */
export const rowsIn = (text: string, options: Partial<CsvOptions>): RowsIn =>
  atOnce(rowsInSteps(text, options));

function* rowsInSteps(
  text: string,
  {
    maxRows = Number.POSITIVE_INFINITY,
    maxCells = Number.POSITIVE_INFINITY,
    headerRow = 1,
    delimiter: named,
  }: Partial<CsvOptions>,
): Steps<RowsIn> {
  const { content, delimiter } = separated(textOf(text), named, headerRow);
  const records: CsvRecord[] = [];
  let [cells, rows] = [0, 0];
  yield* recordsOf(content, DELIMITERS[delimiter], (record) => {
    records.push(record);
    cells += record.cells.length;
    if (records.length >= headerRow && !isBlankRow(record)) rows += 1;
    return cells <= maxCells && rows <= maxRows + 1;
  });
  if (cells > maxCells) throw tooMany(maxCells, 'cells');
  if (rows > maxRows + 1) throw tooMany(maxRows, 'rows');
  const first = records.findIndex((record, n) => n >= headerRow - 1 && !isBlankRow(record));
  return { content, delimiter, records, first };
}

/** Rows that were read elsewhere, the header first. */
export function* fileOfRows(sent: readonly (readonly string[])[], options: CsvOptions): Steps<CsvFile> {
  const { maxRows, headerRow, firstRow } = options;
  const titles = (headerRow ?? 1) - 1;
  const first = sent.findIndex((cells, n) => n >= titles && !isBlank(cells));
  const header = sent[first];
  if (header === undefined) throw noHeader(headerRow, sent.every(isBlank));
  if (header.length > MAX_COLUMNS)
    throw new UnreadableCsv(`The header: ${ROW_PROBLEMS.wide(1, header.length)}`);
  const rows: CsvRow[] = [];
  for (const [n, cells] of sent.slice(first + 1).entries()) {
    if (n % STEP_ROWS === 0) yield undefined;
    if (isBlank(cells)) continue;
    const row = firstRow === undefined ? first + 2 + n : firstRow + n;
    rows.push({ row, lines: 1, cells: cells.map(asWritten), problem: null });
    if (rows.length > maxRows) throw tooMany(maxRows, 'rows');
  }
  return {
    ...{
      encoding: 'utf-8',
      delimiter: 'comma',
      headerRow: first + 1,
      likelyHeaderRow: null,
      lines: rows.length,
    },
    ...{ header: columnNames(header.map(asWritten), rows), rows },
  };
}
const STEP_ROWS = 50;

/**
 * Rows with more cells than the header, of which the last is empty, either end with separators or have one within a cell that
 * is not in quotes, so that each later cell is in the column of another. They end with separators if all have as many.
 */
function shiftedFrom(
  header: readonly string[],
  records: readonly CsvRecord[],
): (record: CsvRecord) => boolean {
  const lengths = new Set(
    records.flatMap((record) =>
      isBlankRow(record) || record.problem !== null || record.cells.length < header.length
        ? []
        : [record.cells.length],
    ),
  );
  const isSpaced = (cells: readonly string[]): boolean => cells.slice(1).some((cell) => /^ \S/.test(cell));
  const isHeaderSpaced = isSpaced(header);
  return ({ cells }) =>
    cells.length > header.length &&
    isBlank(cells.slice(header.length)) &&
    (lengths.size > 1 || (isSpaced(cells) && !isHeaderSpaced));
}

const tooMany = (max: number, what: string): UnreadableCsv =>
  new UnreadableCsv(
    `The file has more than ${max.toLocaleString('en-US')} ${what}: split it into several files.`,
  );

const isBlankRow = ({ problem, cells }: CsvRecord): boolean => problem === null && isBlank(cells);
const isBlank = (cells: readonly string[]): boolean => cells.every((cell) => cell.trim() === '');

/** Some systems write `="08260"`, so that Excel keeps the zero. */
const asWritten = (cell: string): string => {
  const text = cell.trim();
  return text.startsWith('="') ? text.replace(/^="([^"]+)"$/, '$1') : text;
};

/** Repeated names are numbered; columns without name and text have none. */
function columnNames(header: readonly string[], rows: readonly CsvRow[]): string[] {
  const count = new Map<string, number>();
  for (const name of header) count.set(name, (count.get(name) ?? 0) + 1);
  const numbers = new Map<string, number>();
  const names = header.map((name, n) => {
    if (name === '') return rows.some(({ cells }) => cells[n]) ? `Column ${n + 1}` : '';
    const number = (numbers.get(name) ?? 0) + 1;
    numbers.set(name, number);
    return (count.get(name) ?? 0) > 1 ? `${name} (${number})` : name;
  });
  const seen = new Set<string>();
  const repeated = names.find((name) => name !== '' && seen.size === seen.add(name).size);
  if (repeated === undefined) return names;
  throw new UnreadableCsv(`The header has the column ${JSON.stringify(repeated)} twice.`);
}

/** Without what marks its beginning, and its end as DOS and mainframes do. */
function textOf(text: string): string {
  const end = text.indexOf(END_OF_FILE);
  const isEnd = end !== -1 && text.slice(end).replaceAll(END_OF_FILE, '').trim() === '';
  return (isEnd ? text.slice(0, end) : text).replace(/^\ufeff/, '');
}
const END_OF_FILE = '\u001a';

/** Excel may name the separator in a line before the header. */
function separated(
  text: string,
  named: Delimiter | undefined,
  headerRow: number,
): { content: string; delimiter: Delimiter } {
  const [line, separator] = /^sep=(.)\r?\n/i.exec(text) ?? [];
  const content = line === undefined ? text : text.slice(line.length);
  if (named !== undefined) return { content, delimiter: named };
  const declared = DELIMITER_NAMES.find((name) => DELIMITERS[name] === separator);
  return { content, delimiter: declared ?? delimiterOf(content, headerRow) };
}

/** Longer than titles and a header. */
const MAX_BEGINNING = 50_000;

/** That of the line with most names of columns that are known, or else that of the header, by default the first line. */
function delimiterOf(text: string, headerRow: number): Delimiter {
  const beginning = text.slice(0, MAX_BEGINNING);
  const knownWith = (name: Delimiter): number =>
    Math.max(...firstRecords(beginning, DELIMITERS[name]).map(({ cells }) => knownColumns(cells)), 0);
  const known = new Map(DELIMITER_NAMES.map((name) => [name, knownWith(name)]));
  const ofHeader = mostOf((name) => known.get(name) ?? 0);
  if ((known.get(ofHeader) ?? 0) >= MIN_KNOWN) return ofHeader;
  // Without quoted parts.
  const written = beginning.replace(/"(?:[^"]|"")*"/g, '');
  const lines = (headerRow === 1 ? written.trimStart() : written).split(/\r\n|\r|\n/);
  const line = lines[headerRow - 1];
  return mostOf((name) => (line ?? '').split(DELIMITERS[name]).length);
}

const mostOf = (countOf: (name: Delimiter) => number): Delimiter =>
  DELIMITER_NAMES.reduce((best, name) => (countOf(name) > countOf(best) ? name : best));

function firstRecords(text: string, delimiter: string): CsvRecord[] {
  const records: CsvRecord[] = [];
  atOnce(
    recordsOf(text, delimiter, (record) => {
      records.push(record);
      return records.length < HEADER_ROWS;
    }),
  );
  return records;
}

/** Below title lines. Null: the first row with text is as likely. */
function likelyHeader(records: readonly CsvRecord[], first: number): number | null {
  const known = records.slice(0, HEADER_ROWS).map(({ cells }) => knownColumns(cells));
  const most = Math.max(...known);
  const row = known.indexOf(most);
  return row > first && most >= MIN_KNOWN ? row + 1 : null;
}
