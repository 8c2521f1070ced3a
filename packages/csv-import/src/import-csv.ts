import { type DATE_ORDERS, endpoints, isCalendarDate, parseRequest, type SendClaimBody } from '@svc/contract';
import { type Columns, columnProblems, suggestedColumns } from './columns.ts';
import { CLAIM_FIELDS, type ClaimField, claimField, REQUIRED_OBJECTS } from './fields.ts';
import type { CsvFile, CsvRow, Delimiter } from './read-csv.ts';
import { sendClaimRules } from './send-claim-rules.ts';

export type DateOrder = (typeof DATE_ORDERS)[number];

export interface ImportOptions {
  /** By default those that are known by name. */
  readonly columns?: Columns | undefined;
  /** Values of fields that are the same in all rows, by path. */
  readonly values?: Readonly<Record<string, string>> | undefined;
  readonly dateOrder?: DateOrder | undefined;
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

export type ImportedRow =
  | { readonly row: number; readonly externalId: string | null; readonly claim: SendClaimBody }
  | { readonly row: number; readonly externalId: string | null; readonly problems: readonly CellProblem[] };

export interface CsvImport {
  readonly columns: Columns;
  /** Of the file as a whole: with any, no row is read. */
  readonly problems: readonly { readonly column: string | null; readonly detail: string }[];
  readonly rows: readonly ImportedRow[];
  /** The row after these; null: there is none. */
  readonly nextRow: number | null;
}

/** Turns the rows of a file into claims. Nothing is guessed: what is not certain is a problem of its row and column. */
export function importCsv(file: CsvFile, options: ImportOptions = {}): CsvImport {
  const { values = {} } = options;
  const columns = options.columns ?? suggestedColumns(file.header);
  const mapped = file.header.flatMap((column, index) => {
    const path = columns[column];
    const field = path == null ? undefined : claimField(path);
    return field === undefined ? [] : [{ column, index, field }];
  });
  const present = new Set([...mapped.map(({ field }) => field.path), ...Object.keys(values)]);
  const problems = [
    ...columnProblems(columns, file.header),
    ...Object.keys(values)
      .filter((path) => claimField(path) === undefined)
      .map((path) => ({ column: null, detail: `${JSON.stringify(path)} is not a field of a claim.` })),
    ...CLAIM_FIELDS.filter(({ path, required }) => required && !present.has(path)).map(({ path }) => ({
      column: null,
      detail: `No column has the required field ${path}. Map one to it, or give a value for all rows.`,
    })),
  ];
  if (problems.length > 0) return { columns, problems, rows: [], nextRow: null };

  const orders = new Map(
    mapped
      .filter(({ field }) => field.kind === 'date')
      .map(({ column, index }) => [
        column,
        options.dateOrder ??
          (options.isPart ? 'unclear' : orderOf(file.rows.map(({ cells }) => cells[index] ?? ''))),
      ]),
  );
  const columnOf = new Map(mapped.map(({ column, field }) => [field.path, column]));
  const cellOf = (path: string): ((row: CsvRow) => string) => {
    const { index = -1 } = mapped.find(({ field }) => field.path === path) ?? {};
    return ({ cells }) => cells[index] ?? '';
  };
  const externalIdOf = cellOf('external_id');
  const repeats = [
    {
      field: 'external_id',
      rows: repeatsIn(file, externalIdOf, ({ cells }) => cells.join('\n')),
      detail: 'the same external_id and other content',
    },
    {
      field: 'claim_number',
      rows: repeatsIn(file, cellOf('claim_number'), externalIdOf),
      detail: 'the same claim_number and another external_id',
    },
  ];
  const {
    from = 0,
    count = Number.POSITIVE_INFINITY,
    problems: maxProblems = Number.POSITIVE_INFINITY,
  } = options.slice ?? {};
  const later = file.rows.filter(({ row }) => row >= from);
  const importRow = ({ row, cells }: CsvRow): ImportedRow => {
    const cellProblems: CellProblem[] = [];
    // What is missing in them is then a problem of its column, and not of the whole object.
    const claim: Record<string, unknown> = Object.fromEntries(REQUIRED_OBJECTS.map((name) => [name, {}]));
    if (cells.length < file.header.length || cells.slice(file.header.length).some((cell) => cell !== ''))
      cellProblems.push({
        column: null,
        field: '',
        detail: `The row has ${cells.length} cells, the header ${file.header.length}.`,
      });
    for (const [path, value] of Object.entries(values))
      put(claim, path, cellValue(claimField(path), value, null, 'comma').value ?? value);
    for (const { column, index, field } of mapped) {
      const text = cells[index] ?? '';
      if (text === '') continue;
      const { value, detail } = cellValue(field, text, orders.get(column) ?? null, file.delimiter);
      put(claim, field.path, value ?? text);
      if (detail !== undefined) cellProblems.push({ column, field: field.path, detail });
    }
    const externalId = typeof claim.external_id === 'string' ? claim.external_id : null;
    const sent = parseRequest(
      endpoints.sendClaim,
      { headers: { 'idempotency-key': 'import' }, body: claim },
      sendClaimRules,
    );
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
    return sent.ok && cellProblems.length === 0
      ? { row, externalId, claim: sent.value.body }
      : { row, externalId, problems: cellProblems };
  };
  const rows: ImportedRow[] = [];
  let problemCount = 0;
  for (const row of later.slice(0, count)) {
    const imported = importRow(row);
    rows.push(imported);
    if ('problems' in imported) problemCount += imported.problems.length;
    if (problemCount >= maxProblems) break;
  }
  return { columns, problems: [], rows, nextRow: later[rows.length]?.row ?? null };
}

/** Rows with the key of an earlier one and other content, with the number of the earlier one. */
function repeatsIn(
  file: CsvFile,
  keyOf: (row: CsvRow) => string,
  contentOf: (row: CsvRow) => string,
): ReadonlyMap<number, number> {
  const repeats = new Map<number, number>();
  const firstWithKey = new Map<string, { readonly row: number; readonly content: string }>();
  for (const row of file.rows) {
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

interface CellValue {
  readonly value?: unknown;
  readonly detail?: string;
}

function cellValue(
  field: ClaimField | undefined,
  text: string,
  order: DateOrder | 'unclear' | null,
  delimiter: Delimiter,
): CellValue {
  if (field?.kind === 'number') return numberOf(text, delimiter);
  if (field?.kind === 'date') return dateOf(text, order);
  if (field?.kind === 'choice') return { value: choiceOf(text, field.values) };
  return { value: text };
}

/** With a comma for thousands, as in US files; where the comma is not the separator it may be a decimal point. */
function numberOf(text: string, delimiter: Delimiter): CellValue {
  const digits = text.replace(/^\$ ?/, '');
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

const ISO_DATE = /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ]00:00(?::00(?:\.0+)?)?(?:[Zz]|[+-]\d{2}:\d{2})?)?$/;
const SLASH_DATE =
  /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})(?: 0?0:00(?::00)?(?: ?[AP]M)?| 12:00(?::00)? ?AM)?$/i;

