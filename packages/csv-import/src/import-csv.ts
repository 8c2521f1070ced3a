import { endpoints, parseRequest, type SendClaimBody } from '@svc/contract';
import {
  type ColumnQuestion,
  type Columns,
  columnProblems,
  questionText,
  suggestColumns,
} from './columns.ts';
import { damage, lastPart } from './damaged.ts';
import { type ColumnDates, type DateOrder, dateOf, datesOf, implausibleDate } from './dates.ts';
import { CLAIM_FIELDS, type ClaimField, claimField, REQUIRED_OBJECTS } from './fields.ts';
import { type CsvFile, type CsvRow, type Delimiter, rowProblem } from './read-csv.ts';
import { atOnce, type Steps } from './steps.ts';

export type { DateOrder } from './dates.ts';

export interface ImportOptions {
  /** By default those that are remembered, and for the rest those that are known by name. */
  readonly columns?: Columns | undefined;
  readonly remembered?: Columns | undefined;
  /** Values of fields that are the same in all rows, by path. */
  readonly values?: Readonly<Record<string, string>> | undefined;
  /** By number of the row, for rows that have none. */
  readonly adjusters?: ReadonlyMap<number, string> | undefined;
  readonly dateOrder?: DateOrder | undefined;
  /** Losses are not later; by default that is not checked. */
  readonly today?: string | undefined;
  /** Of a larger file: what its column shows of the order of dates may differ from the rest. */
  readonly isPart?: boolean;
  /** Only these rows, from this number on, and none after one that brings the problems to this number; by default all. */
  readonly slice?: { readonly from: number; readonly count: number; readonly problems?: number } | undefined;
}

export interface CellProblem {
  /** Null where no column has the field. */
  readonly column: string | null;
  readonly field: string;
  readonly detail: string;
}

/** With columns and fields, a question: which of the columns has which of the fields. */
export interface FileProblem extends ColumnQuestion {
  readonly column: string | null;
  readonly detail: string;
}

export type ImportedRow =
  | { readonly row: number; readonly externalId: string | null; readonly claim: SendClaimBody }
  | {
      readonly row: number;
      readonly externalId: string | null;
      readonly problems: readonly CellProblem[];
      /** Of a row that lacks its adjuster and nothing else: with {@link NO_ADJUSTER} in its place. */
      readonly withoutAdjuster?: SendClaimBody;
    };

const ADJUSTER = 'adjuster_svc_id';
const NO_ADJUSTER = 'none';

export interface CsvImport {
  /** Without those of a question. */
  readonly columns: Columns;
  /** Of the file as a whole: with any, no row is read. */
  readonly problems: readonly FileProblem[];
  readonly rows: readonly ImportedRow[];
  /** The row after these; null: there is none. */
  readonly nextRow: number | null;
}

interface MappedColumn {
  readonly column: string;
  readonly index: number;
  readonly field: ClaimField;
}

const STEP_ROWS = 100;

/** Turns the rows of a file into claims. Nothing is guessed: what is not certain is a problem of its row and column. */
export const importCsv = (file: CsvFile, options: ImportOptions = {}): CsvImport =>
  atOnce(importCsvInSteps(file, options));

