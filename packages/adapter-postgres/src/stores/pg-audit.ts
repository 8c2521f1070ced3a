import type {
  AuditChain,
  AuditChainId,
  AuditEvent,
  AuditLog,
  AuditReads,
  AuditRow,
  AuditTrail,
} from '@svc/application';
import type { Instant } from '@svc/domain';
import { arrayOf, isUuid, timestamp } from '../driver/column-types.ts';
import type { Database } from '../driver/database.ts';
import { DatabaseError } from '../driver/errors.ts';
import { first, rowByKey, type Session, sql, type TxSession } from '../driver/session.ts';
import { transact } from '../driver/transaction.ts';
import {
  type AuditRowValues,
  auditRow,
  auditRowsOf,
  byChain,
  type NewAuditRow,
  rowColumns,
  rowValues,
} from './audit-rows.ts';

/** Immutable, as distributed tables require; convert_to is not. */
const genesisHashOf = (firmId: string): string => `sha256(decode(${firmId}::text, 'escape'))`;
const GENESIS_HASH = genesisHashOf('feed.firm_id');
const hexOf = (hash: string): string => `encode(${hash}, 'hex')`;

/** SQL for `nextLink` of `@svc/application`. */
const linkHash = (previous: string, digest: string): string =>
  `sha256(${previous} || decode(${digest}, 'hex'))`;
/** The SET clause that appends one row to the chain of an existing firm_feeds row. */
export const advanceChain = (digest: string): string =>
  `audit_seq = feed.audit_seq + 1, audit_hash = ${linkHash(`coalesce(feed.audit_hash, ${GENESIS_HASH})`, digest)}`;
/**
 * The row of the firm's change feed stays locked until the commit. Inserted if missing: after a restore to an earlier
 * time, reads still buffered in memory may belong to a firm that no longer exists.
 */
const advanceIn = (digest: string): string =>
  `INSERT INTO firm_feeds AS feed (firm_id, last_stamp, audit_seq, audit_hash)
     VALUES ($1, 'epoch', 1, ${linkHash(genesisHashOf('$1::uuid'), digest)})
     ON CONFLICT (firm_id) DO UPDATE SET ${advanceChain(digest)} RETURNING audit_seq`;
export const INSERT_ROW = 'INSERT INTO audit_log (firm_id, seq, at, entry, hash)';

/** In one statement, so that the lock on the chain costs no round trip. */
const APPEND = sql(
  'audit_append',
  `WITH chain AS (${advanceIn('$4')}, audit_hash) ${INSERT_ROW} SELECT $1, audit_seq, $2, $3, audit_hash FROM chain`,
);

/** The same in two statements, each on one table, for distributed tables. */
const APPEND_LINK = sql('audit_append_link', `${advanceIn('$2')}, encode(audit_hash, 'hex') AS audit_hash`);
const APPEND_ROW = sql('audit_append_row', `${INSERT_ROW} VALUES ($1, $2, $3, $4, decode($5, 'hex'))`);

/** Skips firms whose feed is locked: waiting while holding locks on other firms would block their changes. */
const LOCK_AVAILABLE_CHAINS = sql(
  'audit_lock_available_chains',
  'SELECT firm_id FROM firm_feeds WHERE firm_id = ANY($1::uuid[]) FOR NO KEY UPDATE SKIP LOCKED',
);

/**
 * Appends one row to each of several locked chains in one statement: one statement per row would cost more than the read
 * that is recorded. The entries are joined by newlines: an array literal would escape every quote of their JSON.
 */
const APPEND_TO_MANY = sql(
  'audit_append_to_many',
  `WITH chain AS (
     UPDATE firm_feeds AS feed SET ${advanceChain('digest')}
     FROM unnest($1::uuid[], $2::timestamptz[], string_to_array($3, E'\\n'), $4::text[])
       AS event (firm_id, at, entry, digest)
     CROSS JOIN LATERAL (${rowByKey('firm_feeds', { firm_id: 'event.firm_id' }, { columns: 'ctid' })}) locked
     WHERE feed.ctid = locked.ctid
     RETURNING feed.firm_id, feed.audit_seq, event.at, event.entry, feed.audit_hash)
   ${INSERT_ROW} SELECT * FROM chain`,
);

