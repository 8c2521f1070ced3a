import { type AuditAction, type ClaimId, type Instant, SHORTEST_AUDIT_RETENTION_MS } from '@svc/domain';
import type {
  AnswerOnDevice,
  AuditChainId,
  AuditChanges,
  AuditEntry,
  AuditLink,
  AuditRow,
} from '../model/audit.ts';
import { toDateTime, toDateTimeOrNull } from '../model/date-time.ts';
import { AT_ONCE, mayReadOn, type NextPiece } from '../model/next-piece.ts';
import type { AuditReads } from '../ports/audit-reads.ts';

/** SHA-256 of a UTF-8 text, or of the bytes that a hexadecimal text stands for; hexadecimal. */
export type Sha256 = (text: string, encoding?: 'utf8' | 'hex') => string;

/** JSON with members in a fixed order, since the text is hashed; twice as fast as an object for `JSON.stringify`. */
function textOf(entry: AuditEntry): string {
  const { at, actor, address, action, object, claims, device, changes, outcome, requestId } = entry;
  return `{"at":"${toDateTime(at)}","actor":${JSON.stringify(actor)},"address":${JSON.stringify(address)},"action":"${action}","object":${JSON.stringify(object)}${claims === undefined ? '' : `,"claims":${JSON.stringify(claims)}`}${device === undefined ? '' : `,"device":${JSON.stringify(storedAnswer(device))}`}${changes === undefined ? '' : `,"changes":${JSON.stringify(changes)}`},"outcome":${JSON.stringify(outcome)},"request_id":${JSON.stringify(requestId)}}`;
}

const storedAnswer = ({ answeredAt, keptOfflineSince }: AnswerOnDevice) => ({
  answered_at: toDateTime(answeredAt),
  kept_offline_since: toDateTimeOrNull(keptOfflineSince),
});

