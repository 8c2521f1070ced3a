import { accountExamples } from '../account-examples.ts';
import type { Example } from '../example.ts';
import type { AuditEventDocument, AuditVerificationDocument } from './audit.ts';
import type { boardEndpoints } from './board.ts';
import { CLOCK_EXAMPLES } from './clocks.ts';
import type {
  ApiKeyDocument,
  FirmLimitsDocument,
  LoggedRequestDocument,
  RolledKeyDocument,
} from './developers.ts';
import { IMPORT_EXAMPLES } from './imports.ts';
import type { deskEndpoints } from './index.ts';
import { READINESS_EXAMPLE } from './readiness.ts';
import type { OwnStaff, StaffMember, StaffSession } from './staff.ts';
import { WEBHOOK_EXAMPLES } from './webhooks.ts';

const FIRM = { id: '5d0c2c1e-9f0d-4c6c-9a2b-6a1f0f4f7b21', name: 'Gulf Adjusting Partners' } as const;

const member = {
  id: '01980a5e-9b1c-7d2e-8f3a-4b5c6d7e8f90',
  email: 'priya@gulfadjusting.example.com',
  name: 'Priya Natarajan',
  role: 'dispatcher',
  invited_at: '2026-08-20T13:00:00.000Z',
  joined_at: '2026-08-20T16:41:30.052Z',
  working_keys: 0,
} satisfies StaffMember;

const ownStaff = {
  staff: { id: member.id, email: member.email, name: member.name, role: member.role },
  firm: { ...FIRM, plan: 'standard' },
  permissions: ['claims:create', 'claims:read', 'claims:write', 'adjusters:read', 'adjusters:write'],
  key_purposes: { live: [], test: [] },
  late_offers_mail: 'off',
  firms: [FIRM],
} satisfies OwnStaff;

const account = accountExamples({
  email: member.email,
  deviceName: 'Firefox on Windows',
  passkey: { name: 'Laptop', last_used_at: null },
});

const key = {
  id: 'key_01980a5e-2f10-7c3d-8e21-5b9a7d4c6f02',
  name: 'Claims import',
  environment: 'test',
  purpose: 'full_access',
  scopes: ['claims:create', 'claims:read', 'claims:write', 'adjusters:read', 'adjusters:write'],
  created_at: '2026-08-20T13:00:00.000Z',
  expires_at: null,
  revoked_at: null,
  last_used_at: '2026-08-29T14:52:07.113Z',
  created_by: { kind: 'staff', staff_id: member.id, name: member.name },
  attention: null,
  limits: { requests_per_minute: 60, writes_per_minute: 30, burst: 20 },
} satisfies ApiKeyDocument;
const newKey = {
  ...key,
  id: 'key_01980a5e-7b21-7f4e-9a32-6c8b5d1e2f03',
  created_at: '2026-08-29T15:00:00.000Z',
  last_used_at: null,
} satisfies ApiKeyDocument;

const firmLimits = {
  keys: [
    {
      key_id: key.id,
      environment: key.environment,
      purpose: key.purpose,
      limits: key.limits,
      used: { requests: 3, writes: 1 },
      rate_limited: 12,
    },
  ],
  days: [{ date: '2026-08-29', live: 0, test: 12 }],
  counted_since: '2026-08-16T00:00:00.000Z',
} satisfies FirmLimitsDocument;

const loggedRequest = {
  request_id: '01980a5e-4c7f-7b3e-9d8a-0f6c2b1a7e55',
  at: '2026-08-29T14:52:07.113Z',
  key_id: key.id,
  key_name: key.name,
  environment: key.environment,
  route: 'POST /v1/claims',
  status: 422,
  code: 'validation_failed',
  documentation_url: 'https://claims.example.com/docs/errors#validation_failed',
  detail: '1 validation error.',
  places: ['/loss/date'],
  place_details: ['Must be a valid calendar date (YYYY-MM-DD).'],
  existing_claim_id: null,
  duration_ms: 12.5,
} satisfies LoggedRequestDocument;

