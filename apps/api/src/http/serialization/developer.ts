import { type ApiKey, type Firm, type LoggedRequest, toDateTime, toDateTimeOrNull } from '@svc/application';
import type { ApiKeyDocument, LoggedRequestDocument } from '@svc/contract';
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
  route: request.route,
  status: request.status,
  code: request.code,
  places: [...request.places],
  duration_ms: request.durationMs,
});
