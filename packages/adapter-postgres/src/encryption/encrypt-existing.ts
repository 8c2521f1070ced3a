import { setTimeout as sleep } from 'node:timers/promises';
import type { FirmId } from '@svc/domain';
import type { Database } from '../driver/database.ts';
import { first, type Session, type Statement, sql } from '../driver/session.ts';
import type { Encryption } from './encryption.ts';
import { PERSONAL, type PersonalTable } from './personal-columns.ts';

/** Rows per transaction: their locks are held for some milliseconds. */
const BATCH_ROWS = 100;
/** Before looking again for rows that other transactions had locked. */
const LOCKED_ROWS_MS = 200;

interface Statements {
  readonly table: PersonalTable;
  readonly find: Statement;
  readonly update: Statement;
  readonly count: Statement;
}

const TABLES: readonly Statements[] = Object.values(PERSONAL).map((table: PersonalTable): Statements => {
  const { name, key } = table;
  const columns = Object.entries(table.columns);
  const isPlain = columns
    .map(([column, type]) => `NOT starts_with(${column}::text, '${type === 'json' ? '"enc:' : 'enc:'}')`)
    .join(' OR ');
  const keyed = `t.firm_id = u.firm_id AND t.${key.column} = u.row_key`;
  return {
    table,
    find: sql(
      `encrypt_find_${name}`,
      `SELECT firm_id, ${key.column}::text AS row_key, ${columns.map(([column]) => `${column}::text`).join(', ')}
         FROM ${name} WHERE (firm_id, ${key.column}) > ($1::uuid, $2::${key.type}) AND (${isPlain})
        ORDER BY firm_id, ${key.column} LIMIT ${BATCH_ROWS} FOR NO KEY UPDATE SKIP LOCKED`,
    ),
    update: sql(
      `encrypt_update_${name}`,
      `UPDATE ${name} t SET ${columns.map(([column, type]) => `${column} = u.${column}::${type}`).join(', ')}
         FROM json_to_recordset($1::json) AS u (firm_id uuid, row_key ${key.type},
           ${columns.map(([column]) => `${column} text`).join(', ')})
        WHERE ${keyed}`,
    ),
    count: sql(`encrypt_count_${name}`, `SELECT count(*)::integer AS count FROM ${name} WHERE ${isPlain}`),
  };
});

type PlainRow = { readonly firm_id: FirmId; readonly row_key: string } & Record<string, string | null>;

const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/** Rows with a personal column in plain text, by table. Reads whole tables. */
export async function countPlainRows(session: Session): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { table, count } of TABLES)
    counts[table.name] = first(await session.rows<{ count: number }>(count))?.count ?? 0;
  return counts;
}

/**
 * Encrypts the rows that were written before encryption was on, in batches beside running requests. May be interrupted
 * and started again: encrypted rows are not found again. Returns when no row is left.
 */
export async function encryptExisting(
  database: Pick<Database, 'begin' | 'maintenance'>,
  encryption: Encryption,
  onProgress: (rows: number) => void,
): Promise<number> {
  let total = 0;
  for (const { table, find, update, count } of TABLES) {
    for (let position = [NIL_UUID, table.key.type === 'uuid' ? NIL_UUID : '']; ; ) {
      const transaction = await database.begin();
      let rows: PlainRow[];
      try {
        rows = await transaction.rows<PlainRow>(find, position);
        if (rows.length > 0) {
          const sealed = await Promise.all(rows.map((row) => sealRow(encryption, table, row)));
          await transaction.rows(update, [JSON.stringify(sealed)]);
        }
        await transaction.commit();
      } catch (error) {
        await transaction.rollback();
        throw error;
      }
      total += rows.length;
      const last = rows.at(-1);
      if (last !== undefined) {
        position = [last.firm_id, last.row_key];
        onProgress(total);
        continue;
      }
      // Rows that were locked, and rows written meanwhile by processes without the key.
      if (first(await database.maintenance.rows<{ count: number }>(count))?.count === 0) break;
      await sleep(LOCKED_ROWS_MS);
      position = [NIL_UUID, table.key.type === 'uuid' ? NIL_UUID : ''];
    }
  }
  return total;
}

async function sealRow(encryption: Encryption, table: PersonalTable, row: PlainRow): Promise<PlainRow> {
  const sealed: Record<string, string | null> = { ...row };
  const seal = await encryption.sealer(table, row.firm_id, row.row_key);
  for (const [column, type] of Object.entries(table.columns)) {
    const value = row[column] ?? null;
    const isSealed = value?.startsWith(type === 'json' ? '"enc:' : 'enc:') === true;
    if (!isSealed) sealed[column] = seal(column, value);
  }
  return sealed as PlainRow;
}
