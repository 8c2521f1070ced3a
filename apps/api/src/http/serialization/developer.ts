import {
  type ApiKey,
  type Firm,
  type FirmLimits,
  type LoggedRequest,
  toDateTime,
  toDateTimeOrNull,
} from '@svc/application';
import type { ApiKeyDocument, FirmLimitsDocument, LoggedRequestDocument } from '@svc/contract';
import { limitsOf, scopesOf } from '@svc/domain';

/** @param firm its plan and limits apply to the key. */
export function keyToWire(key: ApiKey, firm: Pick<Firm, 'plan' | 'limits'>): ApiKeyDocument {
  const { requestsPerMinute, writesPerMinute, burst } = limitsOf(key.environment, firm.limits);
  return {
    id: key.id,
    environment: key.environment,
    purpose: key.purpose,
    scopes: scopesOf(key.purpose, firm.plan),
    created_at: toDateTime(key.createdAt),
    expires_at: toDateTimeOrNull(key.expiresAt),
    revoked_at: toDateTimeOrNull(key.revokedAt),
    last_used_at: toDateTimeOrNull(key.lastUsedAt),
    limits: { requests_per_minute: requestsPerMinute, writes_per_minute: writesPerMinute, burst },
  };
}

export const requestToWire = (request: LoggedRequest): LoggedRequestDocument => ({
  at: toDateTime(request.at),
  request_id: request.requestId,
  key_id: request.keyId,
  environment: request.environment,
  route: request.route,
  status: request.status,
  code: request.code,
  places: [...request.places],
  duration_ms: request.durationMs,
});

export const limitsToWire = ({ firm, keys, days, countedSince }: FirmLimits): FirmLimitsDocument => ({
  keys: keys.map(({ key, used, limited }) => {
    const { id, environment, purpose, limits } = keyToWire(key, firm);
    return { key_id: id, environment, purpose, limits, used, rate_limited: limited };
  }),
  days: days.map(({ at, live, test }) => ({ date: toDateTime(at).slice(0, 10), live, test })),
  counted_since: toDateTime(countedSince),
});