/** What is stored and hashed: one event, or a list of several. */
export function auditText(entries: readonly AuditEntry[]): string {
  const texts = entries.map(textOf);
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(',')}]`;
}

/** An event as it is exported. */
export interface StoredAuditEntry {
  readonly at: string;
  readonly actor: string;
  readonly address: string | null;
  readonly action: AuditAction;
  readonly object: string | null;
  readonly claims?: readonly ClaimId[];
  readonly device?: ReturnType<typeof storedAnswer>;
  readonly changes?: AuditChanges;
  readonly outcome: string;
  readonly request_id: string | null;
}

/** The events of a row; members that a later release added are kept. */
export const storedAuditEntries = (text: string): StoredAuditEntry[] => [JSON.parse(text)].flat();

export const auditEntriesFrom = (text: string): AuditEntry[] =>
  storedAuditEntries(text).map(({ at, request_id: requestId, device, ...entry }) => ({
    ...entry,
    ...(device !== undefined && { device: answerFrom(device) }),
    at: Date.parse(at),
    requestId,
  }));

const answerFrom = (stored: ReturnType<typeof storedAnswer>): AnswerOnDevice => ({
  answeredAt: Date.parse(stored.answered_at),
  keptOfflineSince: stored.kept_offline_since === null ? null : Date.parse(stored.kept_offline_since),
});

/** A chain starts from its id, so that rows cannot be moved to another chain. */
export const firstLink = (chain: AuditChainId, sha256: Sha256): AuditLink => ({
  seq: 0,
  hash: sha256(chain),
});

/**
 * Each hash covers the one before, so a changed or missing row breaks every later one. It covers the row by the digest
 * of its text, which the service computes, so that the database hashes 64 bytes while it holds the lock on the chain.
 */
export const nextLink = (previous: AuditLink, text: string, sha256: Sha256): AuditLink => ({
  seq: previous.seq + 1,
  hash: sha256(previous.hash + sha256(text), 'hex'),
});

export type AuditVerification =
  | {
      readonly intact: true;
      readonly rows: number;
      readonly last: AuditLink;
      /** The check ended before the end of the period. */
      readonly isPart?: true;
    }
  /** The first row with a problem. */
  | {
      readonly intact: false;
      readonly seq: number;
      /**
       * `outside`: after the latest row or before the oldest, so that no hash covers it. `purged`: deleted with all rows
       * before it, without an event of the chain that says so, or before the retention ended.
       */
      readonly problem: 'changed' | 'missing' | 'outside' | 'purged';
    };

const PAGE_ROWS = 2000;
/** A piece: hashing and parsing so many rows takes a few milliseconds. */
const PIECE_ROWS = 100;

interface AuditCheck {
  readonly since?: Instant | undefined;
  readonly until?: Instant | undefined;
  /** A row that was noted before. Without it, a chain that somebody has computed again as a whole is intact. */
  readonly known?: AuditLink | undefined;
  /** Continues after this row, up to which an earlier check of the same period came. */
  readonly after?: AuditLink | undefined;
}

/**
 * Computes the hashes of a chain again, up to its latest row at the start of the check, or of the rows of a period and
 * of the one before and after it. Null: there is no such chain.
 */
export async function verifyAuditChain(
  deps: {
    readonly reads: AuditReads;
    readonly sha256: Sha256;
    /** Checks in pieces. */
    readonly nextPiece?: NextPiece;
  },
  chain: AuditChainId,
  check: AuditCheck = {},
): Promise<AuditVerification | null> {
  const { reads, sha256, nextPiece } = deps;
  const pageRows = nextPiece === undefined ? PAGE_ROWS : PIECE_ROWS;
  const ends = await reads.chain(chain);
  if (ends === null) return null;
  const { purged, last } = ends;
  const outside = await reads.outside(chain);
  if (outside !== null) return { intact: false, seq: outside, problem: 'outside' };
  if (purged.seq === 0 && purged.hash !== firstLink(chain, sha256).hash)
    return { intact: false, seq: 0, problem: 'changed' };
  const { since, until, known, after } = check;
  const isWhole = since === undefined && until === undefined;
  if (known !== undefined) {
    const [row] = await reads.rows(chain, { after: known.seq - 1, limit: 1 });
    const stored = known.seq === purged.seq ? purged : row;
    if (stored?.seq !== known.seq) return { intact: false, seq: known.seq, problem: 'missing' };
    if (stored.hash !== known.hash) return { intact: false, seq: known.seq, problem: 'changed' };
  }
  let [from, to] = [purged.seq + 1, last.seq];
  // With the rows beside the period: otherwise rows that were removed at its ends would not show.
  if (since !== undefined) {
    const [first] = await reads.rows(chain, { after: 0, limit: 1, since });
    from = (first?.seq ?? last.seq + 1) - 1;
  }
  if (until !== undefined) {
    const [latest] = await reads.latest(chain, { limit: 1, until });
    to = Math.min(to, (latest?.seq ?? purged.seq) + 1);
  }
  // Rows between the known one and the period connect them.
  if (known !== undefined) {
    from = Math.min(from, known.seq);
    to = Math.max(to, known.seq);
  }
  let link = purged;
  if (after !== undefined && after.seq >= purged.seq) link = after;
  else if (from > purged.seq + 1) {
    const [before] = await reads.rows(chain, { after: from - 2, limit: 1 });
    // Where it is missing, the check runs from the start of the chain and finds the first missing row.
    if (before?.seq === from - 1) link = before;
  }

  let rows = 0;
  let lastPurge: ReturnType<typeof purgeFrom> | null = null;
  let isPart = false;
  for (const first = link.seq; link.seq < to; ) {
    isPart = !(await mayReadOn(nextPiece ?? AT_ONCE, link.seq - first, to));
    if (isPart) break;
    const page = await reads.rows(chain, { after: link.seq, limit: Math.min(pageRows, to - link.seq) });
    if (page[0]?.seq !== link.seq + 1) {
      // Retention may have deleted the oldest rows since the check started.
      const now = (await reads.chain(chain)) ?? ends;
      if (now.purged.seq > link.seq) return verifyAuditChain(deps, chain, check);
      return { intact: false, seq: link.seq + 1, problem: 'missing' };
    }
    for (const row of page) {
      const seq = link.seq + 1;
      if (row.seq !== seq) return { intact: false, seq, problem: 'missing' };
      const expected = nextLink(link, row.text, sha256).hash;
      const first = firstEventOf(row);
      // The column by which rows are searched is not hashed itself.
      if (row.hash !== expected || first?.at !== row.at) return { intact: false, seq, problem: 'changed' };
      if (first.action === 'audit.purge') {
        lastPurge = purgeFrom(first);
        if (lastPurge.isEarly) return { intact: false, seq: lastPurge.seq || seq, problem: 'purged' };
      }
      link = row;
      if (row.at >= (since ?? row.at) && row.at < (until ?? Number.POSITIVE_INFINITY)) rows += 1;
    }
  }
  // The latest row of the chain is also held apart from the rows, with its hash.
  if (link.seq === last.seq && link.hash !== last.hash)
    return { intact: false, seq: link.seq, problem: 'changed' };
  // Each purge is recorded after the rows that it leaves, so the latest one is among them.
  if (isWhole && purged.seq > 0 && (lastPurge?.seq !== purged.seq || lastPurge.hash !== purged.hash))
    return { intact: false, seq: purged.seq, problem: 'purged' };
  return { intact: true, rows, last: { seq: link.seq, hash: link.hash }, ...(isPart && { isPart }) };
}

/** Null: the text is not an event. */
function firstEventOf({ text }: AuditRow): AuditEntry | null {
  try {
    return auditEntriesFrom(text)[0] ?? null;
  } catch {
    return null;
  }
}

/** The latest row that a purge deleted, as the function `purge_audit` of the database records it. */
function purgeFrom({ at, changes }: AuditEntry) {
  const latestAt = Date.parse(String(changes?.purged_until?.to));
  return {
    seq: Number(changes?.purged_seq?.to),
    hash: changes?.purged_hash?.to,
    isEarly: !(latestAt <= at - SHORTEST_AUDIT_RETENTION_MS),
  };
}
