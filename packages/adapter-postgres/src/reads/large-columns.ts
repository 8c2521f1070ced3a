import { jsonBytes } from '@svc/application';
import type { ClaimId, FirmId } from '@svc/domain';
import { type Executor, rowByKey, type Statement, sql } from '../driver/executor.ts';

const LARGE_COLUMNS = ['document', 'work_details'] as const;
type LargeColumn = (typeof LARGE_COLUMNS)[number];
type WithLargeColumns = { readonly id: ClaimId } & { readonly [C in LargeColumn]?: string | null };

/** Smaller values are read with the list, from the row: `toast_tuple_target` of the table. */
const LARGE_BYTES = 8192;

/**
 * A column of `claims c` in a list. In place of a large value it has the size, as a JSON number, so that the size of a
 * page is known before its large values are read. These columns are stored without compression.
 */
export function listed(column: LargeColumn): string {
  const size = `pg_column_size(c.${column})`;
  return `CASE WHEN ${size} < ${LARGE_BYTES} THEN c.${column} ELSE to_json(${size}) END AS ${column}`;
}

/** A stored value is an object, or a JSON string with its ciphertext. */
const isSize = (value: string | null | undefined): boolean => value != null && /^\d/.test(value);

export const documentBytes = ({ document }: { readonly document: string }): number =>
  isSize(document) ? Number(document) : document.length;
export const detailsBytes = (details: string | null): number =>
  isSize(details) ? Number(details) : jsonBytes(details);

const valuesOf = (column: LargeColumn): Statement =>
  sql(
    `claims_large_${column}`,
    `SELECT c.id, c.${column} AS value FROM unnest($1::uuid[], $2::uuid[]) AS wanted (firm_id, id)
       CROSS JOIN LATERAL (${rowByKey('claims', { firm_id: 'wanted.firm_id', id: 'wanted.id' })}) c`,
  );
const VALUES: Readonly<Record<LargeColumn, Statement>> = {
  document: valuesOf('document'),
  work_details: valuesOf('work_details'),
};

/** Reads the large values of a page, whose rows have their sizes. Leaves out claims that have been erased since. */
export async function withLargeValues<R extends WithLargeColumns>(
  executor: Executor,
  page: readonly R[],
  firmOf: (row: R) => FirmId,
): Promise<R[]> {
  let rows = [...page];
  for (const column of LARGE_COLUMNS) {
    const large = rows.filter((row) => isSize(row[column]));
    if (large.length === 0) continue;
    const found = await executor.rows<{ id: ClaimId; value: string | null }>(VALUES[column], [
      large.map(firmOf),
      large.map(({ id }) => id),
    ]);
    const values = new Map(found.map(({ id, value }) => [id, value]));
    rows = rows.flatMap((row) => {
      if (!isSize(row[column])) return [row];
      const value = values.get(row.id);
      return value === undefined ? [] : [{ ...row, [column]: value }];
    });
  }
  return rows;
}
