import type {
  AuditChain,
  AuditChainId,
  AuditEvent,
  AuditLog,
  AuditReads,
  AuditRow,
  AuditTrail,
  OfferKey,
} from '@svc/application';
import type { Claim, Instant } from '@svc/domain';
import { arrayOf, isUuid, timestamp } from '../driver/column-types.ts';
import type { Database } from '../driver/database.ts';
import { type Executor, first, sql, type TransactionExecutor } from '../driver/executor.ts';
import { transact } from '../driver/transaction.ts';
import type { FirmStatements, StatementsOn } from '../firm-statements.ts';
import { auditRow, auditRowsOf, byChain, type NewAuditRow } from './audit-rows.ts';

/** Immutable, as distributed tables require; convert_to is not. */
const genesisHashOf = (firmId: string): string => `sha256(decode(${firmId}::text, 'escape'))`;
const GENESIS_HASH = genesisHashOf('feed.firm_id');
export const hexOf = (hash: string): string => `encode(${hash}, 'hex')`;

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
export const advanceIn = (digest: string): string =>
  `INSERT INTO firm_feeds AS feed (firm_id, last_stamp, audit_seq, audit_hash)
     VALUES ($1, 'epoch', 1, ${linkHash(genesisHashOf('$1::uuid'), digest)})
     ON CONFLICT (firm_id) DO UPDATE SET ${advanceChain(digest)} RETURNING audit_seq`;
export const INSERT_ROW = 'INSERT INTO audit_log (firm_id, seq, at, entry, hash)';

/** The end of a chain. */
export interface Link {
  readonly audit_seq: string;
  /** Hexadecimal. */
  readonly audit_hash: string;
}

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

/** As the last statements of a transaction: the locks on the chains are held until the commit. */
export async function appendToAuditTrail(
  statements: FirmStatements,
  events: readonly AuditEvent[],
): Promise<void> {
  const inOrder = events.length > 1 ? [...events].sort(byChain) : events;
  for (const event of inOrder) await statements.appendRow(auditRow(event));
}

export interface PgAuditTrail extends AuditTrail {
  /** Writes what was recorded since the last call; called before the commit. */
  write(): Promise<void>;
}

const END_OFFERS = sql(
  'claims_end_offers',
  `UPDATE claims SET audit_seq = (SELECT audit_seq FROM firm_feeds WHERE firm_id = $1)
    WHERE firm_id = $1 AND id = ANY ($2::uuid[])`,
);

const LATE_ANSWER = sql(
  'offers_late_answer',
  `UPDATE offers SET audit_seq = (SELECT audit_seq FROM firm_feeds WHERE firm_id = $1)
    WHERE firm_id = $1 AND claim_id = $2 AND offered_at = $3`,
);

/** Of a claim that was closed while its latest offer was open. */
const LATE_ANSWER_TO_LATEST = sql(
  'claims_late_answer',
  `UPDATE claims SET audit_seq = (SELECT audit_seq FROM firm_feeds WHERE firm_id = $1)
    WHERE firm_id = $1 AND id = $2 AND offered_at = $3`,
);

/** What the recorded events end or answer, each by the event of its firm. */
export interface EventSubjects {
  /** Claims whose offers end. */
  readonly ended: Claim[];
  /** Offers that had ended before they were answered. */
  readonly late: Pick<OfferKey, 'firmId' | 'claimId' | 'offeredAt'>[];
}

export function pgAuditTrail(
  executor: TransactionExecutor,
  statements: FirmStatements,
  { ended, late }: EventSubjects,
): PgAuditTrail {
  const events: AuditEvent[] = [];
  return {
    async record(event) {
      events.push(event);
    },
    async write() {
      await appendToAuditTrail(statements, events);
      for (const { chain } of events.splice(0)) {
        const ids = ended.flatMap(({ firmId, id }) => (firmId === chain ? [id] : []));
        if (ids.length > 0) executor.send(END_OFFERS, [chain, arrayOf(ids)]);
        for (const { firmId, claimId, offeredAt } of late)
          if (firmId === chain)
            for (const link of [LATE_ANSWER, LATE_ANSWER_TO_LATEST])
              executor.send(link, [firmId, claimId, timestamp(offeredAt)]);
      }
    },
  };
}

export const pgAuditLog = (database: Pick<Database, 'begin'>, statementsOn: StatementsOn): AuditLog => {
  const inTransaction = <T>(work: (statements: FirmStatements) => Promise<T>): Promise<T> =>
    transact(database, (transaction) => {
      transaction.send(WITHOUT_FLUSH, []);
      return work(statementsOn(transaction));
    });
  return {
    async append(events) {
      for (const rows of splitByChainPosition(auditRowsOf(events))) {
        const rest = await inTransaction((statements) => statements.appendToAvailableChains(rows));
        for (const row of rest) await inTransaction((statements) => statements.appendRow(row));
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

export function pgAuditReads(executor: Executor): AuditReads {
  const range = (since: Instant | undefined, until: Instant | undefined): [string, string] => [
    timestamp(since ?? Number.MIN_SAFE_INTEGER),
    timestamp(until ?? Number.MAX_SAFE_INTEGER),
  ];
  type Row = Omit<AuditRow, 'seq'> & { readonly seq: string };
  const rowFrom = (row: Row): AuditRow => ({ ...row, seq: Number(row.seq) });
  return {
    async chain(chain) {
      type ChainRow = Link & { readonly audit_purged_seq: string; readonly audit_purged_hash: string };
      const row = isUuid(chain) ? first(await executor.rows<ChainRow>(CHAIN, [chain])) : null;
      if (row === null) return null;
      const auditChain: AuditChain = {
        last: { seq: Number(row.audit_seq), hash: row.audit_hash },
        purged: { seq: Number(row.audit_purged_seq), hash: row.audit_purged_hash },
      };
      return auditChain;
    },

    async outside(chain) {
      const rows = await executor.rows<{ readonly seq: string | null }>(OUTSIDE, [chain]);
      const found = rows.find(({ seq }) => seq !== null);
      return found === undefined ? null : Number(found.seq);
    },

    async rows(chain, { after, limit, since, until }) {
      const values = [chain, String(after), ...range(since, until), limit];
      return (await executor.rows<Row>(OLDEST_FIRST, values)).map(rowFrom);
    },

    async latest(chain, { limit, since, until }) {
      const values = [chain, '0', ...range(since, until), limit];
      return (await executor.rows<Row>(LATEST_FIRST, values)).map(rowFrom);
    },
  };
}
