import type { Claims, Clock, OfferedClaim } from '@svc/application';
import type {
  Assignment,
  AssignmentStatus,
  Claim,
  ClaimAccess,
  ClaimId,
  FirmId,
  Instant,
  Svcid,
} from '@svc/domain';
import { takeTimestamp } from '../citus/timestamps.ts';
import { timestampAfterLast } from '../claims/feed-timestamps.ts';
import type { Locking } from '../claims/groups.ts';
import { arrayOf, isUuid, timestamp, timestampOrNull } from '../driver/column-types.ts';
import { DatabaseError } from '../driver/errors.ts';
import { byAdjuster, rowsByAdjuster } from '../driver/layout.ts';
import { first, rowByKey, sql, type TxSession, type Value } from '../driver/session.ts';
import type { Encrypt, Encryption } from '../encryption/encryption.ts';
import { PERSONAL } from '../encryption/personal-columns.ts';
import { countEdit } from './adjuster-edits.ts';
import {
  CLAIM_FORMS,
  HELD_CARRIER_COLUMNS,
  HELD_CARRIER_FIELDS,
  type HeldCarrierRow,
  heldCarrierFrom,
} from './carrier-rows.ts';
import {
  CLAIM_COLUMNS,
  CLAIM_FIELDS,
  type ClaimRow,
  claimFrom,
  claimKey,
  claimOfEveryFirm,
} from './claim-rows.ts';
import { pgAdjusters } from './pg-adjusters.ts';

const LOCK = sql(
  'claims_lock',
  rowByKey('claims c', { 'c.firm_id': '$1', 'c.id': '$2' }, { columns: CLAIM_COLUMNS, lock: 'FOR UPDATE' }),
);

interface AccessRow {
  readonly member_status: ClaimAccess['status'];
  readonly can_accept_claims: boolean;
  readonly readable_until: Instant | null;
}
const ACCESS_COLUMNS = 'm.status AS member_status, m.can_accept_claims, m.readable_until';

interface FormRow extends HeldCarrierRow {
  readonly firm_name: string;
  readonly offer_wait_hours: number | null;
}
const FORM_COLUMNS = `f.name AS firm_name, f.offer_wait_hours, ${HELD_CARRIER_COLUMNS}`;

type OfferedRow = ClaimRow & AccessRow & FormRow;
/** An adjuster and a claim. */
interface Response {
  readonly svcId: Svcid;
  readonly id: ClaimId;
}

/**
 * Searches the firms that the adjuster ever belonged to: accepted claims stay after leaving. Locks the membership before
 * the claim. One statement, since each costs the driver and PostgreSQL processor time besides its work.
 */
const lockOfferedWith = (locking: Locking): string =>
  `SELECT ${CLAIM_COLUMNS}, ${ACCESS_COLUMNS}, ${FORM_COLUMNS}
     FROM unnest($1::text[], $2::uuid[]) AS response (svc_id, id) CROSS JOIN LATERAL (
       SELECT * FROM memberships m WHERE svc_id = response.svc_id AND EXISTS (
           SELECT FROM (${rowByKey('claims', { firm_id: 'm.firm_id', id: 'response.id' })}) c
            WHERE adjuster_svc_id = response.svc_id)
          FOR SHARE ${locking}) m
     CROSS JOIN LATERAL (
       ${rowByKey('claims', { firm_id: 'm.firm_id', id: 'response.id' }, { lock: `FOR UPDATE ${locking}` })}) c
     ${CLAIM_FORMS} WHERE c.adjuster_svc_id = response.svc_id`;
const LOCK_OFFERED = {
  'SKIP LOCKED': sql('claims_lock_offered_available', lockOfferedWith('SKIP LOCKED')),
  '': sql('claims_lock_offered', lockOfferedWith('')),
};

async function offeredFrom(rows: OfferedRow[], encryption: Encryption): Promise<OfferedClaim[]> {
  await encryption.decrypt(rows, HELD_CARRIER_FIELDS, ({ firm_id, held_key }) => ({
    firmId: firm_id,
    key: held_key ?? '',
  }));
  await encryption.decrypt(rows, CLAIM_FIELDS, claimKey);
  return rows.map((row) => ({
    claim: claimFrom(row),
    membership: {
      status: row.member_status,
      canAcceptClaims: row.can_accept_claims,
      readableUntil: row.readable_until,
    },
    forms: {
      firm: { id: row.firm_id, name: row.firm_name },
      offerWaitHours: row.offer_wait_hours,
      bookCarrier: heldCarrierFrom(row),
    },
  }));
}

