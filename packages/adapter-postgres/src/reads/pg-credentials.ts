import {
  type CredentialStore,
  type KeyGrant,
  SESSION_LIFETIME_MS,
  type StaffGrant,
  type StoredSession,
} from '@svc/application';
import type { Environment, FirmId, Instant, KeyId, Plan, Purpose, StaffId, StaffRole } from '@svc/domain';
import { arrayOf, timestamp } from '../driver/column-types.ts';
import { type Executor, first, rowByKey, sql } from '../driver/executor.ts';
import { accountFrom } from '../schema/entities.ts';

interface GrantRow {
  readonly key_id: KeyId;
  readonly firm_id: FirmId;
  readonly firm_name: string;
  readonly environment: Environment;
  readonly purpose: Purpose;
  readonly plan: Plan;
  readonly requests_per_minute: number | null;
  readonly writes_per_minute: number | null;
  readonly burst: number | null;
  readonly expires_at: Instant | null;
  readonly revoked_at: Instant | null;
}

const KEY_BY_HASH = sql(
  'credentials_key_by_hash',
  `SELECT k.id AS key_id, k.firm_id, f.name AS firm_name, k.environment, k.purpose, f.plan,
     f.requests_per_minute, f.writes_per_minute, f.burst, k.expires_at, k.revoked_at
     FROM (${rowByKey('api_keys', { secret_hash: '$1' })}) k
     CROSS JOIN LATERAL (${rowByKey('firms', { id: 'k.firm_id' })}) f WHERE f.erasure IS NULL`,
);

const SESSION_BY_HASH = sql(
  'credentials_session_by_hash',
  `SELECT id, svc_id AS "svcId", firm_id AS "firmId", staff_id AS "staffId", last_used_at AS "lastUsedAt",
     expires_at AS "expiresAt", ends_at AS "endsAt", method
     FROM sessions WHERE token_hash = $1`,
);

/** A statement of its own: by firm, since the table may be on other servers. */
const STAFF_GRANT = sql(
  'credentials_staff_grant',
  `SELECT s.firm_id AS "firmId", s.id AS "staffId", s.role, f.name AS "firmName", f.plan
     FROM staff s JOIN firms f ON f.id = s.firm_id
    WHERE s.firm_id = $1 AND s.id = $2 AND f.erasure IS NULL`,
);

const OPEN_SESSIONS = sql(
  'credentials_open_sessions',
  `SELECT token_hash, firm_id, staff_id FROM sessions WHERE token_hash = ANY ($1::text[]) AND expires_at > $2`,
);

/** As above: of tables that may be on different servers. */
const ROLES = sql(
  'credentials_roles',
  'SELECT id, role FROM staff WHERE firm_id = ANY ($1::uuid[]) AND id = ANY ($2::uuid[])',
);

interface OpenSessionRow {
  readonly token_hash: string;
  /** Both null for an adjuster. */
  readonly firm_id: FirmId | null;
  readonly staff_id: StaffId | null;
}

const VERSION = sql('credentials_version', 'SELECT version FROM registry_version');

/** Locks rows in the order of their keys: several processes update the same keys, and must not deadlock. */
const NOTE_USE = sql(
  'credentials_note_use',
  `WITH used_keys AS (
     SELECT k.id, u.at FROM api_keys k JOIN unnest($1::text[], $2::timestamptz[]) AS u (id, at) ON u.id = k.id
      WHERE k.last_used_at IS NULL OR k.last_used_at < u.at ORDER BY k.id FOR NO KEY UPDATE OF k),
   updated_keys AS (
     UPDATE api_keys k SET last_used_at = u.at FROM used_keys u WHERE k.id = u.id),
   used_sessions AS (
     SELECT s.token_hash, u.at, u.ends FROM sessions s
       JOIN unnest($3::text[], $4::timestamptz[], $5::timestamptz[]) AS u (token_hash, at, ends)
         ON u.token_hash = s.token_hash
      WHERE s.last_used_at < u.at ORDER BY s.token_hash FOR NO KEY UPDATE OF s)
   UPDATE sessions s SET last_used_at = u.at, expires_at = least(u.ends, s.ends_at)
     FROM used_sessions u WHERE s.token_hash = u.token_hash`,
);

type SessionRow = Omit<StoredSession, 'account' | 'staff'> & Parameters<typeof accountFrom>[0];

const grantFrom = (row: GrantRow): KeyGrant => ({
  keyId: row.key_id,
  firmId: row.firm_id,
  firmName: row.firm_name,
  environment: row.environment,
  purpose: row.purpose,
  plan: row.plan,
  limits: {
    requestsPerMinute: row.requests_per_minute,
    writesPerMinute: row.writes_per_minute,
    burst: row.burst,
  },
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
});

export function pgCredentials(executor: Executor, maintenance: Executor): CredentialStore {
  return {
    async keyByHash(secretHash) {
      const row = first(await executor.rows<GrantRow>(KEY_BY_HASH, [secretHash]));
      return row === null ? null : grantFrom(row);
    },

    async sessionByHash(tokenHash) {
      const row = first(await executor.rows<SessionRow>(SESSION_BY_HASH, [tokenHash]));
      if (row === null) return null;
      const { svcId, firmId, staffId, ...session } = row;
      const account = accountFrom({ svcId, firmId, staffId });
      if ('svcId' in account) return { ...session, account };
      const staff = first(await executor.rows<StaffGrant>(STAFF_GRANT, [account.firmId, account.staffId]));
      return staff === null ? null : { ...session, account, staff };
    },

    async openSessions(tokenHashes, now) {
      const open = await executor.rows<OpenSessionRow>(OPEN_SESSIONS, [tokenHashes, timestamp(now)]);
      const ofStaff = open.filter(({ staff_id }) => staff_id !== null);
      const firms = [...new Set(ofStaff.map(({ firm_id }) => firm_id))];
      const staff = ofStaff.map(({ staff_id }) => staff_id);
      const roles =
        ofStaff.length === 0
          ? []
          : await executor.rows<{ id: StaffId; role: StaffRole }>(ROLES, [arrayOf(firms), arrayOf(staff)]);
      const memberOf = new Map(roles.map(({ id, role }) => [id, { staffId: id, role }]));
      return new Map(
        open.map(({ token_hash, staff_id }) => [
          token_hash,
          (staff_id === null ? null : memberOf.get(staff_id)) ?? null,
        ]),
      );
    },

    async version() {
      return first(await executor.rows<{ version: string }>(VERSION))?.version ?? '';
    },

    async recordUse({ keys, sessions }) {
      if (keys.size === 0 && sessions.size === 0) return;
      await maintenance.rows(NOTE_USE, [
        [...keys.keys()],
        [...keys.values()].map(timestamp),
        [...sessions.keys()],
        [...sessions.values()].map(timestamp),
        [...sessions.values()].map((at) => timestamp(at + SESSION_LIFETIME_MS)),
      ]);
    },
  };
}
