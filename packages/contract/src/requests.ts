import type { StaffPermission } from '@svc/domain/vocabulary';
import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';
import { fields, headerText, oneOf, uuidParameter } from './fields.ts';
import { LIMITS } from './limits.ts';
import type { ErrorCode } from './problems.ts';

// What the endpoints of several APIs have in common.

export const ANY_REQUEST = ['validation_failed', 'internal_error', 'service_unavailable'] as const;
export const KEY_REQUEST = ['invalid_key', 'rate_limited', ...ANY_REQUEST] as const;
export const SCOPED_REQUEST = ['insufficient_scope', 'not_in_plan', ...KEY_REQUEST] as const;
/** Of a session that may be without a passkey where the operator requires one. */
export const ANY_SESSION_REQUEST = ['invalid_session', 'rate_limited', ...ANY_REQUEST] as const;
export const SESSION_REQUEST = ['passkey_required', ...ANY_SESSION_REQUEST] as const;
const SESSION_ONLY: readonly ErrorCode[] = ['passkey_required', 'invalid_session'];
export const WITH_BODY = ['malformed_request', 'payload_too_large'] as const;
export const NAMES_ADJUSTER = [
  'unknown_osaid',
  'environment_mismatch',
  'adjuster_not_in_firm',
  'adjuster_not_accepting',
] as const;

export const idempotencyHeaders = z.object({
  'Idempotency-Key': headerText(LIMITS.idempotencyKey, {
    description: `A unique value that you choose for this request. A retry with the same value within ${LIMITS.idempotencyWindowHours} hours returns the existing result.`,
    example: '6f1f4c0e-6c0b-4a2f-9d57-8f3f3f0a1c22',
  }),
});

export const claimParams = fields({
  id: uuidParameter(
    {
      description: "The service's id of the claim.",
      example: '0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10',
    },
    'use the id from the response to sending, or find the claim with GET /v1/claims?external_id=.',
  ),
});

export const statusFilter = <const Status extends string>(values: readonly Status[], example: Status) =>
  oneOf(values, { description: 'Only claims with this status.', example }).optional();

/** Of a staff member's session. */
export const STAFF_REQUEST = ['insufficient_scope', 'not_in_plan', ...SESSION_REQUEST] as const;

/** An operation of `/v1` with the session of a staff member instead of a key. */
export const atDesk = <const Permission extends StaffPermission>({
  scope,
  problems,
}: Pick<Endpoint, 'problems'> & { readonly scope: Permission }) =>
  ({
    auth: 'staff',
    scope: null,
    permission: scope,
    problems: problems.flatMap((code) => (code === 'invalid_key' ? SESSION_ONLY : [code])),
  }) as const;

/** An endpoint of the desk that is open, or names what a role needs for it; null: any role. */
export type DeskEndpoint = Endpoint &
  ({ readonly auth: 'none' } | { readonly auth: 'staff'; readonly permission: StaffPermission | null });

export const openWrite = { auth: 'none', scope: null, write: true } as const;

/** A read of the desk, for roles with the permission. */
export const staffRead = <const Permission extends StaffPermission | null>(permission: Permission) =>
  ({ auth: 'staff', scope: null, permission, write: false }) as const;

export const staffWrite = <const Permission extends StaffPermission | null>(permission: Permission) =>
  ({ auth: 'staff', scope: null, permission, write: true }) as const;
