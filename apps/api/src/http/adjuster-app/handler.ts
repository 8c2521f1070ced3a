import { type SessionAuthenticator, Unavailable } from '@svc/application';
import type { Svcid } from '@svc/domain';
import type { RequestHandler } from 'express';
import { isSameOrigin, sessionOf } from '../browser-session.ts';
import type { LiveUpdates } from '../live-updates.ts';
import { HttpProblem, type ProblemAddresses } from '../problems/http-problem.ts';
import type { RequestTrace } from '../request-log.ts';
import { createPageFiles } from '../static/page-files.ts';

interface AdjusterAppDeps {
  readonly sessionAuthenticator: SessionAuthenticator;
  readonly liveUpdates: LiveUpdates<Svcid>;
  readonly addresses: ProblemAddresses;
  /** The VAPID public key, with which browsers subscribe to push messages. */
  readonly pushKey: () => string;
  readonly isDraining: () => boolean;
}

const PERMISSIONS_POLICY = 'camera=(), geolocation=(self), microphone=(), payment=()';

/** Serves the adjuster app: its files at `/app` and below, its live updates and push key. Other requests are passed on. */
export function adjusterAppHandler(deps: AdjusterAppDeps): RequestHandler {
  const { addresses } = deps;
  const page = { package: '@svc/adjuster', path: '/app', permissionsPolicy: PERMISSIONS_POLICY };
  const files = createPageFiles(page, addresses);
  return async (request, response, next) => {
    const { path, method } = request;
    if (!/^\/app($|\/(?!v1\/))/.test(path)) return next();
    const trace = response.locals.trace as RequestTrace;

    const isEvents = path === '/app/events';
    const isPushKey = path === '/app/push-key';
    const file = isEvents || isPushKey ? undefined : files.find(path);
    if (!isEvents && !isPushKey && file === undefined) return next();
    trace.route = file === undefined ? `GET ${path}` : file.immutable ? 'GET /app/assets/{name}' : 'GET /app';
    if (method !== 'GET' && (method !== 'HEAD' || isEvents)) {
      throw new HttpProblem('method_not_allowed', { headers: { Allow: isEvents ? 'GET' : 'GET, HEAD' } });
    }
    if (file !== undefined) {
      // Its scope /app is above its own folder /app/.
      if (path === '/app/sw.js')
        response.setHeader('Service-Worker-Allowed', new URL(`${addresses.baseUrl}/app`).pathname);
      return files.send(file, request, response);
    }
    if (isPushKey) {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ key: deps.pushKey() }));
      return;
    }

    const token = isSameOrigin(request, addresses) ? sessionOf('app', request, addresses) : null;
    const session = token === null ? null : await deps.sessionAuthenticator.authenticate(token);
    if (token === null || session === null) throw new HttpProblem('invalid_session');
    if (session.mayOnlyAddPasskey) throw new HttpProblem('passkey_required');
    if (deps.isDraining()) throw new Unavailable('The service is shutting down.', 'draining');
    const lastEventId = request.headers['last-event-id'];
    deps.liveUpdates.subscribe({
      account: session.svcId,
      topic: session.svcId,
      response,
      seen: typeof lastEventId === 'string' ? lastEventId : null,
      tokenHash: session.tokenHash,
      role: null,
    });
  };
}
