import type { ClaimImport, Imports } from '@svc/application';
import type { FirmId } from '@svc/domain';
import { NIL_UUID, timestamp } from '../driver/column-types.ts';
import { type Executor, first, sql, type TransactionExecutor } from '../driver/executor.ts';
import type { Encryption } from '../encryption/encryption.ts';
import { fieldsOf, PERSONAL } from '../encryption/personal-columns.ts';

const COLUMNS = `firm_id AS "firmId", id, name, environment, columns, total_rows AS "totalRows", next_row AS "nextRow", next_uncounted AS "nextUncounted",
  sent, already_sent AS "alreadySent", failed, created_at AS "createdAt", updated_at AS "updatedAt",
  file_name AS "fileName"`;

const ADD = sql(
  'imports_add',
  `INSERT INTO imports (firm_id, id, name, environment, columns, total_rows, next_row, sent, already_sent, failed,
     updated_at, next_uncounted, name_key, file_name, created_at)
   VALUES ($1, $2, $3, $4, $5::json, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
);
const LOCK = sql(
  'imports_lock',
  `SELECT ${COLUMNS} FROM imports WHERE firm_id = $1 AND id = $2 FOR NO KEY UPDATE`,
);
const SAVE = sql(
  'imports_save',
  `UPDATE imports SET name = $3, environment = $4, columns = $5::json, total_rows = $6, next_row = $7, sent = $8,
     already_sent = $9, failed = $10, updated_at = $11, next_uncounted = $12, name_key = $13, file_name = $14
    WHERE firm_id = $1 AND id = $2`,
);
const LATEST_NAMED = sql(
  'imports_latest_named',
  `SELECT ${COLUMNS} FROM imports WHERE firm_id = $1 AND name_key = ANY ($2::text[]) ORDER BY updated_at DESC LIMIT 1`,
);

const SENT = sql(
  'imports_sent',
  `SELECT ${COLUMNS} FROM imports
    WHERE firm_id = $1 AND environment = $2 AND ($3::uuid IS NULL OR id < $3) AND next_uncounted > 0
    ORDER BY id DESC LIMIT $4`,
);

const OF_FIRM = sql(
  'imports_of_firm',
  `SELECT ${COLUMNS} FROM imports WHERE firm_id = $1 AND id > $2 ORDER BY id LIMIT $3`,
);

type Row = Omit<ClaimImport, 'columns'> & { readonly columns: string };
const FIELDS = fieldsOf(PERSONAL.imports, (column) => (column === 'file_name' ? 'fileName' : column));
async function importsFrom(encryption: Encryption, rows: Row[]): Promise<ClaimImport[]> {
  const decrypted = await encryption.decrypt(rows, FIELDS, ({ firmId, id }) => ({ firmId, key: id }));
  return decrypted.map((row) => ({ ...row, columns: JSON.parse(row.columns) as ClaimImport['columns'] }));
}

export const importsOfFirm = async (
  executor: Executor,
  encryption: Encryption,
  firmId: FirmId,
  after: string | null,
  limit: number,
): Promise<ClaimImport[]> =>
  importsFrom(encryption, await executor.rows<Row>(OF_FIRM, [firmId, after ?? NIL_UUID, limit]));

export function pgImports(executor: TransactionExecutor, encryption: Encryption): Imports {
  async function valuesOf(one: ClaimImport) {
    const encrypt = await encryption.encryptor(PERSONAL.imports, one.firmId, one.id);
    const [nameKey] = await encryption.lookupKeys(PERSONAL.imports, one.name);
    const columns = encrypt('columns', JSON.stringify(one.columns));
    return [
      ...[one.firmId, one.id, encrypt('name', one.name), one.environment, columns],
      ...[one.totalRows, one.nextRow, one.sent, one.alreadySent, one.failed],
      ...[timestamp(one.updatedAt), one.nextUncounted, nameKey, encrypt('file_name', one.fileName)],
    ];
  }
  const one = async (...statement: Parameters<Executor['rows']>): Promise<ClaimImport | null> =>
    first(await importsFrom(encryption, await executor.rows<Row>(...statement)));
  return {
    async add(started) {
      executor.send(ADD, [...(await valuesOf(started)), timestamp(started.createdAt)]);
    },
    lock: (firmId, id) => one(LOCK, [firmId, id]),
    async save(changed) {
      executor.send(SAVE, await valuesOf(changed));
    },
    latestNamed: async (firmId, name) =>
      one(LATEST_NAMED, [firmId, await encryption.lookupKeys(PERSONAL.imports, name)]),
    sent: async (firmId, environment, after, count) =>
      importsFrom(encryption, await executor.rows<Row>(SENT, [firmId, environment, after, count])),
  };
}
