import { rowsIn } from './read-csv.ts';

export interface SvcIdList {
  /** In the order of the list; the row as a spreadsheet counts. */
  readonly entries: readonly { readonly row: number; readonly svcId: string }[];
  /** Columns that were left out. */
  readonly leftOut: readonly string[];
}

const HEADER = /^(adjuster)?(svc)?id$/;

/** As a spreadsheet or a mail may have changed it: with dashes and invisible characters, or as ="0123". */
const asSvcId = (cell: string): string =>
  cell
    .replace(/\p{Cf}/gu, '')
    .replace(/[\p{Pd}\u2212]/gu, '-')
    .trim()
    .replace(/^="(.*)"$/, '$1')
    .trim();

/** Not a name, an email address or the name of a column. */
const mayBeSvcId = (text: string): boolean => /\d/.test(text) && !/[\s@]/.test(text);

/**
 * The SVCIDs of a text that was pasted, or of a file: one in a line, or the column of a table that is named so or has most of
 * what looks like one. A single line is a list. Nothing of the column is left out, so that a person sees what is wrong.
 */
export function svcIdsIn(text: string): SvcIdList {
  const { records } = rowsIn(text, {});
  const rows = records.flatMap(({ cells }, n) => {
    const clean = cells.map(asSvcId);
    return clean.some((cell) => cell !== '') ? [{ row: n + 1, cells: clean }] : [];
  });
  const [first, ...others] = rows;
  if (first === undefined) return { entries: [], leftOut: [] };
  if (others.length === 0 && first.cells.every((cell) => cell === '' || mayBeSvcId(cell)))
    return {
      entries: first.cells.flatMap((svcId) => (svcId === '' ? [] : [{ row: first.row, svcId }])),
      leftOut: [],
    };
  const width = rows.reduce((most, { cells }) => Math.max(most, cells.length), 0);
  const columns = Array.from({ length: width }, (_, column) => column);
  const named = first.cells.findIndex((cell) => HEADER.test(cell.toLowerCase().replace(/[^a-z]/g, '')));
  const countOf = (column: number): number =>
    rows.filter(({ cells }) => mayBeSvcId(cells[column] ?? '')).length;
  const column =
    named === -1 ? columns.reduce((best, one) => (countOf(one) > countOf(best) ? one : best)) : named;
  const isUnlike = width > 1 && !mayBeSvcId(first.cells[column] ?? '') && countOf(column) > 0;
  const hasHeader = named !== -1 || isUnlike;
  return {
    entries: (hasHeader ? others : rows).flatMap(({ row, cells }) => {
      const svcId = cells[column] ?? '';
      return svcId === '' ? [] : [{ row, svcId }];
    }),
    leftOut: columns.flatMap((one) => {
      const isEmpty = rows.every(({ cells }) => (cells[one] ?? '') === '');
      return one === column || isEmpty ? [] : [(hasHeader && first.cells[one]) || `Column ${one + 1}`];
    }),
  };
}
