import { CHECK_TEXTS, type LoggedRequest, type ReadinessState, toDateTime } from '@svc/application';
import type { Readiness } from '@svc/contract';

const MAX_FINDINGS = 10;
const MAX_REQUESTS = 10;

const requestToWire = ({ requestId, at, keyId, route, behavior, status, code }: LoggedRequest) => {
  const operation = behavior?.operation ?? route;
  const simulated = operation !== route;
  return { request_id: requestId, at: toDateTime(at), key_id: keyId, operation, status, code, simulated };
};

export const readinessToWire = ({ since, until, checks, ...graded }: ReadinessState): Readiness => ({
  ...graded,
  since: toDateTime(since),
  until: toDateTime(until),
  checks: checks.map(({ check, state, passed, findings }) => ({
    check,
    state,
    ...CHECK_TEXTS[check],
    passed,
    finding_count: findings.length,
    findings: findings.slice(-MAX_FINDINGS).map(({ detail, claimId, requests }) => ({
      detail,
      claim_id: claimId,
      requests: requests.slice(0, MAX_REQUESTS).map(requestToWire),
    })),
  })),
});
