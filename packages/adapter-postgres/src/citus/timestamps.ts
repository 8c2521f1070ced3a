import type { AuditChainId } from '@svc/application';
import type { FirmId, Instant } from '@svc/domain';
import { timestampAfterLast } from '../claims/feed-timestamps.ts';
import { timestamp } from '../driver/column-types.ts';
import { DatabaseError } from '../driver/errors.ts';
import { first, sql, type TransactionExecutor } from '../driver/executor.ts';
import type { AuditRowValues } from '../stores/audit-rows.ts';
import { advanceChain, INSERT_ROW, type Link } from '../stores/pg-audit.ts';

const nextTimestamp = (alsoSet: string): string => `UPDATE firm_feeds AS feed
     SET last_stamp = ${timestampAfterLast('$2')}${alsoSet} WHERE firm_id = $1 RETURNING last_stamp`;
const TAKE = sql('claims_take_timestamp', nextTimestamp(''));
const TAKE_WITH_AUDIT = sql(
  'claims_take_timestamp_with_audit',
  `${nextTimestamp(`, ${advanceChain('$3')}`)}, audit_seq, encode(audit_hash, 'hex') AS audit_hash`,
);

const APPEND_ROW = sql('audit_append_row', `${INSERT_ROW} VALUES ($1, $2, $3, $4, decode($5, 'hex'))`);

/** @param link the end of the chain, which a statement before has advanced. */
export const appendWithLink = (
  executor: TransactionExecutor,
  chain: AuditChainId,
  [at, text]: AuditRowValues,
  link: Link,
): void => executor.send(APPEND_ROW, [chain, link.audit_seq, at, text, link.audit_hash]);

/**
 * Takes the next timestamp of a feed, and appends an event to the audit trail. In separate statements: Citus would run the
 * rows of a WITH through the coordinator, and plan it again on every execution.
 */
export async function takeTimestamp(
  executor: TransactionExecutor,
  firmId: FirmId,
  now: Instant,
  event: AuditRowValues | null,
): Promise<{ readonly at: string; readonly auditSeq: string | null }> {
  const values = [firmId, timestamp(now)];
  type Taken = Link & { readonly last_stamp: Instant };
  const taken = first(
    await (event === null
      ? executor.rows<Taken>(TAKE, values)
      : executor.rows<Taken>(TAKE_WITH_AUDIT, [...values, event[2]])),
  );
  if (taken === null) throw new DatabaseError('The change feed of the firm does not exist.');
  if (event !== null) appendWithLink(executor, firmId, event, taken);
  return { at: timestamp(taken.last_stamp), auditSeq: event === null ? null : taken.audit_seq };
}