const FIND_SENDER = byAdjuster(
  'claims_find_sender',
  (inFirms) => `SELECT m.firm_id FROM memberships m JOIN claims c ON c.firm_id = m.firm_id AND c.id = $2
    WHERE m.svc_id = $1 ${inFirms}`,
);
/** Where tables are distributed, after the firm was found. */
const LOCK_ACCESS = sql(
  'claims_lock_access',
  `SELECT ${ACCESS_COLUMNS} FROM memberships m WHERE m.firm_id = $1 AND m.svc_id = $2 FOR SHARE`,
);
const FORMS_OF_CLAIM = sql(
  'claims_forms',
  `SELECT ${FORM_COLUMNS} FROM claims c ${CLAIM_FORMS} WHERE c.firm_id = $1 AND c.id = $2`,
);

const FIRM_OF_CLAIM = sql('claims_firm_of_claim', `SELECT c.firm_id FROM ${claimOfEveryFirm('$1')}`);

const LOCK_PENDING = sql(
  'claims_lock_pending',
  `SELECT ${CLAIM_COLUMNS} FROM claims c
    WHERE c.firm_id = $1 AND c.adjuster_svc_id = $2 AND c.status = 'pending_acceptance' AND c.closed_at IS NULL
    ORDER BY c.offered_at, c.id FOR UPDATE`,
);

const COUNT_PENDING = byAdjuster(
  'claims_count_pending',
  (inFirms) => `SELECT coalesce(sum(pending.count), 0)::int AS count FROM memberships m CROSS JOIN LATERAL (
       SELECT count(*) FROM claims c WHERE c.firm_id = m.firm_id AND c.adjuster_svc_id = m.svc_id
          AND c.status = 'pending_acceptance' AND c.closed_at IS NULL) pending
    WHERE m.svc_id = $1 ${inFirms}`,
);

const SET_CLAIM = `UPDATE claims SET status = $4, adjuster_svc_id = $5, offered_at = $6, responded_at = $7,
     rejection_reason = $8, work_contact_date = $9::date, work_inspection_date = $10::date, work_notes = $11,
     work_details = $12::json, work_changed_at = $13, closed_at = $14`;
/**
 * Of a claim that the transaction has locked, so that it does not move. An UPDATE has no order that would determine its
 * index, as in {@link rowByKey}.
 */
export const lockedRow = (firm: string, id: string): string =>
  rowByKey('claims', { firm_id: firm, id }, { columns: 'ctid' });
/** Takes the next timestamp. The row of the feed stays locked until commit, so feed order is commit order. */
const SAVE = sql(
  'claims_save',
  `WITH next AS (UPDATE firm_feeds AS feed SET last_stamp = ${timestampAfterLast('$2')}
     WHERE firm_id = $1 RETURNING last_stamp)
   ${SET_CLAIM}, updated_at = last_stamp FROM next WHERE ctid = (${lockedRow('$1', '$3')}) RETURNING updated_at`,
);
/** After `takeTimestamp`, where tables are distributed. */
export const SAVE_WITH_TIMESTAMP = sql(
  'claims_save_with_timestamp',
  `${SET_CLAIM}, updated_at = $2 WHERE firm_id = $1 AND id = $3 RETURNING updated_at`,
);

const SET_WORK = `UPDATE claims SET work_contact_date = $3::date, work_inspection_date = $4::date, work_notes = $5,
     work_details = $6::json, work_changed_at = $7, closed_at = $8`;
const SAVE_WITHOUT_TIMESTAMP = sql(
  'claims_save_without_timestamp',
  `${SET_WORK} WHERE ctid = (${lockedRow('$1', '$2')})`,
);

export const assignmentValues = (assignment: Assignment, encrypt: Encrypt): (string | null)[] => [
  assignment.status,
  assignment.adjuster,
  timestamp(assignment.offeredAt),
  timestampOrNull(assignment.respondedAt),
  encrypt('rejection_reason', assignment.rejectionReason),
];

export const workValues = ({ work, workChangedAt, closedAt }: Claim, encrypt: Encrypt): Value[] => [
  work.contactDate,
  work.inspectionDate,
  encrypt('work_notes', work.notes),
  encrypt('work_details', work.details === undefined ? null : JSON.stringify(work.details)),
  timestampOrNull(workChangedAt ?? null),
  timestampOrNull(closedAt),
];

