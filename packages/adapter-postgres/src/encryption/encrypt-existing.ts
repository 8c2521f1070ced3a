import { setTimeout as sleep } from 'node:timers/promises';
import { Unavailable } from '@svc/application';
import type { FirmId } from '@svc/domain';
import { NIL_UUID } from '../driver/column-types.ts';
import type { Database } from '../driver/database.ts';
import { type Executor, first, only, sql } from '../driver/executor.ts';
import { transact } from '../driver/transaction.ts';
import { ENCRYPTED, type Encryption, PLAIN } from './encryption.ts';
import { fieldsOf, PERSONAL, type PersonalTable, SERVICE } from './personal-columns.ts';

/** Rows per transaction: their locks are held for some milliseconds. */
const BATCH_ROWS = 100;
/** Before looking again for rows that other transactions had locked. */
const LOCKED_ROWS_MS = 200;

const TABLES = Object.values(PERSONAL).map((table: PersonalTable) => {
  const { name, key, lookup } = table;
  const columns = Object.entries(table.columns);
  const firm = table.ofAccounts ? `'${SERVICE}'::uuid` : 'firm_id';
  const written = [
    ...columns.map(([column, type]) => `${column} = u.${column}::${type}`),
    ...(lookup ? [`${lookup.column} = u.${lookup.column}`] : []),
  ];
  const isPlain = columns
    .map(([column, type]) => `left(${column}::text, 16) !~ '^${type === 'json' ? '"' : ''}${ENCRYPTED}'`)
    .join(' OR ');
  const keyed = `${table.ofAccounts ? firm : 't.firm_id'} = u.firm_id AND ${key.column} = u.row_key`;
  return {
    table,
    nextFirm: table.ofAccounts
      ? null
      : sql(
          `encrypt_next_firm_${name}`,
          `SELECT firm_id FROM ${name} WHERE firm_id > $1::uuid ORDER BY firm_id LIMIT 1`,
        ),
    // Of one firm: rows of distributed tables are locked on one server at a time.
    find: sql(
      `encrypt_find_${name}`,
      `SELECT ${firm} AS firm_id, ${key.column}::text AS row_key, ${columns.map(([column]) => `${column}::text`).join(', ')}
         FROM ${name} WHERE ${firm} = $1::uuid AND ${key.column} > $2::${key.type} AND (${isPlain})
        ORDER BY ${key.column} LIMIT ${BATCH_ROWS} FOR NO KEY UPDATE SKIP LOCKED`,
    ),
    update: sql(
      `encrypt_update_${name}`,
      `UPDATE ${name} t SET ${written.join(', ')}
         FROM json_to_recordset($1::json) AS u (firm_id uuid, row_key ${key.type},
           ${[...Object.keys(table.columns), ...(lookup ? [lookup.column] : [])].map((column) => `${column} text`).join(', ')})
        WHERE ${keyed}`,
    ),
    count: sql(`encrypt_count_${name}`, `SELECT count(*)::integer AS count FROM ${name} WHERE ${isPlain}`),
  };
});

const IS_ENCRYPTED = { text: new RegExp(`^${ENCRYPTED}`), json: new RegExp(`^"${ENCRYPTED}`) };

type PlainRow = { readonly firm_id: FirmId; readonly row_key: string } & Record<string, string | null>;

/** Rows with a personal column in plain text, by table. Reads whole tables. */
export async function countPlainRows(executor: Executor): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { table, count } of TABLES)
    counts[table.name] = only(await executor.rows<{ count: number }>(count)).count;
  return counts;
}

interface RequiredColumn {
  readonly table: string;
  readonly column: string;
  readonly kind: 'text' | 'json' | 'hash';
}

/** The columns that may hold only ciphertext after `encryptExisting`; the hash is that of `lookupKeys`. */
const COLUMNS: readonly RequiredColumn[] = Object.values(PERSONAL).flatMap(
  ({ name: table, columns, lookup }: PersonalTable): RequiredColumn[] => [
    ...Object.entries(columns).map(([column, kind]) => ({ table, column, kind })),
    ...(lookup ? [{ table, column: lookup.column, kind: 'hash' } as const] : []),
  ],
);

const REQUIRED = sql(
  'encryption_required',
  `SELECT conrelid::regclass::text AS table, conname AS name FROM pg_constraint
    WHERE connamespace = current_schema()::regnamespace AND contype = 'c' AND conname LIKE '%\\_encrypted'`,
);
const REQUIRE = sql('encryption_require', 'SELECT require_encryption($1, $2, $3)');
/** Requests wait behind the lock that adds a constraint, so it is requested again instead of awaited for long. */
const SHORT_LOCK_WAIT = sql('encryption_short_lock_wait', "SET LOCAL lock_timeout = '1s'");
const MAX_LOCK_FAILURES = 30;

