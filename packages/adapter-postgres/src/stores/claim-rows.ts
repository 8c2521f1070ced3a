import {
  type Assignment,
  type AssignmentStatus,
  type CarrierDetails,
  type Claim,
  type ClaimAsSent,
  type ClaimId,
  type ClaimWork,
  type Environment,
  type FirmId,
  type Instant,
  type StepTimes,
  type Svcid,
  stepTimesOf,
  type WorkDetails,
} from '@svc/domain';
import { timestamp, timestampOrNull } from '../driver/column-types.ts';
import { rowByKey, type Value } from '../driver/executor.ts';
import type { Encrypt, Encryption } from '../encryption/encryption.ts';
import { fieldsOf, PERSONAL } from '../encryption/personal-columns.ts';
import { listed } from '../reads/large-columns.ts';

/** Columns of a claim that its firm sees. */
export interface FirmClaimRow {
  readonly id: ClaimId;
  readonly environment: Environment;
  readonly created_at: Instant;
  readonly updated_at: Instant;
  readonly status: AssignmentStatus;
  readonly adjuster_svc_id: Svcid;
  readonly offered_at: Instant;
  readonly offered_by: string | null;
  readonly responded_at: Instant | null;
  readonly rejection_reason: string | null;
  readonly withdrawn_by: string | null;
  readonly document: string;
}

export interface WorkRow {
  readonly work_contact_date: string | null;
  readonly work_inspection_date: string | null;
  readonly work_notes: string | null;
  readonly work_details: string | null;
  readonly closed_at: Instant | null;
}

/** The first contact and the inspection, without the work itself. */
export interface StepsRow {
  readonly work_contact_date: string | null;
  readonly work_inspection_date: string | null;
  readonly contacted_at: Instant | null;
  readonly contact_received_at: Instant | null;
  readonly inspected_at: Instant | null;
  readonly inspection_received_at: Instant | null;
}

export interface ClosureRow {
  readonly closed_by: string | null;
  readonly closure_reason: string | null;
}

export interface ClaimRow extends FirmClaimRow, WorkRow, ClosureRow {
  readonly firm_id: FirmId;
  readonly external_id: string;
  readonly claim_number: string;
  readonly carrier: string;
  readonly work_changed_at: Instant | null;
}

/** For {@link FirmClaimRow}: the personal columns that the firm sees. */
export const FIRM_CLAIM_FIELDS = fieldsOf(PERSONAL.claims).filter(({ property }) =>
  ['document', 'rejection_reason'].includes(property),
);
const CLAIM_FIELDS = fieldsOf(PERSONAL.claims);

const claimKey = (row: { readonly firm_id: FirmId; readonly id: ClaimId }) => ({
  firmId: row.firm_id,
  key: row.id,
});

const columns = (...names: string[]): string => names.map((name) => `c.${name}`).join(', ');

const SMALL_CLAIM_COLUMNS = columns(
  'id',
  'environment',
  'created_at',
  'updated_at',
  'status',
  'adjuster_svc_id',
  'offered_at',
  'offered_by',
  'responded_at',
  'rejection_reason',
  'withdrawn_by',
);
const SMALL_WORK_COLUMNS = columns('work_contact_date', 'work_inspection_date', 'work_notes', 'closed_at');
/** Columns of `claims c` for {@link FirmClaimRow}. */
export const FIRM_CLAIM_COLUMNS = `${SMALL_CLAIM_COLUMNS}, c.document`;
export const WORK_COLUMNS = `${SMALL_WORK_COLUMNS}, c.work_details`;
/** The same in lists. */
export const LISTED_CLAIM_COLUMNS = `${SMALL_CLAIM_COLUMNS}, ${listed('document')}`;
export const LISTED_WORK_COLUMNS = `${SMALL_WORK_COLUMNS}, ${listed('work_details')}`;
/** Columns of `claims c` for {@link StepsRow}. */
export const STEPS_COLUMNS = columns(
  'work_contact_date',
  'work_inspection_date',
  'contacted_at',
  'contact_received_at',
  'inspected_at',
  'inspection_received_at',
);
export const CLOSURE_COLUMNS = columns('closed_by', 'closure_reason');
export const CLAIM_COLUMNS = `${FIRM_CLAIM_COLUMNS}, ${WORK_COLUMNS}, ${columns('firm_id', 'external_id', 'claim_number', 'carrier', 'work_changed_at')}, ${CLOSURE_COLUMNS}`;

/** `claims c` by id: every index on claims starts with the firm, and there are far fewer firms than claims. */
export const claimOfEveryFirm = (id: string): string =>
  `firms every_firm CROSS JOIN LATERAL (${rowByKey('claims', { firm_id: 'every_firm.id', id })}) c`;

