import { byAccount, type SessionAuthenticator, Unavailable } from '@svc/application';
import { deskEndpoints } from '@svc/contract';
import { checkPermission, type FirmId, type Svcid } from '@svc/domain';
import type { Request } from 'express';
import { isSameOrigin, type Page, sessionOf } from './browser-session.ts';
import type { LiveUpdateSubscriber, LiveUpdates } from './live-updates.ts';
import { auditedRequest } from './pipeline/audited-requests.ts';
import { bearerToken } from './pipeline/credentials.ts';
import { parseOrThrow } from './pipeline/request-pipeline.ts';
import { HttpProblem, type ProblemAddresses } from './problems/http-problem.ts';
import type { RequestTrace } from './request-log.ts';
import { type PageRoute, pageRoute } from './routes/page-route.ts';

interface EventStreamDeps {
  readonly sessionAuthenticator: SessionAuthenticator;
  readonly liveUpdates: LiveUpdates<Svcid>;
  readonly boardUpdates: LiveUpdates<FirmId>;
  readonly addresses: ProblemAddresses;
  readonly isDraining: () => boolean;
}

type Reader<Topic extends string> = Omit<LiveUpdateSubscriber<Topic>, 'response' | 'seen'>;

/** Live updates of the adjuster app and the firm's desk: events say that something has changed, and nothing of it. */
export function eventStreams(deps: EventStreamDeps): PageRoute[] {
  const { addresses, sessionAuthenticator } = deps;
  const stream = <Topic extends string>(
    page: Page,
    path: string,
    updates: LiveUpdates<Topic>,
    readerOf: (token: string | null, request: Request, trace: RequestTrace) => Promise<Reader<Topic>>,
  ): PageRoute =>
    pageRoute(
      path,
      async (request, response, trace) => {
        const token = isSameOrigin(request, addresses) ? sessionOf(page, request, addresses) : null;
        const reader = await readerOf(token, request, trace);
        if (deps.isDraining()) throw new Unavailable('The service is shutting down.', 'draining');
        const lastEventId = request.headers['last-event-id'];
        updates.subscribe({
          ...reader,
          response,
          seen: typeof lastEventId === 'string' ? lastEventId : null,
        });
      },
      { isStream: true },
    );
  return [
    stream('app', '/app/events', deps.liveUpdates, async (token) => {
      const session = token === null ? null : await sessionAuthenticator.authenticate(token);
      if (session === null) throw new HttpProblem('invalid_session');
      if (session.mayOnlyAddPasskey) throw new HttpProblem('passkey_required');
      const { svcId, tokenHash } = session;
      return { account: svcId, topic: svcId, tokenHash, role: null };
    }),
    // By token too, for programs; the page's EventSource cannot send headers.
    stream('firm', '/firm/v1/changes', deps.boardUpdates, async (tokenOfPage, request, trace) => {
      const token = bearerToken(request) ?? tokenOfPage;
      const session = token === null ? null : await sessionAuthenticator.authenticateStaff(token);
      if (session === null) throw new HttpProblem('invalid_session');
      if (session.mayOnlyAddPasskey) throw new HttpProblem('passkey_required');
      const { staffId, firmId, role, plan } = session.staff;
      const { requestId, clientAddress: address } = trace;
      const caller = byAccount({ firmId, staffId, origin: { requestId, address } });
      trace.audit = auditedRequest(deskEndpoints.listBoardClaims, {}, caller, firmId);
      checkPermission('claims:read', role, plan);
      // Without parameters, as that one.
      const search = request.url.slice(request.path.length + 1);
      parseOrThrow(deskEndpoints.getOwnStaff, { search });
      return { account: staffId, topic: firmId, tokenHash: session.tokenHash, role };
    }),
  ];
}