export function* importCsvInSteps(file: CsvFile, options: ImportOptions = {}): Steps<CsvImport> {
  const { values = {} } = options;
  const { columns, questions } =
    options.columns === undefined
      ? suggestColumns(file.header, options.remembered)
      : { columns: options.columns, questions: [] };
  const mapped = file.header.flatMap((column, index) => {
    const path = columns[column];
    const field = path == null ? undefined : claimField(path);
    return field === undefined ? [] : [{ column, index, field }];
  });
  const given = { ...values, ...(options.adjusters !== undefined && { [ADJUSTER]: '' }) };
  const problems = fileProblems(file, columns, questions, mapped, given);
  if (problems.length > 0) return { columns, problems, rows: [], nextRow: null };

  // A header may end with separators where the rows do not.
  const width = file.header.findLastIndex((name) => name !== '') + 1;
  const dates = new Map<string, ColumnDates>();
  for (const { column, index, field } of mapped) {
    if (field.kind !== 'date') continue;
    // Of a part, its cells do not show what those of the others do.
    const cells = options.isPart ? [] : file.rows.map((row) => row.cells[index] ?? '');
    dates.set(column, datesOf(field.path, cells, options.dateOrder));
    yield undefined;
  }
  const columnOf = new Map(mapped.map(({ column, field }) => [field.path, column]));
  const cellOf = (path: string): ((row: CsvRow) => string) => {
    const { index = -1 } = mapped.find(({ field }) => field.path === path) ?? {};
    return ({ cells }) => cells[index] ?? '';
  };
  const externalIdOf = cellOf('external_id');
  const repeats = [
    {
      field: 'external_id',
      rows: yield* repeatsIn(file, externalIdOf, ({ cells }) => cells.join('\n')),
      detail: 'the same external_id and other content',
    },
    {
      field: 'claim_number',
      rows: yield* repeatsIn(file, cellOf('claim_number'), externalIdOf),
      detail: 'the same claim_number and another external_id',
    },
  ];
  const {
    from = 0,
    count = Number.POSITIVE_INFINITY,
    problems: maxProblems = Number.POSITIVE_INFINITY,
  } = options.slice ?? {};
  const later = file.rows.filter(({ row }) => row >= from);
  const importRow = (csvRow: CsvRow): ImportedRow => {
    const { row, cells } = csvRow;
    const unreadable = rowProblem(csvRow);
    if (unreadable !== null)
      return {
        row,
        externalId: externalIdOf(csvRow) || null,
        problems: [{ column: null, field: '', detail: unreadable }],
      };
    const cellProblems: CellProblem[] = [];
    // What is missing in them is then a problem of its column, and not of the whole object.
    const claim: Record<string, unknown> = Object.fromEntries(REQUIRED_OBJECTS.map((name) => [name, {}]));
    if (cells.length < width || cells.slice(file.header.length).some((cell) => cell !== ''))
      cellProblems.push({
        column: null,
        field: '',
        detail: `The row has ${cells.length} cells, the header ${width}.`,
      });
    const read = (column: string | null, field: ClaimField, text: string, delimiter: Delimiter): void => {
      const otherName = OTHER_NAMES.get(lastPart(field.path));
      const other = otherName === undefined ? '' : cellOf(field.path.replace(/[^.]+$/, otherName))(csvRow);
      const { parts, detail } = cellValue(field, text, {
        dates: dates.get(column ?? '') ?? NAMED_DATES,
        delimiter,
        other,
        today: options.today,
      });
      for (const [path, value] of parts) put(claim, path, value);
      if (detail !== null) cellProblems.push({ column, field: field.path, detail });
    };
    for (const [path, value] of Object.entries(values)) {
      const field = claimField(path);
      if (field !== undefined) read(null, field, value, 'comma');
    }
    for (const { column, index, field } of mapped) {
      const text = cells[index] ?? '';
      if (text !== '') read(column, field, text, file.delimiter);
    }
    const externalId = typeof claim.external_id === 'string' ? claim.external_id : null;
    const adjuster = claim[ADJUSTER] ?? options.adjusters?.get(row);
    const parse = (svcId: unknown) =>
      parseRequest(endpoints.sendClaim, {
        headers: { 'idempotency-key': 'import' },
        body: { ...claim, ...(svcId !== undefined && { [ADJUSTER]: svcId }) },
      });
    const sent = parse(adjuster);
    if (!sent.ok) {
      const reported = new Set(cellProblems.map(({ field }) => field));
      for (const { pointer = '', detail } of sent.errors) {
        const field = pointer.slice(1).replaceAll('/', '.');
        // A value that could not be read is in the claim as it was written.
        if (!reported.has(field)) cellProblems.push({ column: columnOf.get(field) ?? null, field, detail });
      }
    }
    for (const { field, rows, detail } of repeats) {
      const first = rows.get(row);
      if (first !== undefined)
        cellProblems.push({
          column: columnOf.get(field) ?? null,
          field,
          detail: `Row ${first} has ${detail}.`,
        });
    }
    if (sent.ok && cellProblems.length === 0) return { row, externalId, claim: sent.value.body };
    const isWhole = adjuster === undefined && cellProblems.every(({ field }) => field === ADJUSTER);
    const whole = isWhole ? parse(NO_ADJUSTER) : sent;
    return {
      ...{ row, externalId, problems: cellProblems },
      ...(isWhole && whole.ok && { withoutAdjuster: whole.value.body }),
    };
  };
  const rows: ImportedRow[] = [];
  let problemCount = 0;
  for (const row of later.slice(0, count)) {
    const imported = importRow(row);
    yield undefined;
    rows.push(imported);
    if ('problems' in imported) problemCount += imported.problems.length;
    if (problemCount >= maxProblems) break;
  }
  return { columns, problems: [], rows, nextRow: later[rows.length]?.row ?? null };
}

function fileProblems(
  file: CsvFile,
  columns: Columns,
  questions: readonly ColumnQuestion[],
  mapped: readonly MappedColumn[],
  values: Readonly<Record<string, string>>,
): FileProblem[] {
  const problem = (detail: string, column: string | null = null): FileProblem => ({
    ...{ column, detail, columns: [], fields: [] },
  });
  if (file.likelyHeaderRow !== null)
    return [
      problem(
        `Row ${file.headerRow} does not look like the header, and row ${file.likelyHeaderRow} does: choose the row of the header (header_row).`,
      ),
    ];
  if (file.rows.length === 0) return [problem('The file has a header and no rows.')];
  const present = new Set([
    ...mapped.map(({ field }) => field.path),
    ...Object.keys(values),
    ...questions.flatMap(({ fields }) => fields),
  ]);
  return [
    ...questions.map((question) => ({ ...question, column: null, detail: questionText(question) })),
    ...columnProblems(columns, file.header).map(({ column, detail }) => problem(detail, column)),
    ...Object.keys(values)
      .filter((path) => claimField(path) === undefined)
      .map((path) => problem(`${JSON.stringify(path)} is not a field of a claim.`)),
    ...CLAIM_FIELDS.filter(({ path, required }) => required && !present.has(path)).map(({ path }) =>
      problem(`No column has the required field ${path}. Map one to it, or give a value for all rows.`),
    ),
  ];
}