/** A crash loses the events of the last second in any case; waiting for the disk would hold the locks longer. */
const WITHOUT_FLUSH = sql('audit_without_flush', 'SET LOCAL synchronous_commit = off');

const CHAIN = sql(
  'audit_chain',
  `SELECT audit_seq, ${hexOf(`coalesce(audit_hash, ${GENESIS_HASH})`)} AS audit_hash,
     audit_purged_seq, ${hexOf(`coalesce(audit_purged_hash, ${GENESIS_HASH})`)} AS audit_purged_hash
     FROM firm_feeds AS feed WHERE firm_id = $1`,
);

/** The role of the service may add rows anywhere, so those outside of the chain are not read as part of it. */
const ROWS = `SELECT l.seq, l.at, l.entry AS text, encode(l.hash, 'hex') AS hash
   FROM firm_feeds c JOIN audit_log l ON l.firm_id = c.firm_id AND l.seq > c.audit_purged_seq AND l.seq <= c.audit_seq
  WHERE c.firm_id = $1 AND l.seq > $2 AND l.at >= $3 AND l.at < $4`;
const OLDEST_FIRST = sql('audit_rows', `${ROWS} ORDER BY l.seq LIMIT $5`);
const LATEST_FIRST = sql('audit_latest', `${ROWS} ORDER BY l.seq DESC LIMIT $5`);

const OUTSIDE = sql(
  'audit_outside',
  `SELECT least(
     (SELECT min(l.seq) FROM audit_log l WHERE l.firm_id = $1 AND l.seq <= c.audit_purged_seq),
     (SELECT min(l.seq) FROM audit_log l WHERE l.firm_id = $1 AND l.seq > c.audit_seq)) AS seq
   FROM firm_feeds c WHERE c.firm_id = $1
   UNION ALL
   SELECT min(l.seq) FROM audit_log l
    WHERE l.firm_id = $1 AND NOT EXISTS (SELECT FROM firm_feeds c WHERE c.firm_id = $1)`,
);

/** The end of a chain that a separate statement has advanced, where tables are distributed. */
export interface Link {
  readonly audit_seq: string;
  /** Hexadecimal. */
  readonly audit_hash: string;
}

export const appendWithLink = (
  session: TxSession,
  chain: AuditChainId,
  [at, text]: AuditRowValues,
  link: Link,
): void => session.send(APPEND_ROW, [chain, link.audit_seq, at, text, link.audit_hash]);

async function appendRow(session: TxSession, row: NewAuditRow): Promise<void> {
  const { chain } = row;
  const values = rowValues(row);
  if (!session.layout.joinsFirms) {
    const link = first(await session.rows<Link>(APPEND_LINK, [chain, values[2]]));
    if (link === null) throw new DatabaseError('audit_append_link wrote no row.');
    appendWithLink(session, chain, values, link);
  } else {
    session.send(APPEND, [chain, ...values]);
  }
}

/**
 * Appends to the chains that no other transaction has locked. Each chain occurs once in `rows`.
 *
 * @returns the rows not appended: chains locked by others, and firms without a row in firm_feeds.
 */
async function appendToAvailableChains(
  session: TxSession,
  rows: readonly NewAuditRow[],
): Promise<NewAuditRow[]> {
  const lockedRows = await session.rows<{ firm_id: AuditChainId }>(LOCK_AVAILABLE_CHAINS, [
    arrayOf(rows.map(({ chain }) => chain)),
  ]);
  const lockedChains = new Set(lockedRows.map(({ firm_id }) => firm_id));
  const appendable = rows.filter(({ chain }) => lockedChains.has(chain));
  if (appendable.length > 0) {
    const { chains, times, texts, digests } = rowColumns(appendable);
    session.send(APPEND_TO_MANY, [chains, times, texts, digests]);
  }
  return rows.filter(({ chain }) => !lockedChains.has(chain));
}

