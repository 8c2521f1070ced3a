import type { AdjusterView, Memberships } from '@svc/application';
import type { FirmId, Instant, Membership, Sharing, Svcid } from '@svc/domain';
import { isUuid, timestamp, timestampOrNull } from '../driver/column-types.ts';
import { first, sql, type TransactionExecutor } from '../driver/executor.ts';
import type { Encryption } from '../encryption/encryption.ts';
import { fieldsOf, PERSONAL } from '../encryption/personal-columns.ts';
import { ADJUSTER_COLUMNS, type AdjusterRow, adjustersFrom } from './pg-adjusters.ts';

export interface SharingRow {
  readonly shares_clocks: boolean;
  readonly shares_credentials: boolean;
  readonly shares_work_area: boolean;
}

/** Columns of `memberships m` for {@link SharingRow}. */
export const SHARING_COLUMNS = 'm.shares_clocks, m.shares_credentials, m.shares_work_area';

export const sharingFrom = (row: SharingRow): Sharing => ({
  clocks: row.shares_clocks,
  credentials: row.shares_credentials,
  workArea: row.shares_work_area,
});

export interface MembershipRow extends SharingRow {
  readonly firm_id: FirmId;
  readonly svc_id: Svcid;
  readonly status: Membership['status'];
  readonly first_known_at: Instant;
  readonly invited_at: Instant | null;
  readonly expires_at: Instant | null;
  readonly responded_at: Instant | null;
  readonly seen_at: Instant | null;
  readonly reminded_at: Instant | null;
  readonly invited_as: string | null;
  readonly invited_by: string | null;
  readonly purpose: string | null;
  readonly note: string | null;
  readonly can_accept_claims: boolean;
  readonly accepting_assignments: boolean;
  readonly readable_until: Instant | null;
}

/** Columns of `memberships m` for {@link MembershipRow}. */
export const MEMBERSHIP_COLUMNS = `m.firm_id, m.svc_id, m.status, m.first_known_at, m.invited_at, m.expires_at,
  m.responded_at, m.seen_at, m.reminded_at, m.invited_as, m.invited_by, m.purpose, m.note, m.can_accept_claims, m.accepting_assignments,
  m.readable_until, ${SHARING_COLUMNS}`;

const FIELDS = fieldsOf(PERSONAL.memberships);

const membershipFrom = (row: MembershipRow): Membership => ({
  firmId: row.firm_id,
  svcId: row.svc_id,
  status: row.status,
  firstKnownAt: row.first_known_at,
  invitedAt: row.invited_at,
  expiresAt: row.expires_at,
  respondedAt: row.responded_at,
  seenAt: row.seen_at,
  remindedAt: row.reminded_at,
  notes: { invitedAs: row.invited_as, invitedBy: row.invited_by, purpose: row.purpose, note: row.note },
  canAcceptClaims: row.can_accept_claims,
  acceptingAssignments: row.accepting_assignments,
  readableUntil: row.readable_until,
  sharing: sharingFrom(row),
});

export async function membershipsFrom(encryption: Encryption, rows: MembershipRow[]): Promise<Membership[]> {
  const opened = await encryption.decrypt(rows, FIELDS, (row) => ({ firmId: row.firm_id, key: row.svc_id }));
  return opened.map(membershipFrom);
}

/** Columns of `memberships m` and `adjusters a` for {@link MemberRow}. */
export const MEMBER_COLUMNS = `${MEMBERSHIP_COLUMNS}, ${ADJUSTER_COLUMNS}`;
export type MemberRow = MembershipRow & AdjusterRow;

export async function membersFrom(encryption: Encryption, rows: MemberRow[]): Promise<AdjusterView[]> {
  const memberships = await membershipsFrom(encryption, rows);
  const adjusters = await adjustersFrom(encryption, rows);
  return memberships.flatMap((membership, n) => {
    const adjuster = adjusters[n];
    return adjuster === undefined ? [] : [{ membership, adjuster }];
  });
}

export const findMembership = (strength: string): string =>
  `SELECT ${MEMBERSHIP_COLUMNS} FROM memberships m WHERE m.firm_id = $1 AND m.svc_id = $2 ${strength}`;

const LOCK = sql('memberships_lock', findMembership('FOR UPDATE'));

/** Also locks a membership that does not exist yet, which a row lock cannot. */
const LOCK_KEY = sql(
  'memberships_lock_key',
  `SELECT pg_advisory_xact_lock(hashtextextended($2, hashtextextended($1, 0)))`,
);

const SAVE = sql(
  'memberships_save',
  `INSERT INTO memberships (firm_id, svc_id, status, first_known_at, invited_at, expires_at, responded_at,
     invited_as, invited_by, purpose, note, can_accept_claims, accepting_assignments,
     readable_until, shares_clocks, shares_credentials, shares_work_area, seen_at, reminded_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
   ON CONFLICT (firm_id, svc_id) DO UPDATE SET
     status = excluded.status, invited_at = excluded.invited_at, expires_at = excluded.expires_at,
     responded_at = excluded.responded_at, invited_as = excluded.invited_as, invited_by = excluded.invited_by,
     purpose = excluded.purpose, note = excluded.note, can_accept_claims = excluded.can_accept_claims,
     accepting_assignments = excluded.accepting_assignments, readable_until = excluded.readable_until,
     shares_clocks = excluded.shares_clocks, shares_credentials = excluded.shares_credentials,
     shares_work_area = excluded.shares_work_area, seen_at = excluded.seen_at, reminded_at = excluded.reminded_at`,
);

const ACTIVE_FIRMS = sql(
  'memberships_active_firms_of',
  `SELECT m.firm_id FROM memberships m WHERE m.svc_id = $1 AND m.status = 'active' ORDER BY m.firm_id`,
);

export function pgMemberships(executor: TransactionExecutor, encryption: Encryption): Memberships {
  return {
    async lock(firmId, svcId) {
      if (!isUuid(firmId)) return null;
      // Before the row lock, so that the row is read after a concurrent insert has committed.
      executor.send(LOCK_KEY, [firmId, svcId]);
      const rows = await executor.rows<MembershipRow>(LOCK, [firmId, svcId]);
      return first(await membershipsFrom(encryption, rows));
    },

    async activeFirmsOf(svcId) {
      const found = await executor.rows<{ firm_id: FirmId }>(ACTIVE_FIRMS, [svcId]);
      return found.map(({ firm_id }) => firm_id);
    },

    async save(membership) {
      const { firmId, svcId, notes, sharing } = membership;
      const encrypt = await encryption.encryptor(PERSONAL.memberships, firmId, svcId);
      await executor.rows(SAVE, [
        firmId,
        svcId,
        membership.status,
        timestamp(membership.firstKnownAt),
        timestampOrNull(membership.invitedAt),
        timestampOrNull(membership.expiresAt),
        timestampOrNull(membership.respondedAt),
        encrypt('invited_as', notes.invitedAs),
        encrypt('invited_by', notes.invitedBy),
        encrypt('purpose', notes.purpose),
        encrypt('note', notes.note),
        membership.canAcceptClaims,
        membership.acceptingAssignments,
        timestampOrNull(membership.readableUntil),
        sharing.clocks,
        sharing.credentials,
        sharing.workArea,
        timestampOrNull(membership.seenAt),
        timestampOrNull(membership.remindedAt),
      ]);
    },
  };
}