/** Rows with the key of an earlier one and other content, with the number of the earlier one. */
function* repeatsIn(
  file: CsvFile,
  keyOf: (row: CsvRow) => string,
  contentOf: (row: CsvRow) => string,
): Steps<ReadonlyMap<number, number>> {
  const repeats = new Map<number, number>();
  const firstWithKey = new Map<string, { readonly row: number; readonly content: string }>();
  for (const [n, row] of file.rows.entries()) {
    if (n % STEP_ROWS === 0) yield undefined;
    const [key, content] = [keyOf(row), contentOf(row)];
    const first = firstWithKey.get(key);
    if (first === undefined) firstWithKey.set(key, { row: row.row, content });
    else if (key !== '' && first.content !== content) repeats.set(row.row, first.row);
  }
  return repeats;
}

function put(claim: Record<string, unknown>, path: string, value: unknown): void {
  const names = path.split('.');
  const last = names.pop() ?? '';
  let parent = claim;
  for (const name of names) {
    parent[name] ??= {};
    parent = parent[name] as Record<string, unknown>;
  }
  parent[last] = value;
}

/** The other part of a name. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['first_name', 'last_name'],
  ['last_name', 'first_name'],
]);

/** Of a value for all rows: no column shows more. */
const NAMED_DATES: ColumnDates = { order: 'unclear', hasShortYears: false, hasSerials: false };

interface CellContext {
  readonly dates: ColumnDates;
  readonly delimiter: Delimiter;
  readonly other: string;
  readonly today: string | undefined;
}

interface CellValue {
  readonly parts: readonly (readonly [path: string, value: unknown])[];
  readonly detail: string | null;
}

function cellValue(
  field: ClaimField,
  text: string,
  { dates, delimiter, other, today }: CellContext,
): CellValue {
  const { path, kind, values, isLong } = field;
  const valued = (value: unknown, detail: string | null = null): CellValue => ({
    ...{ parts: [[path, value]], detail },
  });
  const damaged = damage(field, text, other);
  if (damaged !== null) return kind === 'name' ? { parts: [], detail: damaged } : valued(text, damaged);
  if (!isLong && /[\r\n]/.test(text)) return valued(text, LINE_BREAK);
  if (kind === 'name') return nameOf(text);
  if (kind === 'choice') return valued(choiceOf(text, values));
  if (kind === 'number') {
    const { value = text, detail = null } = numberOf(text, delimiter);
    return valued(value, detail);
  }
  if (kind !== 'date') return valued(text);
  const { value = text, detail = null } = dateOf(text, dates);
  return valued(value, detail ?? implausibleDate(path, value, today));
}

const LINE_BREAK =
  'Has a line break. Remove it; in a CSV file, is a quote before it not closed, or not written twice?';

/** Commas are also in names of companies and before suffixes. */
const NOT_FIRST_NAME =
  /^(?:llc|l\.l\.c|inc|incorporated|corp|co|company|lp|llp|ltd|trust|trustee|estate|jr|sr|ii|iii|iv|et ?al)\.?$/i;

function nameOf(text: string): CellValue {
  const [last = '', first = '', ...others] = text.split(',').map((part) => part.trim());
  if (last === '' || first === '' || others.length > 0 || NOT_FIRST_NAME.test(first))
    return {
      parts: [],
      detail:
        'Must be a last name, a comma and a first name, such as REYES, ANA. Give a company a column for its name.',
    };
  return {
    parts: [
      ['policyholder.last_name', last],
      ['policyholder.first_name', first],
    ],
    detail: null,
  };
}

/** With a comma for thousands, as in US files; where the comma is not the separator it may be a decimal point. */
function numberOf(text: string, delimiter: Delimiter): { value?: number; detail?: string } {
  const digits = text.replace(/^\$ ?/, '');
  if (/^[1-9]\d{0,2}\.\d{3}$/.test(digits))
    return {
      detail: `The point may be that of thousands: write ${digits.replace('.', '')}, or ${Number(digits)}.`,
    };
  if (/^\d+(\.\d+)?$/.test(digits)) return { value: Number(digits) };
  if (delimiter !== 'semicolon' && /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(digits))
    return { value: Number(digits.replaceAll(',', '')) };
  return { detail: 'Must be a number, such as 250000 or 1234.56.' };
}

/** Another case, spaces or hyphens. What does not fit is left to the API's check. */
function choiceOf(text: string, values: readonly string[]): string {
  const normalized = (value: string): string => value.toLowerCase().replace(/[\s_-]+/g, '_');
  const wanted = normalized(text);
  return values.includes(text) ? text : (values.find((value) => normalized(value) === wanted) ?? text);
}