const HASH = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const auditEvent = {
  id: '4711.0',
  seq: 4711,
  at: '2026-08-29T15:00:00.000Z',
  actor: `staff:${member.id}`,
  actor_name: member.name,
  address: '203.0.113.7',
  action: 'key.roll',
  object: `key:${key.id}`,
  changes: { expires_at: { from: null, to: '2026-08-30T15:00:00.000Z' } },
  outcome: 'ok',
  request_id: '01980a5e-4c7f-7b3e-9d8a-0f6c2b1a7e56',
  hash: HASH,
} satisfies AuditEventDocument;

const keyPath = { key_id: key.id };
const memberPath = { staff_id: member.id };

export const DESK_EXAMPLES: {
  readonly [Id in Exclude<keyof typeof deskEndpoints, keyof typeof boardEndpoints>]: Example;
} = {
  requestStaffSignInCode: account.requestSignInCode,
  signInStaff: {
    ...account.signIn,
    response: {
      token: 'svc_staff_EXAMPLE',
      expires_at: '2026-11-27T14:52:07.113Z',
      ...ownStaff,
    } satisfies StaffSession,
  },
  signOutStaff: account.signOut,
  startStaffPasskeySignIn: account.startPasskeySignIn,
  startStaffPasskeyRegistration: account.startPasskeyRegistration,
  registerStaffPasskey: account.registerPasskey,
  listStaffPasskeys: account.listPasskeys,
  renameStaffPasskey: account.renamePasskey,
  removeStaffPasskey: account.removePasskey,
  listStaffSessions: account.listSessions,
  endStaffSession: account.endSession,
  getOwnStaff: { response: ownStaff },
  updateOwnStaff: {
    body: { late_offers_mail: 'daily' },
    response: { ...ownStaff, late_offers_mail: 'daily' },
  },
  listStaff: { response: { data: [member], next_cursor: null } },
  inviteStaff: {
    body: { email: member.email, name: member.name, role: 'dispatcher' },
    response: { ...member, joined_at: null } satisfies StaffMember,
  },
  updateStaff: {
    params: memberPath,
    body: { role: 'auditor' },
    response: { ...member, role: 'auditor' } satisfies StaffMember,
  },
  removeStaff: { params: memberPath },
  getFirmReadiness: { response: READINESS_EXAMPLE },
  listKeys: { response: { data: [key], next_cursor: null } },
  createKey: {
    body: { environment: 'test', purpose: 'full_access', name: 'Claims import' },
    response: { key: newKey, secret: 'svc_test_EXAMPLE' },
  },
  rollKey: {
    params: keyPath,
    body: { overlap_hours: 24 },
    response: {
      key: newKey,
      secret: 'svc_test_EXAMPLE',
      replaced: { ...key, expires_at: '2026-08-30T15:00:00.000Z' },
    } satisfies RolledKeyDocument,
  },
  updateKey: { params: keyPath, body: { name: 'Claims import' }, response: key },
  revokeKeysOfMaker: {
    body: { staff_id: member.id },
    response: { data: [{ ...key, revoked_at: '2026-08-29T15:00:00.000Z' }], next_cursor: null },
  },
  revokeKey: {
    params: keyPath,
    response: { ...key, revoked_at: '2026-08-29T15:00:00.000Z' } satisfies ApiKeyDocument,
  },
  getLimits: { response: firmLimits },
  listRequests: {
    search: 'code=validation_failed&path=%2Fv1%2Fclaims',
    response: { data: [loggedRequest], next_cursor: null },
  },
  getRequest: { params: { request_id: loggedRequest.request_id }, response: loggedRequest },
  listAudit: { search: 'action=key.roll', response: { data: [auditEvent], next_cursor: null } },
  verifyAudit: {
    response: {
      intact: true,
      rows: 4711,
      last: { seq: 4711, hash: HASH },
    } satisfies AuditVerificationDocument,
  },
  changeFirm: { body: { firm_id: FIRM.id }, response: ownStaff },
  ...CLOCK_EXAMPLES,
  ...WEBHOOK_EXAMPLES,
  ...IMPORT_EXAMPLES,
};
