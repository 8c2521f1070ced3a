import { byAccount, type SessionAuthenticator, Unavailable } from '@svc/application';
import { deskEndpoints } from '@svc/contract';
import { checkPermission, type FirmId } from '@svc/domain';
import type { RequestHandler } from 'express';
import { isSameOrigin, sessionOf } from './browser-session.ts';
import type { LiveUpdates } from './live-updates.ts';
import { auditedRequest } from './pipeline/audited-requests.ts';
import { bearerToken } from './pipeline/credentials.ts';
import { parseOrThrow } from './pipeline/request-pipeline.ts';
import { HttpProblem, type ProblemAddresses } from './problems/http-problem.ts';
import type { RequestTrace } from './request-log.ts';

const PATH = '/firm/v1/changes';

/**
 * Serves the live updates of the firm's desk: events say that a claim of the firm has changed, and nothing of it. By
 * token, or by the cookie of the page, whose EventSource sends no headers of its own.
 */
export function deskChangesHandler(deps: {
  readonly sessionAuthenticator: SessionAuthenticator;
  readonly boardUpdates: LiveUpdates<FirmId>;
  readonly addresses: ProblemAddresses;
  readonly isDraining: () => boolean;
}): RequestHandler {
  const { addresses } = deps;
  return async (request, response, next) => {
    if (request.path !== PATH) return next();
    const trace = response.locals.trace as RequestTrace;
    trace.route = `GET ${PATH}`;
    if (request.method !== 'GET') throw new HttpProblem('method_not_allowed', { headers: { Allow: 'GET' } });
    const ofPage = isSameOrigin(request, addresses) ? sessionOf('firm', request, addresses) : null;
    const token = bearerToken(request) ?? ofPage;
    const session = token === null ? null : await deps.sessionAuthenticator.authenticateStaff(token);
    if (session === null) throw new HttpProblem('invalid_session');
    if (session.mayOnlyAddPasskey) throw new HttpProblem('passkey_required');
    const { staffId, firmId, role, plan } = session.staff;
    const { requestId, clientAddress: address } = trace;
    const caller = byAccount({ firmId, staffId, origin: { requestId, address } });
    trace.audit = auditedRequest(deskEndpoints.listBoardClaims, {}, caller, firmId);
    checkPermission('claims:read', role, plan);
    // Without parameters, as that one.
    const search = request.url.slice(PATH.length + 1);
    parseOrThrow({ endpoint: deskEndpoints.getOwnStaff, rules: [] }, { search });
    if (deps.isDraining()) throw new Unavailable('The service is shutting down.', 'draining');
    const lastEventId = request.headers['last-event-id'];
    deps.boardUpdates.subscribe({
      account: staffId,
      topic: firmId,
      response,
      seen: typeof lastEventId === 'string' ? lastEventId : null,
      tokenHash: session.tokenHash,
      role,
    });
  };
}