export const assignmentFrom = (row: FirmClaimRow): Claim['assignment'] => ({
  status: row.status,
  adjuster: row.adjuster_svc_id,
  offeredAt: row.offered_at,
  offeredBy: row.offered_by,
  respondedAt: row.responded_at,
  rejectionReason: row.rejection_reason,
  ...(row.withdrawn_by !== null && { withdrawnBy: row.withdrawn_by }),
});

export const closureFrom = ({ closed_by: by, closure_reason: reason }: ClosureRow): Pick<Claim, 'closure'> =>
  by === null ? {} : { closure: { by, reason } };

const stepFrom = (deviceAt: Instant | null, at: Instant | null, date: string | null) => {
  if (deviceAt !== null) return { deviceAt, at, date: null };
  return date === null ? null : { deviceAt, at: null, date };
};

export const stepsFrom = (row: StepsRow): StepTimes => ({
  contact: stepFrom(row.contacted_at, row.contact_received_at, row.work_contact_date),
  inspection: stepFrom(row.inspected_at, row.inspection_received_at, row.work_inspection_date),
});

export const workFrom = (row: WorkRow): ClaimWork => ({
  contactDate: row.work_contact_date,
  inspectionDate: row.work_inspection_date,
  notes: row.work_notes,
  ...(row.work_details !== null && { details: JSON.parse(row.work_details) as WorkDetails }),
});

const claimFrom = (row: ClaimRow): Claim => ({
  id: row.id,
  firmId: row.firm_id,
  environment: row.environment,
  externalId: row.external_id,
  claimNumber: row.claim_number,
  carrier: JSON.parse(row.carrier) as CarrierDetails,
  asSent: row.document as ClaimAsSent,
  assignment: assignmentFrom(row),
  work: workFrom(row),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  closedAt: row.closed_at,
  ...closureFrom(row),
  ...(row.work_changed_at !== null && { workChangedAt: row.work_changed_at }),
});

/** Decrypts rows with any of the claim's columns in place. */
export const decryptClaims = <R extends { readonly firm_id: FirmId; readonly id: ClaimId }>(
  encryption: Encryption,
  rows: R[],
): R[] | Promise<R[]> => encryption.decrypt(rows, CLAIM_FIELDS, claimKey);

export const claimsFrom = async (encryption: Encryption, rows: ClaimRow[]): Promise<Claim[]> =>
  (await decryptClaims(encryption, rows)).map(claimFrom);

/** With the values of {@link assignmentValues} and {@link workValues}. */
export const SET_CLAIM = `UPDATE claims SET status = $4, adjuster_svc_id = $5, offered_at = $6, responded_at = $7,
     rejection_reason = $8, offered_by = $9, work_contact_date = $10::date, work_inspection_date = $11::date,
     work_notes = $12, work_details = $13::json, work_changed_at = $14, closed_at = $15, closed_by = $16,
     closure_reason = $17, withdrawn_by = $18, contacted_at = $19, contact_received_at = $20, inspected_at = $21,
     inspection_received_at = $22`;
/**
 * Of a claim that the transaction has locked, so that it does not move. An UPDATE has no order that would determine its
 * index, as in {@link rowByKey}.
 */
export const lockedRow = (firm: string, id: string): string =>
  rowByKey('claims', { firm_id: firm, id }, { columns: 'ctid' });

export const assignmentValues = (assignment: Assignment, encrypt: Encrypt): (string | null)[] => [
  assignment.status,
  assignment.adjuster,
  timestamp(assignment.offeredAt),
  timestampOrNull(assignment.respondedAt),
  encrypt('rejection_reason', assignment.rejectionReason),
  assignment.offeredBy,
];

/** Also whether the firm withdrew the offer, which is neither so when it is made nor when it is answered. */
export const workValues = (
  { assignment, work, workChangedAt, closedAt, closure }: Claim,
  encrypt: Encrypt,
): Value[] => {
  const { contact, inspection } = stepTimesOf(work);
  return [
    work.contactDate,
    work.inspectionDate,
    encrypt('work_notes', work.notes),
    encrypt('work_details', work.details === undefined ? null : JSON.stringify(work.details)),
    timestampOrNull(workChangedAt ?? null),
    timestampOrNull(closedAt),
    closure?.by ?? null,
    encrypt('closure_reason', closure?.reason ?? null),
    assignment.withdrawnBy ?? null,
    ...[contact, inspection].flatMap((step) => [
      timestampOrNull(step?.deviceAt ?? null),
      timestampOrNull(step?.at ?? null),
    ]),
  ];
};
