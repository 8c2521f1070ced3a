import type { ClaimImport, Imports } from '@svc/application';
import { timestamp } from '../driver/column-types.ts';
import { first, sql, type TransactionExecutor } from '../driver/executor.ts';

const COLUMNS = `firm_id AS "firmId", id, name, environment, columns, total_rows AS "totalRows", next_row AS "nextRow",
  sent, already_sent AS "alreadySent", failed, created_at AS "createdAt", updated_at AS "updatedAt"`;

const ADD = sql(
  'imports_add',
  `INSERT INTO imports (firm_id, id, name, environment, columns, total_rows, next_row, sent, already_sent, failed,
     updated_at, created_at)
   VALUES ($1, $2, $3, $4, $5::json, $6, $7, $8, $9, $10, $11, $12)`,
);
const LOCK = sql(
  'imports_lock',
  `SELECT ${COLUMNS} FROM imports WHERE firm_id = $1 AND id = $2 FOR NO KEY UPDATE`,
);
const SAVE = sql(
  'imports_save',
  `UPDATE imports SET name = $3, environment = $4, columns = $5::json, total_rows = $6, next_row = $7, sent = $8,
     already_sent = $9, failed = $10, updated_at = $11 WHERE firm_id = $1 AND id = $2`,
);
const LATEST_NAMED = sql(
  'imports_latest_named',
  `SELECT ${COLUMNS} FROM imports WHERE firm_id = $1 AND name = $2 ORDER BY updated_at DESC LIMIT 1`,
);

type Row = Omit<ClaimImport, 'columns'> & { readonly columns: string };
const importFrom = (row: Row | null): ClaimImport | null =>
  row === null ? null : { ...row, columns: JSON.parse(row.columns) as ClaimImport['columns'] };

export function pgImports(executor: TransactionExecutor): Imports {
  const valuesOf = (one: ClaimImport) => [
    ...[
      one.firmId,
      one.id,
      one.name,
      one.environment,
      JSON.stringify(one.columns),
      one.totalRows,
      one.nextRow,
    ],
    ...[one.sent, one.alreadySent, one.failed, timestamp(one.updatedAt)],
  ];
  return {
    async add(started) {
      executor.send(ADD, [...valuesOf(started), timestamp(started.createdAt)]);
    },
    lock: async (firmId, id) => importFrom(first(await executor.rows<Row>(LOCK, [firmId, id]))),
    async save(changed) {
      executor.send(SAVE, valuesOf(changed));
    },
    latestNamed: async (firmId, name) =>
      importFrom(first(await executor.rows<Row>(LATEST_NAMED, [firmId, name]))),
  };
}
