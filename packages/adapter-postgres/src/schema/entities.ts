import type { ApiKey, PushSubscription, Session, SignInCode } from '@svc/application';
import type { Environment, FirmId, Instant, KeyId, Plan, Purpose, Svcid } from '@svc/domain';
import { EntitySchema, type EntitySchemaColumnOptions } from 'typeorm';

// Tables that are accessed through TypeORM's entity manager. The migrations define the schema; it is never synchronized
// from here.

const text = { type: 'text' } as const;
const nullable = { nullable: true } as const;
const key = { primary: true } as const;

/** Read as epoch milliseconds (see `columnTypes`), written as a Date. */
const instant: EntitySchemaColumnOptions = {
  type: 'timestamp with time zone',
  precision: 3,
  transformer: {
    to: (at: Instant | null | undefined) => (typeof at === 'number' ? new Date(at) : at),
    from: (at: Instant | null) => at,
  },
};

export interface FirmRow {
  id: FirmId;
  name: string;
  plan: Plan;
  requests_per_minute: number | null;
  writes_per_minute: number | null;
  burst: number | null;
  created_at: Instant;
}

export const FIRM_ROWS = new EntitySchema<FirmRow>({
  name: 'Firm',
  tableName: 'firms',
  columns: {
    id: { type: 'uuid', ...key },
    name: text,
    plan: text,
    requests_per_minute: { type: 'integer', ...nullable },
    writes_per_minute: { type: 'integer', ...nullable },
    burst: { type: 'integer', ...nullable },
    created_at: instant,
  },
});

export interface ApiKeyRow {
  id: KeyId;
  firm_id: FirmId;
  environment: Environment;
  purpose: Purpose;
  secret_hash: ApiKey['secretHash'];
  created_at: Instant;
  expires_at: Instant | null;
  revoked_at: Instant | null;
  last_used_at: Instant | null;
}

export const API_KEY_ROWS = new EntitySchema<ApiKeyRow>({
  name: 'ApiKey',
  tableName: 'api_keys',
  columns: {
    id: { ...text, ...key },
    firm_id: { type: 'uuid' },
    environment: text,
    purpose: text,
    secret_hash: text,
    created_at: instant,
    expires_at: { ...instant, ...nullable },
    revoked_at: { ...instant, ...nullable },
    last_used_at: { ...instant, ...nullable },
  },
});

interface SessionRow {
  token_hash: Session['tokenHash'];
  svc_id: Svcid;
  expires_at: Instant;
}

export const SESSION_ROWS = new EntitySchema<SessionRow>({
  name: 'Session',
  tableName: 'sessions',
  columns: { token_hash: { ...text, ...key }, svc_id: text, expires_at: instant },
});

interface SignInCodeRow {
  email_key: SignInCode['emailKey'];
  code_hash: SignInCode['codeHash'];
  expires_at: Instant;
  seed: string | null;
}

export const SIGN_IN_CODE_ROWS = new EntitySchema<SignInCodeRow>({
  name: 'SignInCode',
  tableName: 'sign_in_codes',
  columns: {
    email_key: { ...text, ...key },
    code_hash: text,
    expires_at: instant,
    seed: { ...text, ...nullable },
  },
});

interface DeviceRow {
  svc_id: Svcid;
  device_id: string;
  subscription: PushSubscription;
}

export const DEVICE_ROWS = new EntitySchema<DeviceRow>({
  name: 'Device',
  tableName: 'devices',
  columns: { svc_id: { ...text, ...key }, device_id: { ...text, ...key }, subscription: { type: 'json' } },
});

export const ENTITIES = [FIRM_ROWS, API_KEY_ROWS, SESSION_ROWS, SIGN_IN_CODE_ROWS, DEVICE_ROWS];
