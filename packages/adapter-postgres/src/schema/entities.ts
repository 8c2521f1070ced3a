import type { AccountRef, ApiKey, EmailChange, Firm, Passkey, Session } from '@svc/application';
import type { FirmClocks, FirmId, Instant, LimitOverrides, StaffId, StaffMember, Svcid } from '@svc/domain';
import { EntitySchema, type EntitySchemaColumnOptions } from 'typeorm';

// The tables behind repositories (docs/decisions/0025-typeorm.md says which). The migrations define the schema; it is never
// synchronized from here.

const key = { primary: true } as const;
const nullable = { nullable: true } as const;

const column = (
  type: 'text' | 'uuid' | 'integer' | 'double precision' | 'json',
  name?: string,
): EntitySchemaColumnOptions => (name === undefined ? { type } : { type, name });

/** Read as epoch milliseconds (see `columnTypes`), written as a Date. */
const instant = (name: string): EntitySchemaColumnOptions => ({
  type: 'timestamp with time zone',
  name,
  precision: 3,
  transformer: {
    to: (at: Instant | null | undefined) => (typeof at === 'number' ? new Date(at) : at),
    from: (at: Instant | null) => at,
  },
});

const LIMIT_OVERRIDES = new EntitySchema<LimitOverrides>({
  name: 'LimitOverrides',
  columns: {
    requestsPerMinute: { ...column('integer', 'requests_per_minute'), ...nullable },
    writesPerMinute: { ...column('integer', 'writes_per_minute'), ...nullable },
    burst: { ...column('integer'), ...nullable },
  },
});

export const FIRMS = new EntitySchema<Firm>({
  name: 'Firm',
  tableName: 'firms',
  columns: {
    id: { ...column('uuid'), ...key },
    name: column('text'),
    plan: column('text'),
    maxKeys: { ...column('integer', 'max_keys'), ...nullable },
    offerWaitHours: { ...column('integer', 'offer_wait_hours'), ...nullable },
    // As text, which TypeORM does not serialize again.
    clocks: {
      ...column('text', 'clocks'),
      ...nullable,
      transformer: {
        to: (clocks: FirmClocks | null | undefined) => clocks && JSON.stringify(clocks),
        from: (text: string | null) => text && (JSON.parse(text) as FirmClocks),
      },
    },
    createdAt: instant('created_at'),
    erasure: { ...column('text'), ...nullable },
  },
  embeddeds: { limits: { schema: LIMIT_OVERRIDES, prefix: false } },
});

export const API_KEYS = new EntitySchema<ApiKey>({
  name: 'ApiKey',
  tableName: 'api_keys',
  columns: {
    id: { ...column('text'), ...key },
    firmId: column('uuid', 'firm_id'),
    name: { ...column('text'), ...nullable },
    environment: column('text'),
    purpose: column('text'),
    madeBy: { ...column('uuid', 'made_by'), ...nullable },
    madeByName: { ...column('text', 'made_by_name'), ...nullable },
    secretHash: column('text', 'secret_hash'),
    createdAt: instant('created_at'),
    expiresAt: { ...instant('expires_at'), ...nullable },
    revokedAt: { ...instant('revoked_at'), ...nullable },
    lifetimeMs: { ...column('double precision', 'lifetime_ms'), ...nullable },
    lastUsedAt: { ...instant('last_used_at'), ...nullable },
  },
});

/** The account that a row belongs to: an adjuster, or a staff member. */
interface AccountColumns {
  readonly svcId: Svcid | null;
  readonly firmId: FirmId | null;
  readonly staffId: StaffId | null;
}

const ACCOUNT_COLUMNS = {
  svcId: { ...column('text', 'svc_id'), ...nullable },
  firmId: { ...column('uuid', 'firm_id'), ...nullable },
  staffId: { ...column('uuid', 'staff_id'), ...nullable },
} as const;

export function accountFrom({ svcId, firmId, staffId }: AccountColumns): AccountRef {
  if (svcId !== null) return { svcId };
  if (firmId === null || staffId === null) throw new Error('a row that belongs to no account');
  return { firmId, staffId };
}

