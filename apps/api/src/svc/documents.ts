import type { ApiKey, AppClaimView, Firm, LoggedRequest } from '@svc/application';
import { type Adjuster, type Membership, statusAt } from '@svc/domain';
import type { readSchemaState } from '../composition/compose.ts';
import { toDateTime, toDateTimeOrNull } from '../http/serialization/time.ts';

// What the commands answer, in the words of the wire.

export const firmDocument = (firm: Firm) => ({
  id: firm.id,
  name: firm.name,
  plan: firm.plan,
  limits: {
    requests_per_minute: firm.limits.requestsPerMinute,
    writes_per_minute: firm.limits.writesPerMinute,
    burst: firm.limits.burst,
  },
  created_at: toDateTime(firm.createdAt),
});

/** @param scopes as they are now. */
export const keyDocument = (key: ApiKey, scopes: readonly string[]) => ({
  id: key.id,
  environment: key.environment,
  purpose: key.purpose,
  scopes,
  created_at: toDateTime(key.createdAt),
  expires_at: toDateTimeOrNull(key.expiresAt),
  revoked_at: toDateTimeOrNull(key.revokedAt),
  last_used_at: toDateTimeOrNull(key.lastUsedAt),
});

export const adjusterDocument = (adjuster: Adjuster) => ({
  svc_id: adjuster.svcId,
  test: adjuster.testOf !== null,
  first_name: adjuster.firstName,
  last_name: adjuster.lastName,
  email: adjuster.email,
});

export const memberDocument = (membership: Membership, now: number) => ({
  firm_id: membership.firmId,
  svc_id: membership.svcId,
  status: statusAt(membership, now),
  can_accept_claims: membership.canAcceptClaims,
  accepting_assignments: membership.acceptingAssignments,
});

/** What a request met: where it was wrong, not what it said. */
export const requestDocument = (request: LoggedRequest) => ({
  at: toDateTime(request.at),
  request_id: request.requestId,
  key_id: request.keyId,
  route: request.route,
  status: request.status,
  code: request.code,
  places: request.places,
  duration_ms: request.durationMs,
});

/** What an operator needs to help, without what was sent: that is the firm's and its policyholder's. */
export const claimDocument = (
  claim: AppClaimView & { readonly externalId: string; readonly claimNumber: string },
) => ({
  id: claim.id,
  firm: claim.firm,
  test: claim.environment === 'test',
  external_id: claim.externalId,
  claim_number: claim.claimNumber,
  created_at: toDateTime(claim.createdAt),
  updated_at: toDateTime(claim.updatedAt),
  assignment: {
    status: claim.assignment.status,
    adjuster_svc_id: claim.assignment.adjuster,
    offered_at: toDateTime(claim.assignment.offeredAt),
    responded_at: toDateTimeOrNull(claim.assignment.respondedAt),
  },
  closed_at: toDateTimeOrNull(claim.closedAt),
});

/** What the database has been through. */
export const schemaDocument = (state: Awaited<ReturnType<typeof readSchemaState>>) => ({
  ...state,
  applied: state.applied.map((migration) => ({ ...migration, at: toDateTime(migration.at) })),
});
