import { writeFile } from 'node:fs/promises';
import type { Client } from '@svc/client';
import {
  atOnce,
  type Columns,
  type CsvImport,
  type DateOrder,
  type Delimiter,
  type Encoding,
  importCsv,
  isWorkbook,
  readCsv,
  readWorkbookInSteps,
  UncertainEncoding,
  UnreadableCsv,
} from '@svc/csv-import';
import { type Environment, UsageError } from '../environment.ts';
import { readInput, readTextFile } from '../input.ts';
import { isObject, parseJson } from '../json.ts';
import { jsonDocument, sanitized } from '../output.ts';
import { type SendLinesOptions, sendLines } from '../send/command.ts';

/** A file of this size is some ten thousand claims. */
const MAX_BYTES = 32 * 2 ** 20;
const MAX_ROWS = 50_000;
/** Where a day begins first. */
const LATEST_ZONE_MS = 14 * 3_600_000;

interface ImportCommandOptions extends SendLinesOptions {
  readonly file: string;
  /** Where the columns are remembered. */
  readonly columns?: string;
  readonly set: Readonly<Record<string, string>>;
  readonly dryRun: boolean;
  readonly skipInvalid: boolean;
  readonly dates?: DateOrder;
  readonly encoding?: Encoding;
  readonly delimiter?: Delimiter;
  readonly headerRow?: number;
  /** Of a workbook. */
  readonly sheet?: string;
}

interface FoundClaims extends CsvImport {
  readonly lines: number;
  readonly hiddenRows: number;
}

/** Returns whether every row is a claim and, unless it is a dry run, sent. */
export async function importFile(
  connect: () => Promise<Client>,
  options: ImportCommandOptions,
  environment: Environment,
): Promise<boolean> {
  const { stdout, stderr } = environment;
  const bytes = await readInput(options.file, environment);
  if (bytes.length > MAX_BYTES)
    throw new UsageError(`${options.file} is larger than ${MAX_BYTES / 2 ** 20} MB: split it`);
  const known = options.columns === undefined ? undefined : await savedColumns(options.columns);
  const today = new Date(environment.now() + LATEST_ZONE_MS).toISOString().slice(0, 10);
  const found = read(bytes, known, options, today);
  if (options.columns !== undefined && known === undefined) {
    await writeFile(options.columns, jsonDocument(found.columns));
    stderr.write(`The columns are in ${options.columns}: check them, and run the command again.\n`);
  }
  if (found.hiddenRows > 0)
    stderr.write(`Rows that Excel hides are read like the others: ${found.hiddenRows}.\n`);
  const invalid = found.rows.filter((row) => 'problems' in row);
  const isSent = !options.dryRun && (options.columns === undefined || known !== undefined);
  const mustStop = found.problems.length > 0 || (invalid.length > 0 && !options.skipInvalid);
  if (!isSent || mustStop) {
    stdout.write(options.json ? jsonDocument(documentOf(found)) : textOf(found));
    if (found.problems.some(({ fields }) => fields.length > 0))
      stderr.write(
        `To answer, write the field of each column into ${options.columns ?? 'a JSON file, named with --columns'}, and null for a column that is left out.\n`,
      );
    if (isSent) stderr.write('Nothing was sent. --skip-invalid sends the rows without problems.\n');
    return found.problems.length === 0 && invalid.length === 0;
  }
  const lines = found.rows.map(({ row: number, externalId, ...row }) =>
    'claim' in row
      ? { number, claim: row.claim }
      : {
          number,
          problem: row.problems.map(problemText).join('; '),
          ...(externalId !== null && { externalId }),
        },
  );
  return sendLines(await connect(), lines, { ...options, word: 'row' }, environment);
}

function read(
  bytes: Uint8Array,
  remembered: Columns | undefined,
  options: ImportCommandOptions,
  today: string,
): FoundClaims {
  const { encoding, headerRow, sheet, set: values, dates: dateOrder } = options;
  try {
    const workbook = isWorkbook(bytes) ? atOnce(readWorkbookInSteps(bytes, { sheet })) : undefined;
    if (workbook === undefined && sheet !== undefined) throw new UsageError('--sheet is for Excel workbooks');
    const delimiter = workbook === undefined ? options.delimiter : 'tab';
    const file = readCsv(workbook?.text ?? bytes, { encoding, delimiter, headerRow, maxRows: MAX_ROWS });
    const found = importCsv(file, { remembered, values, dateOrder, today });
    // Cells of a workbook may have line breaks.
    const lines = workbook === undefined ? file.lines : found.rows.length;
    return { ...found, lines, hiddenRows: workbook?.hiddenRows ?? 0 };
  } catch (error) {
    if (error instanceof UncertainEncoding)
      throw new UsageError(`${options.file}: ${error.message} Name it with --encoding.`);
    if (error instanceof UnreadableCsv) throw new UsageError(`${options.file}: ${error.message}`);
    throw error;
  }
}

/** Undefined: the file does not exist yet. */
async function savedColumns(path: string): Promise<Columns | undefined> {
  const saved = await readTextFile(path);
  if (saved === null) return undefined;
  const columns = parseJson(saved.text);
  if (
    isObject(columns) &&
    Object.values(columns).every((field) => field === null || typeof field === 'string')
  )
    return columns as Columns;
  throw new UsageError(
    `${path} must be a JSON object with the field of each column, or null, such as {"Claim #": "claim_number", "Agent code": null}`,
  );
}

type Problem = Extract<CsvImport['rows'][number], { problems: unknown }>['problems'][number];

const problemText = ({ column, field, detail }: Problem): string =>
  `${[column, field].filter((name) => name !== null && name !== '').join(' → ')}${column === null && field === '' ? '' : ': '}${detail}`;

const documentOf = ({ columns, problems, rows, lines }: FoundClaims) => {
  const invalid = rows.flatMap((row) => ('problems' in row ? [row] : []));
  return {
    columns,
    problems,
    lines,
    rows: rows.length,
    invalid_rows: invalid.map(({ row, externalId, problems: found }) => ({
      row,
      external_id: externalId,
      problems: found,
    })),
  };
};

function textOf({ columns, problems, rows, lines: lineCount }: FoundClaims): string {
  const mapped = Object.entries(columns);
  const width = Math.max(...mapped.map(([column]) => column.length), 0);
  const invalid = rows.flatMap((row) => ('problems' in row ? [row] : []));
  const lines = [
    ...mapped.map(([column, field]) => `${column.padEnd(width)}  ${field ?? '(left out)'}`),
    '',
    ...problems.map(({ column, detail }) => (column === null ? detail : `${column}: ${detail}`)),
    ...invalid.flatMap(({ row, externalId, problems: found }) => [
      `row ${row}  ${externalId ?? ''}`.trimEnd(),
      ...found.map((problem) => `  ${problemText(problem)}`),
    ]),
    ...(problems.length > 0
      ? []
      : [
          ...(lineCount === rows.length
            ? []
            : [`${lineCount} lines with text are ${rows.length} rows: some cells have line breaks`]),
          `${rows.length - invalid.length} of ${rows.length} rows are claims without problems`,
        ]),
  ];
  return lines.map((line) => `${sanitized(line)}\n`).join('');
}
