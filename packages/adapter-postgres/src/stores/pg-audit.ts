import { hash } from 'node:crypto';
import {
  type AuditChain,
  type AuditChainId,
  type AuditEntry,
  type AuditEvent,
  type AuditLog,
  type AuditReads,
  type AuditRow,
  type AuditRowEvents,
  type AuditTrail,
  auditRowsOf,
  auditText,
  firstLink,
} from '@svc/application';
import type { FirmId, Instant } from '@svc/domain';
import { isUuid, timestamp } from '../driver/column-types.ts';
import type { Database } from '../driver/database.ts';
import { DatabaseError } from '../driver/errors.ts';
import { first, type Session, sql, type TxSession } from '../driver/session.ts';
import { transact } from '../driver/transaction.ts';

/**
 * `nextLink` of `@svc/application`: the new values of a chain that is held. Citus allows only immutable functions here,
 * which convert_to is not: decode turns text into its bytes as well, but for backslashes.
 */
const advance = (text: string): string => `last_seq = held.last_seq + 1, last_hash =
       sha256(decode(encode(held.last_hash, 'hex') || E'\\n' || (held.last_seq + 1)::text || E'\\n'
         || replace(${text}, E'\\\\', E'\\\\\\\\'), 'escape'))`;
/**
 * In one statement, so that the lock on the chain costs no round trip. The row of the chain stays locked until the
 * commit. Starts the chain where there is none: a firm may have been created by a process of an earlier release.
 */
const nextLink = (text: string, genesis: string): string =>
  `INSERT INTO audit_chains AS held (firm_id, last_seq, last_hash, purged_hash)
     VALUES ($1, 1, sha256(convert_to(${genesis} || E'\\n1\\n' || ${text}, 'UTF8')), decode(${genesis}, 'hex'))
     ON CONFLICT (firm_id) DO UPDATE SET ${advance(text)}
     RETURNING last_seq`;
const INSERT_ROW = 'INSERT INTO audit_log (firm_id, seq, at, entry, hash)';
const chainFrom = (text: string, genesis: string): string =>
  `chain AS (${nextLink(text, genesis)}, last_hash)`;
const rowFrom = (at: string, text: string): string =>
  `${INSERT_ROW} SELECT $1, last_seq, ${at}, ${text}, last_hash FROM chain`;

const APPEND = sql('audit_append', `WITH ${chainFrom('$3', '$4')} ${rowFrom('$2', '$3')}`);

/**
 * WITH clauses that append an event of the firm `$1` within another statement, which locks the firm's change feed first.
 *
 * @param first the number of the first of the three parameters that {@link PgAuditTrail.take} returns.
 */
export const appendWithin = (first: number): string =>
  `${chainFrom(`$${first + 1}`, `$${first + 2}`)}, recorded AS (${rowFrom(`$${first}`, `$${first + 1}`)})`;

/** Citus would run the rows of APPEND through the coordinator, and plan it again on every execution. */
const APPEND_LINK = sql(
  'audit_append_link',
  `${nextLink('$2', '$3')}, encode(last_hash, 'hex') AS last_hash`,
);
const APPEND_ROW = sql('audit_append_row', `${INSERT_ROW} VALUES ($1, $2, $3, $4, decode($5, 'hex'))`);

/** Starts the chains that do not exist, of a firm that a process of an earlier release created. */
const START_CHAINS = sql(
  'audit_start_chains',
  `INSERT INTO audit_chains (firm_id, last_hash, purged_hash)
   SELECT firm_id, decode(genesis, 'hex'), decode(genesis, 'hex')
     FROM unnest($1::uuid[], $2::text[]) AS chain (firm_id, genesis) ORDER BY 1
   ON CONFLICT (firm_id) DO NOTHING`,
);

/** In the order of `byChain`, which the update below does not have. */
const LOCK_CHAINS = sql(
  'audit_lock_chains',
  'SELECT 1 FROM audit_chains WHERE firm_id = ANY($1::uuid[]) ORDER BY firm_id FOR NO KEY UPDATE',
);

/**
 * {@link APPEND} for many chains, each once, which are locked: a statement for each would be most of the cost of a read.
 * The entries are lines: in an array, all quotes of their JSON would be escaped, and read again.
 */
const APPEND_TO_MANY = sql(
  'audit_append_to_many',
  `WITH chain AS (
     UPDATE audit_chains AS held SET ${advance('entry')}
     FROM unnest($1::uuid[], $2::timestamptz[], string_to_array($3, E'\\n')) AS event (firm_id, at, entry)
     WHERE held.firm_id = event.firm_id
     RETURNING held.firm_id, held.last_seq, event.at, event.entry, held.last_hash)
   INSERT INTO audit_log (firm_id, seq, at, entry, hash) SELECT * FROM chain`,
);

/** A crash loses the events of the last second in any case; waiting for the disk would hold the locks longer. */
const WITHOUT_FLUSH = sql('audit_without_flush', 'SET LOCAL synchronous_commit = off');

const CHAIN = sql(
  'audit_chain',
  `SELECT last_seq, encode(last_hash, 'hex') AS last_hash, purged_seq, encode(purged_hash, 'hex') AS purged_hash
     FROM audit_chains WHERE firm_id = $1`,
);

