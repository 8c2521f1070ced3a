import type { Claims } from '@svc/application';
import type { AssignmentStatus, Claim, ClaimId, FirmId, Svcid } from '@svc/domain';
import { isUuid } from '../driver/column-types.ts';
import { DatabaseError } from '../driver/errors.ts';
import { first, rowByKey, sql, type TransactionExecutor } from '../driver/executor.ts';
import type { Encryption } from '../encryption/encryption.ts';
import { PERSONAL } from '../encryption/personal-columns.ts';
import type { FirmStatements } from '../firm-statements.ts';
import { countEdit } from './adjuster-edits.ts';
import {
  CLAIM_COLUMNS,
  type ClaimRow,
  claimOfEveryFirm,
  claimsFrom,
  lockedRow,
  workValues,
} from './claim-rows.ts';
import { pgAdjusters } from './pg-adjusters.ts';
import type { EventSubjects } from './pg-audit.ts';
import { recordReminder } from './pg-offer-history.ts';

export const LOCK_CLAIM = sql(
  'claims_lock',
  rowByKey('claims c', { 'c.firm_id': '$1', 'c.id': '$2' }, { columns: CLAIM_COLUMNS, lock: 'FOR UPDATE' }),
);

const FIRM_OF_CLAIM = sql('claims_firm_of_claim', `SELECT c.firm_id FROM ${claimOfEveryFirm('$1')}`);

const LOCK_PENDING = sql(
  'claims_lock_pending',
  `SELECT ${CLAIM_COLUMNS} FROM claims c
    WHERE c.firm_id = $1 AND c.adjuster_svc_id = $2 AND c.status = 'pending_acceptance' AND c.closed_at IS NULL
    ORDER BY c.offered_at, c.id FOR UPDATE`,
);

const COUNT_PENDING = sql(
  'claims_count_pending',
  `SELECT coalesce(sum(pending.count), 0)::int AS count FROM memberships m CROSS JOIN LATERAL (
       SELECT count(*) FROM claims c WHERE c.firm_id = m.firm_id AND c.adjuster_svc_id = m.svc_id
          AND c.status = 'pending_acceptance' AND c.closed_at IS NULL) pending
    WHERE m.svc_id = $1`,
);

const SET_WORK = `UPDATE claims SET work_contact_date = $3::date, work_inspection_date = $4::date, work_notes = $5,
     work_details = $6::json, work_changed_at = $7, closed_at = $8, closed_by = $9, closure_reason = $10, withdrawn_by = $11,
     contacted_at = $12, contact_received_at = $13, inspected_at = $14, inspection_received_at = $15`;
const SAVE_WITHOUT_TIMESTAMP = sql(
  'claims_save_without_timestamp',
  `${SET_WORK} WHERE ctid = (${lockedRow('$1', '$2')})`,
);

const COUNT_CLOSING = sql(
  'feeds_count_closing',
  'UPDATE firm_feeds SET closings = closings + 1 WHERE firm_id = $1',
);

export async function lockClaim(
  executor: TransactionExecutor,
  encryption: Encryption,
  firmId: FirmId,
  id: ClaimId,
): Promise<Claim | null> {
  if (!isUuid(id)) return null;
  const rows = await executor.rows<ClaimRow>(LOCK_CLAIM, [firmId, id]);
  return first(await claimsFrom(encryption, rows));
}

export async function lockAndCountPending(
  executor: TransactionExecutor,
  encryption: Encryption,
  svcId: Svcid,
): Promise<number> {
  const [, rows] = await Promise.all([
    pgAdjusters(executor, encryption).lock(svcId),
    executor.rows<{ count: number }>(COUNT_PENDING, [svcId]),
  ]);
  return first(rows)?.count ?? 0;
}

const missing = (): DatabaseError =>
  new DatabaseError('The claim or the change feed of its firm does not exist.');

/**
 * @param changed receives the status of each claim that is saved.
 * @param subjects receives the claims whose pending offer ended without a response, and offers answered too late.
 */
export function pgClaims(
  executor: TransactionExecutor,
  statements: FirmStatements,
  encryption: Encryption,
  changed: AssignmentStatus[],
  { ended, late }: EventSubjects,
): Claims {
  return {
    lock: (firmId, id) => lockClaim(executor, encryption, firmId, id),

    async lockOfferedTo(svcId, id) {
      if (!isUuid(id)) return null;
      return first(await statements.lockOffered([{ svcId, id }], 'wait'));
    },

    async lockAny(id) {
      if (!isUuid(id)) return null;
      const found = first(await executor.rows<{ firm_id: FirmId }>(FIRM_OF_CLAIM, [id]));
      return found === null ? null : lockClaim(executor, encryption, found.firm_id, id);
    },

    async lockPendingOf(firmId, svcId) {
      const rows = await executor.rows<ClaimRow>(LOCK_PENDING, [firmId, svcId]);
      return claimsFrom(encryption, rows);
    },

    async save(claim) {
      const updatedAt = await statements.saveOne(claim);
      // The claim was locked.
      if (updatedAt === null) throw missing();
      changed.push(claim.assignment.status);
      if (claim.assignment.status === 'unassigned') ended.push(claim);
      return { ...claim, updatedAt };
    },

    async saveWithoutTimestamp(claim) {
      const { firmId, id } = claim;
      const encrypt = await encryption.encryptor(PERSONAL.claims, firmId, id);
      const values = [firmId, id, ...workValues(claim, encrypt)];
      executor.send(SAVE_WITHOUT_TIMESTAMP, values, (count) => (count === 1 ? null : missing()));
      countEdit(executor, claim.assignment.adjuster);
      if (claim.closedAt !== null) executor.send(COUNT_CLOSING, [firmId]);
      if (claim.closedAt !== null && claim.assignment.status === 'pending_acceptance') ended.push(claim);
    },

    async recordLateAnswer(offer) {
      late.push(offer);
    },

    recordReminder: (offer, step, at) => recordReminder(executor, offer, step, at),
  };
}