export async function lockClaim(
  session: TxSession,
  encryption: Encryption,
  firmId: FirmId,
  id: ClaimId,
): Promise<Claim | null> {
  if (!isUuid(id)) return null;
  const rows = await session.rows<ClaimRow>(LOCK, [firmId, id]);
  return first((await encryption.decrypt(rows, CLAIM_FIELDS, claimKey)).map(claimFrom));
}

/** Those of the claims whose latest offer is to the adjuster, with a shared lock on the membership. */
export async function lockOffered(
  session: TxSession,
  encryption: Encryption,
  responses: readonly Response[],
  locking: Locking,
): Promise<OfferedClaim[]> {
  const values = [responses.map(({ svcId }) => svcId), arrayOf(responses.map(({ id }) => id))];
  const rows = session.layout.joinsFirms
    ? await session.rows<OfferedRow>(LOCK_OFFERED[locking], values)
    : (await Promise.all(responses.map((response) => lockOfferedOnShard(session, response)))).flat();
  return offeredFrom(rows, encryption);
}

async function lockOfferedOnShard(session: TxSession, { svcId, id }: Response): Promise<OfferedRow[]> {
  // A statement locks rows of only one firm.
  const firm = first(await rowsByAdjuster<{ firm_id: FirmId }>(session, FIND_SENDER, [svcId, id]));
  if (firm === null) return [];
  const firmId = firm.firm_id;
  const [access, claim, forms] = await Promise.all([
    session.rows<AccessRow>(LOCK_ACCESS, [firmId, svcId]).then(first),
    session.rows<ClaimRow>(LOCK, [firmId, id]).then(first),
    session.rows<FormRow>(FORMS_OF_CLAIM, [firmId, id]).then(first),
  ]);
  return claim?.adjuster_svc_id === svcId && access && forms ? [{ ...access, ...claim, ...forms }] : [];
}

/** The lock on the account lets one sender at a time count and add an offer. */
export async function lockAndCountPending(
  session: TxSession,
  encryption: Encryption,
  svcId: Svcid,
): Promise<number> {
  const [, rows] = await Promise.all([
    pgAdjusters(session, encryption).lock(svcId),
    rowsByAdjuster<{ count: number }>(session, COUNT_PENDING, [svcId]),
  ]);
  return first(rows)?.count ?? 0;
}

const missing = (): DatabaseError =>
  new DatabaseError('The claim or the change feed of its firm does not exist.');

/** @param changed receives the status of each claim that is saved. */
export function pgClaims(
  session: TxSession,
  clock: Clock,
  encryption: Encryption,
  changed: AssignmentStatus[],
): Claims {
  const encryptor = (claim: Claim) => encryption.encryptor(PERSONAL.claims, claim.firmId, claim.id);
  return {
    lock: (firmId, id) => lockClaim(session, encryption, firmId, id),

    async lockOfferedTo(svcId, id) {
      return isUuid(id) ? first(await lockOffered(session, encryption, [{ svcId, id }], '')) : null;
    },

    async lockAny(id) {
      if (!isUuid(id)) return null;
      const found = first(await session.rows<{ firm_id: FirmId }>(FIRM_OF_CLAIM, [id]));
      return found === null ? null : lockClaim(session, encryption, found.firm_id, id);
    },

    async lockPendingOf(firmId, svcId) {
      const rows = await session.rows<ClaimRow>(LOCK_PENDING, [firmId, svcId]);
      return (await encryption.decrypt(rows, CLAIM_FIELDS, claimKey)).map(claimFrom);
    },

    async save(claim) {
      const { firmId, id, assignment } = claim;
      const encrypt = await encryptor(claim);
      const now = clock.now();
      const { joinsFirms } = session.layout;
      const at = joinsFirms ? timestamp(now) : await takeTimestamp(session, firmId, now, null);
      const values = [
        firmId,
        at,
        id,
        ...assignmentValues(assignment, encrypt),
        ...workValues(claim, encrypt),
      ];
      const saved = first(
        await session.rows<{ readonly updated_at: Instant }>(joinsFirms ? SAVE : SAVE_WITH_TIMESTAMP, values),
      );
      // The claim was locked.
      if (saved === null) throw missing();
      changed.push(assignment.status);
      return { ...claim, updatedAt: saved.updated_at };
    },

    async saveWithoutTimestamp(claim) {
      const values = [claim.firmId, claim.id, ...workValues(claim, await encryptor(claim))];
      session.send(SAVE_WITHOUT_TIMESTAMP, values, (count) => (count === 1 ? null : missing()));
      countEdit(session, claim.assignment.adjuster);
    },
  };
}