/** As the last statements of a transaction: the locks on the chains are held until the commit. */
export async function appendToAuditTrail(session: TxSession, events: readonly AuditEvent[]): Promise<void> {
  const inOrder = events.length > 1 ? [...events].sort(byChain) : events;
  for (const event of inOrder) await appendRow(session, auditRow(event));
}

export interface PgAuditTrail extends AuditTrail {
  /** Writes what was recorded since the last call; called before the commit. */
  write(): Promise<void>;
}

export function pgAuditTrail(session: TxSession): PgAuditTrail {
  const events: AuditEvent[] = [];
  return {
    async record(event) {
      events.push(event);
    },
    write: () => appendToAuditTrail(session, events.splice(0)),
  };
}

export const pgAuditLog = (database: Pick<Database, 'begin'>): AuditLog => {
  const inTransaction = <T>(work: (transaction: TxSession) => Promise<T>): Promise<T> =>
    transact(database, (transaction) => {
      transaction.send(WITHOUT_FLUSH, []);
      return work(transaction);
    });
  return {
    async append(events) {
      for (const rows of splitByChainPosition(auditRowsOf(events))) {
        const rest = await inTransaction(async (transaction) => {
          if (transaction.layout.joinsFirms) return appendToAvailableChains(transaction, rows);
          // The chains are on several nodes.
          for (const row of rows) await appendRow(transaction, row);
          return [];
        });
        for (const row of rest) await inTransaction((transaction) => appendRow(transaction, row));
      }
    },
  };
};

/** The first rows of all chains, then their second rows, and so on: a statement advances a chain once. */
function splitByChainPosition(rows: readonly NewAuditRow[]): NewAuditRow[][] {
  const rounds: NewAuditRow[][] = [];
  const counts = new Map<AuditChainId, number>();
  for (const row of rows) {
    const count = counts.get(row.chain) ?? 0;
    counts.set(row.chain, count + 1);
    rounds[count] ??= [];
    rounds[count].push(row);
  }
  return rounds;
}

export function pgAuditReads(session: Session): AuditReads {
  const range = (since: Instant | undefined, until: Instant | undefined): [string, string] => [
    timestamp(since ?? Number.MIN_SAFE_INTEGER),
    timestamp(until ?? Number.MAX_SAFE_INTEGER),
  ];
  type Row = Omit<AuditRow, 'seq'> & { readonly seq: string };
  const rowFrom = (row: Row): AuditRow => ({ ...row, seq: Number(row.seq) });
  return {
    async chain(chain) {
      type ChainRow = Link & { readonly audit_purged_seq: string; readonly audit_purged_hash: string };
      const row = isUuid(chain) ? first(await session.rows<ChainRow>(CHAIN, [chain])) : null;
      if (row === null) return null;
      const auditChain: AuditChain = {
        last: { seq: Number(row.audit_seq), hash: row.audit_hash },
        purged: { seq: Number(row.audit_purged_seq), hash: row.audit_purged_hash },
      };
      return auditChain;
    },

    async outside(chain) {
      const rows = await session.rows<{ readonly seq: string | null }>(OUTSIDE, [chain]);
      const found = rows.find(({ seq }) => seq !== null);
      return found === undefined ? null : Number(found.seq);
    },

    async rows(chain, { after, limit, since, until }) {
      const values = [chain, String(after), ...range(since, until), limit];
      return (await session.rows<Row>(OLDEST_FIRST, values)).map(rowFrom);
    },

    async latest(chain, { limit, since, until }) {
      const values = [chain, '0', ...range(since, until), limit];
      return (await session.rows<Row>(LATEST_FIRST, values)).map(rowFrom);
    },
  };
}
