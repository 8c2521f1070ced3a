import { DELIMITER_NAMES } from '@svc/contract';
import { CsvError, parse } from 'csv-parse/sync';
import { decode, type Encoding, UnreadableCsv } from './decode.ts';

export type Delimiter = (typeof DELIMITER_NAMES)[number];
const DELIMITERS: Readonly<Record<Delimiter, string>> = { comma: ',', semicolon: ';', tab: '\t', pipe: '|' };

interface CsvOptions {
  /** By default recognized. */
  readonly encoding?: Encoding | undefined;
  readonly delimiter?: Delimiter | undefined;
  /** Of a part of a larger file: the number of its first row after the header. */
  readonly firstRow?: number | undefined;
  /** A file with more rows is not read. */
  readonly maxRows: number;
}

export interface CsvFile {
  readonly encoding: Encoding;
  readonly delimiter: Delimiter;
  readonly header: readonly string[];
  readonly rows: readonly CsvRow[];
}

export interface CsvRow {
  /** As a spreadsheet counts: the header is row 1. */
  readonly row: number;
  readonly cells: readonly string[];
}

/** Far above the longest row of claims. */
const MAX_ROW_CHARACTERS = 200_000;
/** Far above those of claims systems; columns are compared with each other. */
const MAX_COLUMNS = 1000;

/** Some systems write `="08260"`, so that Excel keeps the zero. In a quoted cell, a second quote follows the first. */
const EXCEL_TEXT = /(?<=^|[,;\t|\r\n])="([^",;\t|\r\n]+)"(?=[,;\t|\r\n]|$)/g;

/** Reads a file, or a text that is decoded already. */
export function readCsv(input: Uint8Array | string, options: CsvOptions): CsvFile {
  const { text, encoding } =
    typeof input === 'string' ? { text: input, encoding: 'utf-8' as const } : decode(input, options.encoding);
  const { content, delimiter } = separated(text.replace(/^\ufeff/, ''), options.delimiter);
  const records = recordsOf(content.replace(EXCEL_TEXT, '"$1"'), DELIMITERS[delimiter], options.maxRows);
  const rows = records
    .map((cells, index) => ({
      row: index === 0 ? 1 : index - 1 + (options.firstRow ?? 2),
      cells: cells.map((cell) => cell.trim().replace(/^="([^"]+)"$/, '$1')),
    }))
    .filter(({ cells }) => cells.some((cell) => cell !== ''));
  const [header, ...others] = rows;
  if (header === undefined) throw new UnreadableCsv('The file is empty.');
  if (header.cells.length === 1)
    throw new UnreadableCsv(
      'The header has one column: is the separator something else than a comma, a semicolon, a tab or a pipe (|)?',
    );
  if (header.cells.length > MAX_COLUMNS)
    throw new UnreadableCsv(
      `The header has ${header.cells.length.toLocaleString('en-US')} columns, and may have ${MAX_COLUMNS}.`,
    );
  return { encoding, delimiter, header: columnNames(header.cells, others), rows: others };
}

/** Repeated names are numbered, so that none is known by name; columns without name and text have none. */
function columnNames(header: readonly string[], rows: readonly CsvRow[]): string[] {
  const names = header.map((name, n) => {
    if (name === '') return rows.some(({ cells }) => cells[n]) ? `Column ${n + 1}` : '';
    const isRepeated = header.indexOf(name) !== header.lastIndexOf(name);
    return isRepeated ? `${name} (${header.slice(0, n + 1).filter((one) => one === name).length})` : name;
  });
  const repeated = names.find((name, n) => name !== '' && names.indexOf(name) !== n);
  if (repeated === undefined) return names;
  throw new UnreadableCsv(`The header has the column ${JSON.stringify(repeated)} twice.`);
}

/** Excel may name the separator in a line before the header. */
function separated(text: string, named: Delimiter | undefined): { content: string; delimiter: Delimiter } {
  const [line, separator] = /^sep=(.)\r?\n/i.exec(text) ?? [];
  const content = line === undefined ? text : text.slice(line.length);
  if (named !== undefined) return { content, delimiter: named };
  const declared = DELIMITER_NAMES.find((name) => DELIMITERS[name] === separator);
  if (declared !== undefined) return { content, delimiter: declared };
  const header = headerOf(content);
  const countOf = (name: Delimiter): number => header.split(DELIMITERS[name]).length;
  const most = DELIMITER_NAMES.reduce((best, name) => (countOf(name) > countOf(best) ? name : best));
  return { content, delimiter: most };
}

/** The first line with text, without quoted parts. */
function headerOf(text: string): string {
  const withoutQuoted = text.slice(0, MAX_ROW_CHARACTERS).replace(/"(?:[^"]|"")*"/g, '');
  return withoutQuoted.trimStart().split(/\r\n|\r|\n/, 1)[0] ?? '';
}

function recordsOf(text: string, delimiter: string, maxRows: number): string[][] {
  let records: string[][];
  try {
    records = parse(text, {
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      max_record_size: MAX_ROW_CHARACTERS,
      // The header, and one more to notice that there are too many.
      to: maxRows + 2,
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // Its message may quote the row.
    throw new UnreadableCsv(`Line ${error.lines ?? '?'}: ${PROBLEMS[error.code] ?? 'not CSV (RFC 4180)'}.`);
  }
  if (records.length > maxRows + 1)
    throw new UnreadableCsv(
      `The file has more than ${maxRows.toLocaleString('en-US')} rows: split it into several files.`,
    );
  return records;
}

const PROBLEMS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is opened and not closed',
  CSV_INVALID_CLOSING_QUOTE: 'text follows a closing quote; inside quotes, write a quote twice',
  INVALID_OPENING_QUOTE:
    'a quote in a cell that does not begin with one; put the cell in quotes, and write a quote twice',
  CSV_MAX_RECORD_SIZE: 'the row is too long; is a quote not closed?',
};