const ROWS = `SELECT seq, at, entry AS text, encode(hash, 'hex') AS hash FROM audit_log
  WHERE firm_id = $1 AND seq > $2 AND at >= $3 AND at < $4`;
const OLDEST_FIRST = sql('audit_rows', `${ROWS} ORDER BY seq LIMIT $5`);
const LATEST_FIRST = sql('audit_latest', `${ROWS} ORDER BY seq DESC LIMIT $5`);

const sha256 = (text: string): string => hash('sha256', text);

/** Each chain in the same order everywhere, so that transactions with several cannot deadlock. */
const byChain = (one: { chain: AuditChainId }, other: { chain: AuditChainId }): number =>
  one.chain < other.chain ? -1 : one.chain > other.chain ? 1 : 0;

type RowValues = readonly [at: string, text: string, genesis: string];

const rowValues = (chain: AuditChainId, entries: readonly AuditEntry[]): RowValues => [
  timestamp(entries[0]?.at ?? 0),
  auditText(entries),
  firstLink(chain, sha256).hash,
];

async function appendRow(
  session: TxSession,
  chain: AuditChainId,
  entries: readonly AuditEntry[],
): Promise<void> {
  const [at, text, genesis] = rowValues(chain, entries);
  if (session.onCitus) {
    type Link = { last_seq: string; last_hash: string };
    const [link] = await session.rows<Link>(APPEND_LINK, [chain, text, genesis]);
    if (link === undefined) throw new DatabaseError('audit_append_link wrote no row.');
    session.send(APPEND_ROW, [chain, link.last_seq, at, text, link.last_hash]);
  } else {
    session.send(APPEND, [chain, at, text, genesis]);
  }
}

/** Each chain once, in order. */
function appendRows(session: TxSession, rows: readonly AuditRowEvents[]): void {
  const chains = rows.map(({ chain }) => chain);
  session.send(START_CHAINS, [chains, chains.map((chain) => firstLink(chain, sha256).hash)]);
  session.send(LOCK_CHAINS, [chains]);
  session.send(APPEND_TO_MANY, [
    chains,
    rows.map(({ entries }) => timestamp(entries[0]?.at ?? 0)),
    rows.map(({ entries }) => auditText(entries)).join('\n'),
  ]);
}

/** As the last statements of a transaction: the locks on the chains are held until the commit. */
export async function appendToAuditTrail(session: TxSession, events: readonly AuditEvent[]): Promise<void> {
  const inOrder = events.length > 1 ? [...events].sort(byChain) : events;
  for (const { chain, entry } of inOrder) await appendRow(session, chain, [entry]);
}

export interface PgAuditTrail extends AuditTrail {
  /**
   * Removes the oldest recorded event of a firm, for a statement with {@link appendWithin}: a statement for it alone would
   * be a tenth of the cost of an acceptance. Null if there is none, if there are events of other chains, whose locks are
   * taken in order, and on Citus, which runs single statements.
   */
  take(firmId: FirmId): RowValues | null;
  /** Writes what was recorded; called once, before the commit. */
  write(): Promise<void>;
}

export function pgAuditTrail(session: TxSession): PgAuditTrail {
  const events: AuditEvent[] = [];
  return {
    async record(event) {
      events.push(event);
    },
    take(firmId) {
      if (session.onCitus || events.some(({ chain }) => chain !== firmId)) return null;
      const event = events.shift();
      return event === undefined ? null : rowValues(event.chain, [event.entry]);
    },
    write: () => appendToAuditTrail(session, events),
  };
}

/** Rows per transaction, which holds the locks on their chains. */
const BATCH_ROWS = 50;

export const pgAuditLog = (database: Pick<Database, 'begin'>): AuditLog => ({
  async append(events) {
    for (const rows of batchesOf(auditRowsOf(events).sort(byChain))) {
      await transact(database, async (transaction) => {
        transaction.send(WITHOUT_FLUSH, []);
        // The chains are on several nodes of Citus.
        if (transaction.onCitus)
          for (const { chain, entries } of rows) await appendRow(transaction, chain, entries);
        else appendRows(transaction, rows);
      });
    }
  },
});

/** With each chain once in a batch. A busy one has several rows, one after the other. */
function batchesOf(rows: readonly AuditRowEvents[]): AuditRowEvents[][] {
  const batches: AuditRowEvents[][] = [];
  let batch: AuditRowEvents[] = [];
  for (const row of rows) {
    if (batches.length === 0 || batch.length === BATCH_ROWS || batch.at(-1)?.chain === row.chain) {
      batch = [];
      batches.push(batch);
    }
    batch.push(row);
  }
  return batches;
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
      type Ends = { last_seq: string; last_hash: string; purged_seq: string; purged_hash: string };
      const row = isUuid(chain) ? first(await session.rows<Ends>(CHAIN, [chain])) : null;
      if (row === null) return null;
      const ends: AuditChain = {
        last: { seq: Number(row.last_seq), hash: row.last_hash },
        purged: { seq: Number(row.purged_seq), hash: row.purged_hash },
      };
      return ends;
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
