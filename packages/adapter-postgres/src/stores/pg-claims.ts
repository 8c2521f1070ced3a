import type { Claims, Clock, OfferedClaim } from '@svc/application';
import {
  type Assignment,
  type AssignmentStatus,
  type Claim,
  type ClaimAccess,
  type ClaimId,
  carrierNameKey,
  type FirmId,
  type Instant,
  type Svcid,
} from '@svc/domain';
import { byAdjuster, rowsByAdjuster } from '../driver/citus.ts';
import { isUuid, timestamp, timestampOrNull } from '../driver/column-types.ts';
import { DatabaseError } from '../driver/errors.ts';
import { first, rowByKey, type Statement, sql, type TxSession, type Value } from '../driver/session.ts';
import type { Encryption, Seal } from '../encryption/encryption.ts';
import { PERSONAL } from '../encryption/personal-columns.ts';
import { countEdit } from './adjuster-edits.ts';
import {
  CLAIM_FORMS,
  CLAIM_FORMS_ON_CITUS,
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
  claimOfEveryFirmOnCitus,
} from './claim-rows.ts';
import type { ClaimSenders } from './claim-senders.ts';
import { timestampAfterLast } from './feed-timestamps.ts';
import {
  type AuditRowValues,
  advanceChain,
  appendWithLink,
  insertRowFrom,
  type Link,
  type PgAuditTrail,
} from './pg-audit.ts';

/** Of several open claims with this number, the first. */
export const duplicateOf = (
  firm: string,
  environment: string,
  externalId: string,
  claimNumber: string,
): string =>
  `(${rowByKey('claims', { firm_id: firm, environment, external_id: externalId }, { columns: "id, 'external_id' AS by" })})
   UNION ALL
   (SELECT id, 'claim_number' FROM claims WHERE firm_id = ${firm} AND environment = ${environment}
       AND claim_number BETWEEN ${claimNumber} AND ${claimNumber} AND closed_at IS NULL
     ORDER BY claim_number, created_at LIMIT 1)
   LIMIT 1`;
const FIND_DUPLICATE = sql('claims_find_duplicate', duplicateOf('$1', '$2', '$3', '$4'));

/** On one table, without a union: otherwise Citus would plan it again on every execution. */
const FIND_DUPLICATE_ON_SHARD = sql(
  'claims_find_duplicate_on_shard',
  `SELECT id, CASE WHEN external_id = $3 THEN 'external_id' ELSE 'claim_number' END AS by FROM claims
    WHERE firm_id = $1 AND environment = $2 AND (external_id = $3 OR claim_number = $4 AND closed_at IS NULL)
    ORDER BY external_id <> $3, created_at LIMIT 1`,
);

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

export type OfferedRow = ClaimRow & AccessRow & FormRow;

/**
 * Searches the firms that the adjuster ever belonged to: accepted claims stay after leaving. Locks the membership before
 * the claim. One statement, since each costs the driver and PostgreSQL processor time besides its work.
 *
 * @param from what comes before the membership: nothing, or a list of responses.
 */
export const lockOffered = (from: string, svcId: string, id: string, wait: 'SKIP LOCKED' | '' = ''): string =>
  `SELECT ${CLAIM_COLUMNS}, ${ACCESS_COLUMNS}, ${FORM_COLUMNS} FROM ${from} LATERAL (
       SELECT * FROM memberships m WHERE svc_id = ${svcId}
          AND EXISTS (SELECT FROM (${rowByKey('claims', { firm_id: 'm.firm_id', id })}) c WHERE adjuster_svc_id = ${svcId})
          FOR SHARE ${wait}) m
     CROSS JOIN LATERAL (${rowByKey('claims', { firm_id: 'm.firm_id', id }, { lock: `FOR UPDATE ${wait}` })}) c
     ${CLAIM_FORMS} WHERE c.adjuster_svc_id = ${svcId}`;
const LOCK_OFFERED = sql('claims_lock_offered', lockOffered('', '$1', '$2'));