export const accountColumns = (account: AccountRef): AccountColumns => ({
  svcId: null,
  firmId: null,
  staffId: null,
  ...account,
});

export type SessionRow = Omit<Session, 'account'> & AccountColumns;

export const sessionRow = ({ account, ...session }: Session): SessionRow => ({
  ...session,
  ...accountColumns(account),
});

export const sessionFrom = ({ svcId, firmId, staffId, ...session }: SessionRow): Session => ({
  ...session,
  account: accountFrom({ svcId, firmId, staffId }),
});

export const SESSIONS = new EntitySchema<SessionRow>({
  name: 'Session',
  tableName: 'sessions',
  columns: {
    tokenHash: { ...column('text', 'token_hash'), ...key },
    id: column('uuid'),
    ...ACCOUNT_COLUMNS,
    deviceName: { ...column('text', 'device_name'), ...nullable },
    createdAt: instant('created_at'),
    lastUsedAt: instant('last_used_at'),
    expiresAt: instant('expires_at'),
    endsAt: instant('ends_at'),
    method: column('text'),
  },
});

export const EMAIL_CHANGES = new EntitySchema<EmailChange>({
  name: 'EmailChange',
  tableName: 'email_changes',
  columns: {
    svcId: { ...column('text', 'svc_id'), ...key },
    email: column('text'),
    codeHash: column('text', 'code_hash'),
    expiresAt: instant('expires_at'),
    triesLeft: column('integer', 'tries_left'),
  },
});

/** JSON is read as text (see `columnTypes`). */
export type PasskeyRow = Omit<Passkey, 'transports' | 'account'> &
  AccountColumns & { readonly transports: string };

export const passkeyFrom = ({ svcId, firmId, staffId, transports, ...row }: PasskeyRow): Passkey => ({
  ...row,
  account: accountFrom({ svcId, firmId, staffId }),
  transports: JSON.parse(transports) as string[],
});

export const PASSKEYS = new EntitySchema<PasskeyRow>({
  name: 'Passkey',
  tableName: 'passkeys',
  columns: {
    id: { ...column('uuid'), ...key },
    credentialId: column('text', 'credential_id'),
    ...ACCOUNT_COLUMNS,
    name: column('text'),
    publicKey: column('text', 'public_key'),
    signCount: column('double precision', 'sign_count'),
    transports: column('json'),
    createdAt: instant('created_at'),
    lastUsedAt: { ...instant('last_used_at'), ...nullable },
  },
});

export type StaffRow = StaffMember & { readonly emailKey: string };

export const STAFF = new EntitySchema<StaffRow>({
  name: 'StaffMember',
  tableName: 'staff',
  columns: {
    firmId: { ...column('uuid', 'firm_id'), ...key },
    staffId: { ...column('uuid', 'id'), ...key },
    name: column('text'),
    email: column('text'),
    emailKey: { ...column('text', 'email_key'), select: false },
    role: column('text'),
    invitedAt: instant('invited_at'),
    joinedAt: { ...instant('joined_at'), ...nullable },
    lateOffersMailAt: { ...instant('late_offers_mail_at'), ...nullable },
  },
});

interface Device {
  readonly svcId: Svcid;
  readonly deviceId: string;
  /** JSON; as text, which TypeORM does not serialize again. */
  readonly subscription: string;
  readonly preferences: string | null;
  readonly reminderAt: Instant | null;
  readonly registeredAt: Instant;
  readonly sessionHash: string;
  readonly endpointHash: string;
}

export const DEVICES = new EntitySchema<Device>({
  name: 'Device',
  tableName: 'devices',
  columns: {
    svcId: { ...column('text', 'svc_id'), ...key },
    deviceId: { ...column('text', 'device_id'), ...key },
    subscription: column('text'),
    preferences: { ...column('text'), ...nullable },
    reminderAt: { ...instant('reminder_at'), ...nullable },
    registeredAt: instant('registered_at'),
    sessionHash: column('text', 'session_hash'),
    endpointHash: column('text', 'endpoint_hash'),
  },
});

export const ENTITIES = [FIRMS, API_KEYS, SESSIONS, EMAIL_CHANGES, PASSKEYS, STAFF, DEVICES];
