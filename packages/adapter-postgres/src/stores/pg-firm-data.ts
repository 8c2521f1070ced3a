import type { FirmData } from '@svc/application';
import { NIL_UUID } from '../driver/column-types.ts';
import { type Executor, type Statement, sql } from '../driver/executor.ts';
import type { Encryption } from '../encryption/encryption.ts';
import {
  BOOK_CARRIER_COLUMNS,
  type BookCarrierRow,
  bookCarrierFrom,
  decryptBookCarriers,
} from './carrier-rows.ts';
import { CLAIM_COLUMNS, type ClaimRow, claimsFrom } from './claim-rows.ts';
import { importsOfFirm } from './pg-imports.ts';
import { MEMBER_COLUMNS, type MemberRow, membersFrom } from './pg-memberships.ts';
import { offersOfFirm } from './pg-offer-history.ts';

const CLAIMS = sql(
  'firm_data_claims',
  `SELECT ${CLAIM_COLUMNS} FROM claims c WHERE c.firm_id = $1 AND c.id > $2
    ORDER BY c.id LIMIT $3`,
);
const MEMBERS = sql(
  'firm_data_members',
  `SELECT ${MEMBER_COLUMNS} FROM memberships m JOIN adjusters a ON a.svc_id = m.svc_id
    WHERE m.firm_id = $1 AND m.svc_id > $2 ORDER BY m.svc_id LIMIT $3`,
);
const CARRIERS = sql(
  'firm_data_carriers',
  `SELECT ${BOOK_CARRIER_COLUMNS} FROM carriers book
    WHERE book.firm_id = $1 AND book.name_key > $2 ORDER BY book.name_key LIMIT $3`,
);

const BATCH_SIZE = 2000;
/** Of the rows that meet the condition, with the firm as `$1`. */
const batchOf = (table: string, condition: string, order = ''): string =>
  `ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE ${condition} ${order} LIMIT ${BATCH_SIZE}))`;
const eraseFrom = (table: string, where: string): Statement =>
  sql(`firm_data_erase_${table}`, `DELETE FROM ${table} WHERE ${where} RETURNING 1`);
/** Names the firm twice, since a distributed table is found by it. */
const eraseOfFirm = (table: string): Statement =>
  eraseFrom(table, `${OF_FIRM} AND ${batchOf(table, OF_FIRM)}`);
const OF_FIRM = 'firm_id = $1';
const TEST_ACCOUNTS = 'test_firm_id = $1';
const OF_TEST_ACCOUNTS = 'svc_id IN (SELECT a.svc_id FROM adjusters a WHERE a.test_firm_id = $1)';
const OF_STAFF_OR_TEST_ACCOUNTS = `${OF_FIRM} OR ${OF_TEST_ACCOUNTS}`;

/** Of the tables that may be on several servers. In order, so that each deletes the same rows. */
const SHARED: Readonly<Record<string, Statement>> = Object.fromEntries(
  Object.entries({ adjusters: TEST_ACCOUNTS, adjuster_firms: OF_FIRM }).map(([table, condition]) => [
    table,
    eraseFrom(table, batchOf(table, condition, 'ORDER BY svc_id')),
  ]),
);

/** What remains of an erased firm. Erasing is rejected while there is a legal hold. */
const KEPT: ReadonlySet<string> = new Set(['audit_log', 'firm_feeds', 'legal_holds']);

/** Tables with rows of a firm or an adjuster, and which of them each one references. */
const TABLES = sql(
  'firm_data_tables',
  `SELECT c.relname AS name, bool_or(a.attname = 'firm_id' AND a.attnotnull) AS "hasFirm",
     bool_or(a.attname = 'firm_id') AS "hasStaff",
     (SELECT coalesce(array_agg(f.confrelid::regclass::text), '{}') FROM pg_constraint f
       WHERE f.contype = 'f' AND f.conrelid = c.oid) AS parents
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname IN ('firm_id', 'svc_id')
    WHERE c.relnamespace = to_regnamespace(current_schema()) AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND NOT a.attisdropped
    GROUP BY c.oid, c.relname ORDER BY c.relname`,
);

interface Table {
  readonly name: string;
  /** Every row belongs to a firm. */
  readonly hasFirm: boolean;
  /** Rows belong to staff of a firm or to adjusters. */
  readonly hasStaff: boolean;
  readonly parents: readonly string[];
}

/** From the catalog, so that no later table can be forgotten; rows before those that they reference. */
async function eraseStatements(executor: Executor): Promise<Statement[]> {
  const tables = (await executor.rows<Table>(TABLES)).filter(({ name }) => !KEPT.has(name));
  const ordered: Table[] = [];
  const seen = new Set<Table>();
  const add = (table: Table): void => {
    if (seen.has(table)) return;
    seen.add(table);
    for (const child of tables) if (child !== table && child.parents.includes(table.name)) add(child);
    ordered.push(table);
  };
  for (const table of tables) add(table);
  return [
    // First: from then on nothing of the firm can be decrypted.
    eraseOfFirm('data_keys'),
    ...ordered.map(
      ({ name, hasFirm, hasStaff }) =>
        SHARED[name] ??
        (hasFirm
          ? eraseOfFirm(name)
          : eraseFrom(name, batchOf(name, hasStaff ? OF_STAFF_OR_TEST_ACCOUNTS : OF_TEST_ACCOUNTS))),
    ),
  ];
}

/** Each statement on its own connection, so that none delays requests. */
export const pgFirmData = (executor: Executor, encryption: Encryption): FirmData => ({
  async claims(firmId, after, limit) {
    const rows = await executor.rows<ClaimRow>(CLAIMS, [firmId, after ?? NIL_UUID, limit]);
    return claimsFrom(encryption, rows);
  },

  async members(firmId, after, limit) {
    return membersFrom(encryption, await executor.rows<MemberRow>(MEMBERS, [firmId, after ?? '', limit]));
  },

  async carriers(firmId, after, limit) {
    const found = await executor.rows<BookCarrierRow & { book_key: string }>(CARRIERS, [
      firmId,
      after ?? '',
      limit,
    ]);
    const rows = await decryptBookCarriers(encryption, found, () => firmId);
    return rows.flatMap((row) => {
      const carrier = bookCarrierFrom(row);
      return carrier === null ? [] : [{ nameKey: row.book_key, carrier }];
    });
  },

  offers: (firmId, after, limit) => offersOfFirm(executor, encryption, firmId, after, limit),

  imports: (firmId, after, limit) => importsOfFirm(executor, encryption, firmId, after, limit),

  async eraseBatch(firmId) {
    for (const statement of await eraseStatements(executor)) {
      const erased = (await executor.rows(statement, [firmId])).length;
      if (erased > 0) return erased;
    }
    return 0;
  },
});
