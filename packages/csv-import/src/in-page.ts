import { decode, type Encoding, MAX_CHARACTERS, UnreadableCsv } from './decode.ts';
import { FIELD_PATHS } from './field-paths.ts';
import type { WorkbookText } from './read-workbook.ts';
import { type CsvPart, splitCsv } from './split-csv.ts';
import { inPieces } from './steps.ts';
import { quotedCsv } from './write-csv.ts';

export { ENCODINGS, type Encoding, isWorkbook, UncertainEncoding, UnreadableCsv } from './decode.ts';
export { FIELD_PATHS, REQUIRED_PATHS } from './field-paths.ts';
export type { WorkbookText } from './read-workbook.ts';
export type { CsvPart } from './split-csv.ts';
export { type SvcIdList, svcIdsIn } from './svc-ids.ts';
export { BYTE_ORDER_MARK, spreadsheetCsv } from './write-csv.ts';

// What a page does with a file before the service reads it, without the schemas, which are large.

/** Of the name of an import, and of that of a file. */
const MAX_NAME = 100;
const MAX_FILE_NAME = 255;
const shortened = (name: string, max: number): string => [...name].slice(0, max).join('').trim();

/** The same export of another day has another date in its name: the columns are remembered without digits. */
export const nameOfFile = (fileName: string): string =>
  shortened(
    fileName
      .replace(/\.\w+$/, '')
      .replace(/[\d_.-]+/g, ' ')
      .trim(),
    MAX_NAME,
  ) || 'CSV';

export const shownFileName = (fileName: string): string => shortened(fileName, MAX_FILE_NAME);

/** Of one request: fewer characters than the service takes, since quotes and line breaks grow in JSON. */
const PART = { rows: 2000, cells: 100_000, characters: 600_000 };

/** The text of a file in the encoding that is named, or that it shows. */
export function readText(bytes: Uint8Array, named?: Encoding): { encoding: Encoding; text: string } {
  const { text, encoding } = decode(bytes, named);
  if (text.length > MAX_CHARACTERS)
    throw new UnreadableCsv('The file has more than 20,000,000 characters: split it into several files.');
  if (text.trim() === '') throw new UnreadableCsv('The file is empty.');
  // The service takes no text with one, and cannot say where it is: a damaged export.
  const [before, after] = text.split('\0', 2);
  if (after !== undefined)
    throw new UnreadableCsv(
      `Line ${before?.split(/\r\n|\r|\n/).length} has a NUL character. Save the file as "CSV UTF-8".`,
    );
  return { encoding, text };
}

/** For which a page may not react. */
const PIECE_MS = 20;

/** A sheet of a workbook; what reads it is loaded only now. */
export async function readWorkbook(bytes: Uint8Array, sheet: string | undefined): Promise<WorkbookText> {
  const { readWorkbookInSteps } = await import('./read-workbook.ts');
  const pause = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve));
  return inPieces(readWorkbookInSteps(bytes, { sheet }), PIECE_MS, pause);
}

export const partsOf = (
  text: string,
  options: Parameters<typeof splitCsv>[2],
): readonly [CsvPart, ...CsvPart[]] => splitCsv(text, PART, options);

const valueAt = (claim: object, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => Object(value)[name], claim);

/** A file of claims, with a column for each field that one of them has. */
export function csvOfClaims(claims: readonly object[]): string {
  const paths = FIELD_PATHS.filter((path) => claims.some((claim) => valueAt(claim, path) !== undefined));
  const rows = [paths, ...claims.map((claim) => paths.map((path) => String(valueAt(claim, path) ?? '')))];
  return quotedCsv(rows);
}