/** As text, so that no time zone can move a date. A time of day is left out only if it is midnight. */
function dateOf(text: string, order: DateOrder | 'unclear' | null): CellValue {
  const iso = ISO_DATE.exec(text);
  if (iso !== null) return { value: `${iso[1]}-${iso[2]}-${iso[3]}` };
  const parts = SLASH_DATE.exec(text);
  // The API's check names what is meant.
  if (parts === null) return { value: text };
  const [, one = '', other = '', year] = parts;
  if (order === 'unclear' || order === null)
    return {
      detail: `In this column the month may be first or second: choose month first (mdy) or day first (dmy), or write ${year}-MM-DD.`,
    };
  const [month, day] = order === 'mdy' ? [one, other] : [other, one];
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isCalendarDate(date)
    ? { value: date }
    : { detail: `Is not a date with the ${order === 'mdy' ? 'month' : 'day'} first, as in this column.` };
}

/** From the dates that can be read one way only. */
function orderOf(cells: readonly string[]): DateOrder | 'unclear' {
  let [monthFirst, dayFirst] = [false, false];
  for (const cell of cells) {
    const [, one, other] = SLASH_DATE.exec(cell) ?? [];
    monthFirst ||= Number(other) > 12;
    dayFirst ||= Number(one) > 12;
  }
  if (monthFirst === dayFirst) return 'unclear';
  return monthFirst ? 'mdy' : 'dmy';
}
