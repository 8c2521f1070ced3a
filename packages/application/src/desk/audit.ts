import { DAY, type FirmId, type Instant, MAX_VERIFIED_DAYS } from '@svc/domain';
import {
  type AuditVerification,
  type StoredAuditEntry,
  storedAuditEntries,
  verifyAuditChain,
} from '../audit/chain.ts';
import { firmObject, recordAction } from '../audit/events.ts';
import type { AuditCaller } from '../model/audit.ts';
import { AT_ONCE, mayReadOn, type NextPiece } from '../model/next-piece.ts';
import type { KeysetPosition, Page, PageRequest } from '../model/page.ts';
import { createPageFit } from '../model/page-size.ts';
import type { Needs } from '../ports/needs.ts';

interface AuditFilter {
  readonly since?: Instant | undefined;
  readonly until?: Instant | undefined;
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly object?: string | undefined;
  readonly requestId?: string | undefined;
}

/** An event, and the row of the chain that holds it with others. */
export interface AuditItem {
  /** The number of the row and that of the event in it. */
  readonly id: string;
  readonly seq: number;
  readonly hash: string;
  readonly entry: StoredAuditEntry;
}

/** Rows that one page may read. */
const MAX_ROWS = 4000;
/** A piece: parsing so many rows takes a few milliseconds. */
const ROWS_AT_ONCE = 100;

const matches = (entry: StoredAuditEntry, { actor, action, object, requestId }: AuditFilter): boolean =>
  (actor === undefined || entry.actor === actor) &&
  (action === undefined || entry.action === action) &&
  (object === undefined || entry.object === object) &&
  (requestId === undefined || entry.request_id === requestId);

/**
 * The events of a firm, latest first. A page ends after a number of rows were read, so one without a match can have a next
 * page. A position is the number of a row and that of the event in it.
 */
export const makeListAudit =
  ({ auditReads }: Needs<'auditReads'>) =>
  async (
    firmId: FirmId,
    filter: AuditFilter,
    page: PageRequest,
    nextPiece: NextPiece = AT_ONCE,
  ): Promise<Page<AuditItem>> => {
    const { since, until } = filter;
    const { after } = page;
    const fits = createPageFit(page);
    const found: AuditItem[] = [];
    const chain = await auditReads.chain(firmId);
    // A row is found by its first event, which may be from before the period.
    const from = since === undefined ? undefined : since - DAY;
    const [latest] = after === null ? await auditReads.latest(firmId, { limit: 1, since: from, until }) : [];
    let seq = after?.at ?? latest?.seq ?? 0;
    const oldest = chain === null ? 0 : chain.purged.seq;
    for (let read = 0; seq > oldest && (await mayReadOn(nextPiece, read, MAX_ROWS)); read += ROWS_AT_ONCE) {
      const before = Math.max(oldest, seq - ROWS_AT_ONCE);
      const rows = await auditReads.rows(firmId, { after: before, limit: seq - before });
      for (const row of rows.reverse()) {
        const entries = storedAuditEntries(row.text);
        for (let index = entries.length - 1; index >= 0; index -= 1) {
          const entry = entries[index];
          const isBefore = after === null || row.seq < after.at || index < Number(after.id);
          if (entry === undefined || !isBefore || !matches(entry, filter)) continue;
          const at = Date.parse(entry.at);
          if ((since !== undefined && at < since) || (until !== undefined && at >= until)) continue;
          if (!fits(JSON.stringify(entry).length))
            return { rows: found, next: { at: row.seq, id: String(index + 1) } };
          found.push({ id: `${row.seq}.${index}`, seq: row.seq, hash: row.hash, entry });
        }
      }
      seq = before;
      // Rows are stored within seconds, or after an outage.
      if (since !== undefined && rows.every(({ at }) => at < since - DAY)) return { rows: found, next: null };
    }
    return { rows: found, next: seq > oldest ? { at: seq + 1, id: '0' } : null };
  };

/** The longest period that is verified at once: the whole chain may take minutes, which the operator can wait for. */
const MAX_VERIFIED_MS = MAX_VERIFIED_DAYS * DAY;

/** Computes the hashes of a period, or of what an earlier request left of it, as far as the time of a request goes. */
export const makeVerifyAudit =
  (deps: Needs<'uow' | 'auditReads' | 'sha256' | 'clock'>) =>
  async (
    caller: AuditCaller,
    firmId: FirmId,
    { after, ...period }: Pick<AuditFilter, 'since' | 'until'> & { readonly after?: KeysetPosition | null },
    nextPiece: NextPiece = AT_ONCE,
  ): Promise<(AuditVerification & { readonly next: KeysetPosition | null }) | null> => {
    const { auditReads: reads, sha256, clock } = deps;
    const { until = clock.now() + 1, since = until - MAX_VERIFIED_MS } = period;
    const verified = await verifyAuditChain({ reads, sha256, nextPiece }, firmId, {
      since: Math.max(since, until - MAX_VERIFIED_MS),
      until,
      after: after == null ? undefined : { seq: after.at, hash: after.id },
    });
    // To record it would begin another chain.
    if (verified === null) return null;
    const outcome = verified.intact ? 'ok' : verified.problem;
    await deps.uow.run((tx) =>
      recordAction(tx, firmId, caller, {
        at: deps.clock.now(),
        action: 'audit.verify',
        object: firmObject(firmId),
        outcome,
      }),
    );
    const isPart = verified.intact && verified.isPart === true;
    return { ...verified, next: isPart ? { at: verified.last.seq, id: verified.last.hash } : null };
  };