/** The columns in which the database still accepts plain text. */
async function columnsAcceptingPlainText(executor: Executor): Promise<readonly RequiredColumn[]> {
  const names = new Set((await executor.rows<{ name: string }>(REQUIRED)).map(({ name }) => name));
  return COLUMNS.filter(({ table, column }) => !names.has(`${table}_${column}_encrypted`));
}

/** Whether the database rejects plain text in every personal column. */
export const rejectsPlainText = async (executor: Executor): Promise<boolean> =>
  (await columnsAcceptingPlainText(executor)).length === 0;

async function rejectPlainText(database: Pick<Database, 'begin' | 'maintenance'>): Promise<void> {
  for (let failures = 0; ; ) {
    const [next] = await columnsAcceptingPlainText(database.maintenance);
    if (next === undefined) return;
    try {
      await transact(database, (transaction) => {
        transaction.send(SHORT_LOCK_WAIT, []);
        return transaction.rows(REQUIRE, [next.table, next.column, next.kind]);
      });
    } catch (error) {
      failures += 1;
      if (!(error instanceof Unavailable) || failures === MAX_LOCK_FAILURES) throw error;
      await sleep(LOCKED_ROWS_MS);
    }
  }
}

/**
 * Encrypts the rows that were written before encryption was on, and lets the database reject plain text from then on, in
 * whichever process it is written. May be interrupted and started again.
 * @returns the number of rows that were encrypted.
 */
export async function encryptExisting(
  database: Pick<Database, 'begin' | 'maintenance'>,
  encryption: Encryption,
  onProgress: (rows: number) => void,
): Promise<number> {
  const rows = await encryptRows(database, encryption, onProgress);
  await rejectPlainText(database);
  // Rows that a process without the key has written in between.
  return rows + (await encryptRows(database, encryption, onProgress));
}

/** In batches beside running requests. Returns when no row is left. */
async function encryptRows(
  database: Pick<Database, 'begin' | 'maintenance'>,
  encryption: Encryption,
  onProgress: (rows: number) => void,
): Promise<number> {
  let total = 0;
  for (const { table, nextFirm, find, update, count } of TABLES) {
    const startOf = (firmId: string) => [firmId, table.key.type === 'uuid' ? NIL_UUID : ''] as const;
    for (let position: readonly [string, string] = startOf(NIL_UUID); ; ) {
      const rows = await transact(database, async (transaction) => {
        const found = await transaction.rows<PlainRow>(find, position);
        if (found.length > 0) {
          const encrypted = await Promise.all(found.map((row) => encryptRow(encryption, table, row)));
          await transaction.rows(update, [JSON.stringify(encrypted)]);
        }
        return found;
      });
      total += rows.length;
      const last = rows.at(-1);
      if (last !== undefined) {
        position = [last.firm_id, last.row_key];
        onProgress(total);
        continue;
      }
      const next =
        nextFirm && first(await database.maintenance.rows<{ firm_id: FirmId }>(nextFirm, [position[0]]));
      if (next) {
        position = startOf(next.firm_id);
        continue;
      }
      // Rows that were locked, and rows that processes without the key have written since.
      if (only(await database.maintenance.rows<{ count: number }>(count)).count === 0) break;
      await sleep(LOCKED_ROWS_MS);
      position = startOf(NIL_UUID);
    }
  }
  return total;
}

/** Of the text in the row, which may be encrypted already. */
async function lookupKeyOf(
  encryption: Encryption,
  table: PersonalTable,
  row: PlainRow,
): Promise<string | null> {
  const opened = await encryption.decrypt([{ ...row }], fieldsOf(table), ({ firm_id, row_key }) => ({
    firmId: firm_id,
    key: row_key,
  }));
  const text = only(opened)[table.lookup?.of ?? ''] ?? null;
  return text === null ? null : (await encryption.lookupKeys(table, text))[0];
}

async function encryptRow(encryption: Encryption, table: PersonalTable, row: PlainRow): Promise<PlainRow> {
  const encrypted: Record<string, string | null> = { ...row };
  const encrypt = await encryption.encryptor(table, row.firm_id, row.row_key);
  for (const [column, type] of Object.entries(table.columns)) {
    const value = row[column] ?? null;
    if (value?.startsWith(PLAIN)) encrypted[column] = encrypt(column, value.slice(PLAIN.length));
    else if (value !== null && !IS_ENCRYPTED[type].test(value)) encrypted[column] = encrypt(column, value);
  }
  if (table.lookup) encrypted[table.lookup.column] = await lookupKeyOf(encryption, table, row);
  return encrypted as PlainRow;
}
