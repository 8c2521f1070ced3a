import {
  type ApiKey,
  type Firm,
  type FirmLimits,
  type LoggedRequest,
  makerOf,
  toDateTime,
  toDateTimeOrNull,
} from '@svc/application';
import {
  type ApiKeyDocument,
  ERRORS,
  type ErrorCode,
  type FirmLimitsDocument,
  type LoggedRequestDocument,
  problemType,
} from '@svc/contract';
import {
  type Environment,
  type Instant,
  type KeyId,
  limitsOf,
  type StaffMember,
  scopesOf,
} from '@svc/domain';

/** What the documents of keys need besides the keys. */
export interface KeyContext {
  /** Its plan and limits apply to the key. */
  readonly firm: Pick<Firm, 'plan' | 'limits'>;
  readonly staff: readonly StaffMember[];
  readonly now: Instant;
}

function keyLimitsToWire(environment: Environment, { limits }: Pick<Firm, 'limits'>) {
  const { requestsPerMinute, writesPerMinute, burst } = limitsOf(environment, limits);
  return { requests_per_minute: requestsPerMinute, writes_per_minute: writesPerMinute, burst };
}

export function keyToWire(key: ApiKey, { firm, staff, now }: KeyContext): ApiKeyDocument {
  const { maker, attention } = makerOf(key, staff, now);
  return {
    id: key.id,
    name: key.name,
    environment: key.environment,
    purpose: key.purpose,
    scopes: scopesOf(key.purpose, firm.plan),
    created_at: toDateTime(key.createdAt),
    expires_at: toDateTimeOrNull(key.expiresAt),
    revoked_at: toDateTimeOrNull(key.revokedAt),
    last_used_at: toDateTimeOrNull(key.lastUsedAt),
    created_by: { kind: maker.kind, staff_id: maker.staffId, name: maker.name },
    attention,
    limits: keyLimitsToWire(key.environment, firm),
  };
}

/** What the documents of requests need besides the log. */
export interface RequestContext {
  readonly docsUrl: string;
  readonly keyNames: ReadonlyMap<KeyId, string | null>;
}

const isKnown = (code: string | null): code is ErrorCode => code !== null && Object.hasOwn(ERRORS, code);

export const requestToWire = (
  request: LoggedRequest,
  { docsUrl, keyNames }: RequestContext,
): LoggedRequestDocument => ({
  at: toDateTime(request.at),
  request_id: request.requestId,
  key_id: request.keyId,
  key_name: keyNames.get(request.keyId) ?? null,
  environment: request.environment,
  route: request.route,
  status: request.status,
  code: request.code,
  documentation_url: isKnown(request.code) ? problemType(request.code, docsUrl) : null,
  detail: request.problem?.detail ?? (isKnown(request.code) ? ERRORS[request.code].cause : null),
  places: [...request.places],
  place_details: [...(request.problem?.ofPlaces ?? [])],
  existing_claim_id: request.problem?.existingClaimId ?? null,
  duration_ms: request.durationMs,
});

export const limitsToWire = ({ firm, keys, days, countedSince }: FirmLimits): FirmLimitsDocument => ({
  keys: keys.map(({ key, used, limited }) => {
    const { id, environment, purpose } = key;
    const limits = keyLimitsToWire(environment, firm);
    return { key_id: id, environment, purpose, limits, used, rate_limited: limited };
  }),
  days: days.map(({ at, live, test }) => ({ date: toDateTime(at).slice(0, 10), live, test })),
  counted_since: toDateTime(countedSince),
});