export async function offeredFrom(rows: OfferedRow[], encryption: Encryption): Promise<OfferedClaim[]> {
  await encryption.open(rows, HELD_CARRIER_FIELDS, ({ firm_id, held_key }) => ({
    firmId: firm_id,
    key: held_key ?? '',
  }));
  await encryption.open(rows, CLAIM_FIELDS, claimKey);
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

/** On Citus, after the firm was found. */
const LOCK_ACCESS = sql(
  'claims_lock_access',
  `SELECT ${ACCESS_COLUMNS} FROM memberships m WHERE m.firm_id = $1 AND m.svc_id = $2 FOR SHARE`,
);
const FORMS_OF_CLAIM = sql(
  'claims_forms',
  `SELECT ${FORM_COLUMNS} FROM claims c ${CLAIM_FORMS_ON_CITUS} WHERE c.firm_id = $1 AND c.id = $2`,
);

const FIRM_OF_CLAIM = sql('claims_firm_of_claim', `SELECT c.firm_id FROM ${claimOfEveryFirm('$1')}`);
const FIRM_OF_CLAIM_ON_CITUS = sql(
  'claims_firm_of_claim_on_citus',
  `SELECT c.firm_id FROM ${claimOfEveryFirmOnCitus('$1')}`,
);

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

/**
 * Takes the next timestamp. The row stays locked until commit, so feed order is commit order.
 *
 * @param digest the parameter with the digest of an event that is appended to the audit trail.
 */
const nextTimestamp = (digest?: string): string => `UPDATE firm_feeds AS feed
     SET last_stamp = ${timestampAfterLast('$2')}
       ${digest === undefined ? '' : `, ${advanceChain(digest)}`}
     WHERE firm_id = $1 RETURNING last_stamp`;

interface Written {
  readonly updated_at: Instant;
}
/** A statement that writes a claim with the next timestamp: also with an event, or on Citus with a timestamp. */
type WriteStatements = Readonly<Record<'plain' | 'withAudit' | 'withTimestamp', Statement>>;

/** @param at the number of the parameter with the time of the event; its text and their digest are the next two. */
const withTimestamp = (at?: number): string =>
  at === undefined
    ? `WITH next AS (${nextTimestamp()})`
    : `WITH next AS (${nextTimestamp(`$${at + 2}`)}, audit_seq, audit_hash),
       recorded AS (${insertRowFrom('next', `$${at}`, `$${at + 1}`)})`;

const INSERT_CLAIM = `INSERT INTO claims (firm_id, id, environment, external_id, claim_number, carrier_key, carrier, document,
     status, adjuster_svc_id, offered_at, responded_at, rejection_reason,
     work_contact_date, work_inspection_date, work_notes, work_details, work_changed_at, closed_at,
     created_at, updated_at)`;
const NEW_CLAIM = `$1, $3, $4, $5, $6, $7, $8::json, $9::json, $10, $11, $12, $13, $14, $15::date, $16::date, $17,
     $18::json, $19, $20`;
const addWith = (eventAt?: number): string =>
  `${withTimestamp(eventAt)} ${INSERT_CLAIM}
   SELECT ${NEW_CLAIM}, last_stamp, last_stamp FROM next RETURNING updated_at`;
const ADD: WriteStatements = {
  plain: sql('claims_add', addWith()),
  withAudit: sql('claims_add_with_audit', addWith(21)),
  withTimestamp: sql(
    'claims_add_with_timestamp',
    `${INSERT_CLAIM} VALUES (${NEW_CLAIM}, $2, $2) RETURNING updated_at`,
  ),
};

const SET_CLAIM = `UPDATE claims SET status = $4, adjuster_svc_id = $5, offered_at = $6, responded_at = $7,
     rejection_reason = $8, work_contact_date = $9::date, work_inspection_date = $10::date, work_notes = $11,
     work_details = $12::json, work_changed_at = $13, closed_at = $14`;
/**
 * Of a claim that the transaction has locked, so that it does not move. An UPDATE has no order that would determine its
 * index, as in {@link rowByKey}.
 */
export const lockedRow = (firm: string, id: string): string =>
  rowByKey('claims', { firm_id: firm, id }, { columns: 'ctid' });
const saveWith = (eventAt?: number): string =>
  `${withTimestamp(eventAt)} ${SET_CLAIM}, updated_at = last_stamp FROM next
   WHERE ctid = (${lockedRow('$1', '$3')}) RETURNING updated_at`;
const SAVE: WriteStatements = {
  plain: sql('claims_save', saveWith()),
  withAudit: sql('claims_save_with_audit', saveWith(15)),
  withTimestamp: sql(
    'claims_save_with_timestamp',
    `${SET_CLAIM}, updated_at = $2 WHERE firm_id = $1 AND id = $3 RETURNING updated_at`,
  ),
};

/** Citus would run the rows of `plain` through the coordinator, and plan it again on every execution. */
const TAKE_TIMESTAMP = sql('claims_take_timestamp', nextTimestamp());
const TAKE_TIMESTAMP_WITH_AUDIT = sql(
  'claims_take_timestamp_with_audit',
  `${nextTimestamp('$3')}, audit_seq, encode(audit_hash, 'hex') AS audit_hash`,
);

const SET_WORK = `UPDATE claims SET work_contact_date = $3::date, work_inspection_date = $4::date, work_notes = $5,
     work_details = $6::json, work_changed_at = $7, closed_at = $8`;
const SAVE_WITHOUT_TIMESTAMP = sql(
  'claims_save_without_timestamp',
  `${SET_WORK} WHERE ctid = (${lockedRow('$1', '$2')})`,
);
const SAVE_WITHOUT_TIMESTAMP_ON_SHARD = sql(
  'claims_save_without_timestamp_on_shard',
  `${SET_WORK} WHERE firm_id = $1 AND id = $2`,
);

export const assignmentValues = (assignment: Assignment, seal: Seal): (string | null)[] => [
  assignment.status,
  assignment.adjuster,
  timestamp(assignment.offeredAt),
  timestampOrNull(assignment.respondedAt),
  seal('rejection_reason', assignment.rejectionReason),
];

const workValues = ({ work, workChangedAt, closedAt }: Claim, seal: Seal): Value[] => [
  work.contactDate,
  work.inspectionDate,
  seal('work_notes', work.notes),
  seal('work_details', work.details === undefined ? null : JSON.stringify(work.details)),
  timestampOrNull(workChangedAt ?? null),
  timestampOrNull(closedAt),
];

const missing = (): DatabaseError =>
  new DatabaseError('The claim or the change feed of its firm does not exist.');

/** @param changed receives the status of each claim that is added or saved. */
export function pgClaims(
  session: TxSession,
  clock: Clock,
  encryption: Encryption,
  changed: AssignmentStatus[],
  senders: ClaimSenders,
  audit: PgAuditTrail,
): Claims {
  const claimsFrom = async (rows: ClaimRow[]): Promise<Claim[]> =>
    (await encryption.open(rows, CLAIM_FIELDS, claimKey)).map(claimFrom);
  const lock = async (firmId: FirmId, id: ClaimId): Promise<Claim | null> =>
    first(await claimsFrom(await session.rows<ClaimRow>(LOCK, [firmId, id])));
  const rowOfferedTo = async (svcId: Svcid, id: ClaimId): Promise<OfferedRow | null> => {
    if (!session.onCitus) return first(await session.rows<OfferedRow>(LOCK_OFFERED, [svcId, id]));
    const firmId = await senders.find(svcId, id);
    if (firmId === null) return null;
    const [access, claim, forms] = await Promise.all([
      session.rows<AccessRow>(LOCK_ACCESS, [firmId, svcId]).then(first),
      session.rows<ClaimRow>(LOCK, [firmId, id]).then(first),
      session.rows<FormRow>(FORMS_OF_CLAIM, [firmId, id]).then(first),
    ]);
    return access && claim && forms && { ...access, ...claim, ...forms };
  };
  const takeTimestamp = async (
    firmId: FirmId,
    now: string,
    event: AuditRowValues | null,
  ): Promise<string> => {
    type Taken = Link & { readonly last_stamp: Instant };
    const taken = first(
      await (event === null
        ? session.rows<Taken>(TAKE_TIMESTAMP, [firmId, now])
        : session.rows<Taken>(TAKE_TIMESTAMP_WITH_AUDIT, [firmId, now, event[2]])),
    );
    if (taken === null) throw missing();
    if (event !== null) appendWithLink(session, firmId, event, taken);
    return timestamp(taken.last_stamp);
  };
  /** @returns the timestamp of the change. */
  const write = async (
    { firmId, assignment }: Claim,
    statements: WriteStatements,
    values: readonly Value[],
    end: 'continue' | 'commit',
  ): Promise<Instant> => {
    const now = timestamp(clock.now());
    const event = audit.take(firmId);
    if (end === 'commit') await audit.write();
    const run = (statement: Statement, all: readonly Value[]): Promise<Written[]> =>
      end === 'commit' ? session.rowsAndCommit(statement, all) : session.rows(statement, all);
    const written = first(
      await (session.onCitus
        ? run(statements.withTimestamp, [firmId, await takeTimestamp(firmId, now, event), ...values])
        : event === null
          ? run(statements.plain, [firmId, now, ...values])
          : run(statements.withAudit, [firmId, now, ...values, ...event])),
    );
    // The claim was locked, or is new.
    if (written === null) throw missing();
    changed.push(assignment.status);
    return written.updated_at;
  };
  const sealer = (claim: Claim) => encryption.sealer(PERSONAL.claims, claim.firmId, claim.id);
  const add = async (claim: Claim, end: 'continue' | 'commit'): Promise<Claim> => {
    const seal = await sealer(claim);
    const values = [
      claim.id,
      claim.environment,
      claim.externalId,
      claim.claimNumber,
      carrierNameKey(claim.carrier.name),
      seal('carrier', JSON.stringify(claim.carrier)),
      seal('document', claim.asSent as string),
      ...assignmentValues(claim.assignment, seal),
      ...workValues(claim, seal),
    ];
    const addedAt = await write(claim, ADD, values, end);
    return { ...claim, createdAt: addedAt, updatedAt: addedAt };
  };
  const save = async (claim: Claim, end: 'continue' | 'commit'): Promise<Claim> => {
    const seal = await sealer(claim);
    const values = [claim.id, ...assignmentValues(claim.assignment, seal), ...workValues(claim, seal)];
    return { ...claim, updatedAt: await write(claim, SAVE, values, end) };
  };

  return {
    async findDuplicate({ firmId, environment, externalId, claimNumber }) {
      const values = [firmId, environment, externalId, claimNumber];
      return first(
        await session.rows<{ id: ClaimId; by: 'external_id' | 'claim_number' }>(
          session.onCitus ? FIND_DUPLICATE_ON_SHARD : FIND_DUPLICATE,
          values,
        ),
      );
    },

    async lock(firmId, id) {
      return isUuid(id) ? lock(firmId, id) : null;
    },

    async lockOfferedTo(svcId, id) {
      const row = isUuid(id) ? await rowOfferedTo(svcId, id) : null;
      return row?.adjuster_svc_id === svcId ? first(await offeredFrom([row], encryption)) : null;
    },

    async lockAny(id) {
      if (!isUuid(id)) return null;
      const found = first(
        await session.rows<{ firm_id: FirmId }>(session.onCitus ? FIRM_OF_CLAIM_ON_CITUS : FIRM_OF_CLAIM, [
          id,
        ]),
      );
      return found === null ? null : lock(found.firm_id, id);
    },

    async lockPendingOf(firmId, svcId) {
      return claimsFrom(await session.rows<ClaimRow>(LOCK_PENDING, [firmId, svcId]));
    },

    async countPendingOf(svcId) {
      return first(await rowsByAdjuster<{ count: number }>(session, COUNT_PENDING, [svcId]))?.count ?? 0;
    },

    add: (claim) => add(claim, 'continue'),
    save: (claim) => save(claim, 'continue'),
    addAndCommit: (claim) => add(claim, 'commit'),
    saveAndCommit: (claim) => save(claim, 'commit'),

    async saveWithoutTimestamp(claim) {
      const values = [claim.firmId, claim.id, ...workValues(claim, await sealer(claim))];
      const save = session.onCitus ? SAVE_WITHOUT_TIMESTAMP_ON_SHARD : SAVE_WITHOUT_TIMESTAMP;
      session.send(save, values, (count) => (count === 1 ? null : missing()));
      countEdit(session, claim.assignment.adjuster);
    },
  };
}
