import { DAY, type FirmId, type Instant } from '@svc/domain';
import {
  type AuditVerification,
  type Sha256,
  type StoredAuditEntry,
  storedAuditEntries,
  verifyAuditChain,
} from '../audit/chain.ts';
import { type AuditCaller, firmObject, recordAction } from '../audit/events.ts';
import type { Page, PageRequest } from '../model/page.ts';
import { createPageFit } from '../model/page-size.ts';
import type { AuditReads } from '../ports/audit-reads.ts';
import type { Clock } from '../ports/clock.ts';
import type { UnitOfWork } from '../ports/unit-of-work.ts';

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
const ROWS_AT_ONCE = 400;

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
  ({ auditReads }: { readonly auditReads: AuditReads }) =>
  async (firmId: FirmId, filter: AuditFilter, page: PageRequest): Promise<Page<AuditItem>> => {
    const { since, until } = filter;
    const { after } = page;
    const fits = createPageFit(page);
    const found: AuditItem[] = [];
    const chain = await auditReads.chain(firmId);
    const [latest] = after === null ? await auditReads.latest(firmId, { limit: 1, since, until }) : [];
    let seq = after?.at ?? latest?.seq ?? 0;
    const oldest = chain === null ? 0 : chain.purged.seq;
    for (let read = 0; read < MAX_ROWS && seq > oldest; read += ROWS_AT_ONCE) {
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
export const MAX_VERIFIED_MS = 31 * DAY;

/** Computes the hashes of a period again. */
export const makeVerifyAudit =
  (deps: {
    readonly uow: UnitOfWork;
    readonly auditReads: AuditReads;
    readonly sha256: Sha256;
    readonly clock: Clock;
  }) =>
  async (
    caller: AuditCaller,
    firmId: FirmId,
    { until = deps.clock.now() + 1, since = until - MAX_VERIFIED_MS }: Pick<AuditFilter, 'since' | 'until'>,
  ): Promise<AuditVerification | null> => {
    const from = Math.max(since, until - MAX_VERIFIED_MS);
    const { auditReads: reads, sha256 } = deps;
    const verified = await verifyAuditChain({ reads, sha256 }, firmId, { since: from, until });
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
    return verified;
  };
