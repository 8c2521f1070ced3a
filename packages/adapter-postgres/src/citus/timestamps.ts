import type { FirmId, Instant } from '@svc/domain';
import { timestampAfterLast } from '../claims/feed-timestamps.ts';
import { timestamp } from '../driver/column-types.ts';
import { DatabaseError } from '../driver/errors.ts';
import { first, sql, type TxSession } from '../driver/session.ts';
import type { AuditRowValues } from '../stores/audit-rows.ts';
import { advanceChain, appendWithLink, type Link } from '../stores/pg-audit.ts';

const nextTimestamp = (alsoSet: string): string => `UPDATE firm_feeds AS feed
     SET last_stamp = ${timestampAfterLast('$2')}${alsoSet} WHERE firm_id = $1 RETURNING last_stamp`;
const TAKE = sql('claims_take_timestamp', nextTimestamp(''));
const TAKE_WITH_AUDIT = sql(
  'claims_take_timestamp_with_audit',
  `${nextTimestamp(`, ${advanceChain('$3')}`)}, audit_seq, encode(audit_hash, 'hex') AS audit_hash`,
);

/**
 * Takes the next timestamp of a feed, and appends an event to the audit trail. In separate statements: Citus would run the
 * rows of a WITH through the coordinator, and plan it again on every execution.
 */
export async function takeTimestamp(
  session: TxSession,
  firmId: FirmId,
  now: Instant,
  event: AuditRowValues | null,
): Promise<string> {
  const values = [firmId, timestamp(now)];
  type Taken = Link & { readonly last_stamp: Instant };
  const taken = first(
    await (event === null
      ? session.rows<Taken>(TAKE, values)
      : session.rows<Taken>(TAKE_WITH_AUDIT, [...values, event[2]])),
  );
  if (taken === null) throw new DatabaseError('The change feed of the firm does not exist.');
  if (event !== null) appendWithLink(session, firmId, event, taken);
  return timestamp(taken.last_stamp);
}
