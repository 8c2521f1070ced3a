import type { AuditEvent } from '@svc/application';
import type { FirmId, Instant } from '@svc/domain';
import { arrayOf, timestamp } from '../driver/column-types.ts';
import type { Value } from '../driver/executor.ts';
import { auditRowPerChain, rowColumns } from '../stores/audit-rows.ts';
import { advanceChain, INSERT_ROW } from '../stores/pg-audit.ts';

/**
 * The next timestamp of a change feed. Distributed tables allow only immutable expressions here, and adding an interval to a
 * timestamptz depends on the session's time zone.
 */
export const timestampAfterLast = (now: string): string =>
  `greatest(${now}::timestamptz, (feed.last_stamp AT TIME ZONE 'UTC' + interval '1 ms') AT TIME ZONE 'UTC')`;

/**
 * For a statement with {@link feedValues}: claims of a firm take consecutive timestamps of its feed, from `first_stamp` of
 * `next` on, and their events share a row of its trail, with texts as in `audit_append_to_many`.
 * @param locking `SKIP LOCKED` leaves out the firms whose feed is locked. Those that wait take the locks in one order.
 */
export const takeTimestampsAndAudit = (locking: '' | 'SKIP LOCKED'): string =>
  `locked_feeds AS MATERIALIZED (
     SELECT firm_id FROM firm_feeds WHERE firm_id = ANY ($2::uuid[])
      ORDER BY firm_id FOR NO KEY UPDATE ${locking}),
   next AS (
     UPDATE firm_feeds AS feed
        SET last_stamp = ${timestampAfterLast('$1')} + (row.claims - 1) * interval '1 ms', ${advanceChain('row.digest')}
       FROM unnest($2::uuid[], $3::integer[], $4::timestamptz[], string_to_array($5, E'\\n'), $6::text[])
         AS row (firm_id, claims, at, entry, digest) JOIN locked_feeds USING (firm_id)
      WHERE feed.firm_id = row.firm_id
      RETURNING feed.firm_id, feed.last_stamp - (row.claims - 1) * interval '1 ms' AS first_stamp,
        feed.audit_seq, row.at, row.entry, feed.audit_hash),
   recorded AS (
     ${INSERT_ROW} SELECT firm_id, audit_seq, at, entry, audit_hash FROM next)`;

/** @param events one of each claim. */
export function feedValues(now: Instant, events: readonly AuditEvent[]): Value[] {
  const rows = auditRowPerChain(events);
  const { chains, times, texts, digests } = rowColumns(rows);
  const counts = arrayOf(rows.map(({ entries }) => String(entries.length)));
  return [timestamp(now), chains, counts, times, texts, digests];
}

/** The ordinal of each claim among those of its firm, for its timestamp. */
export function ordinalsOf(firms: readonly FirmId[]): string {
  const nextOrdinals = new Map<FirmId, number>();
  return arrayOf(
    firms.map((firmId) => {
      const ordinal = nextOrdinals.get(firmId) ?? 0;
      nextOrdinals.set(firmId, ordinal + 1);
      return String(ordinal);
    }),
  );
}
