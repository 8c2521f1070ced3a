import { type SessionAuthenticator, Unavailable } from '@svc/application';
import type { Svcid } from '@svc/domain';
import type { Request, RequestHandler, Response } from 'express';
import { isSameOrigin, sessionOf } from '../browser-session.ts';
import type { LiveUpdates } from '../live-updates.ts';
import { HttpProblem, type ProblemAddresses } from '../problems/http-problem.ts';
import type { RequestTrace } from '../request-log.ts';
import { IMMUTABLE, sendContent } from '../static/compression.ts';
import { type AppFile, readAppFiles } from './files.ts';

interface AdjusterAppDeps {
  readonly sessionAuthenticator: SessionAuthenticator;
  readonly liveUpdates: LiveUpdates<Svcid>;
  readonly addresses: ProblemAddresses;
  /** The VAPID public key, with which browsers subscribe to push messages. */
  readonly pushKey: () => string;
  readonly isDraining: () => boolean;
}

/** No inline code and nothing from other origins. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Serves the adjuster app: its files at `/app` and below, its live updates and push key. Other requests are passed on. */
export function adjusterAppHandler(deps: AdjusterAppDeps): RequestHandler {
  const { addresses } = deps;
  let files: { readonly prefix: string; readonly byPath: ReadonlyMap<string, AppFile> } | undefined;
  const fileOf = (path: string): AppFile | undefined => {
    const prefix = new URL(addresses.baseUrl).pathname.replace(/\/$/, '');
    if (files?.prefix !== prefix) {
      const byPath = readAppFiles(prefix);
      if (byPath === null) {
        throw new HttpProblem('not_found', {
          detail: 'The adjuster app has not been built. Run "npx pnpm@12.21.0 build".',
        });
      }
      files = { prefix, byPath };
    }
    return files.byPath.get(path === '/app' || path === '/app/' ? 'index.html' : path.slice('/app/'.length));
  };

  return async (request, response, next) => {
    const { path, method } = request;
    if (!/^\/app($|\/(?!v1\/))/.test(path)) return next();
    const trace = response.locals.trace as RequestTrace;

    const isEvents = path === '/app/events';
    const isPushKey = path === '/app/push-key';
    const file = isEvents || isPushKey ? undefined : fileOf(path);
    if (!isEvents && !isPushKey && file === undefined) return next();
    trace.route = file === undefined ? `GET ${path}` : file.immutable ? 'GET /app/assets/{name}' : 'GET /app';
    if (method !== 'GET' && (method !== 'HEAD' || isEvents)) {
      throw new HttpProblem('method_not_allowed', { headers: { Allow: isEvents ? 'GET' : 'GET, HEAD' } });
    }
    if (file !== undefined) {
      // Its scope /app is above its own folder /app/.
      if (path === '/app/sw.js') response.setHeader('Service-Worker-Allowed', `${files?.prefix ?? ''}/app`);
      return sendFile(file, request, response);
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
    });
  };
}

function sendFile({ content, immutable }: AppFile, request: Request, response: Response): Promise<void> {
  // A file without a digest in its name is revalidated each time.
  response.setHeader('Cache-Control', immutable ? IMMUTABLE : 'no-cache');
  response.setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY);
  response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
  response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
  response.setHeader('Permissions-Policy', 'camera=(), geolocation=(self), microphone=(), payment=()');
  response.setHeader('Referrer-Policy', 'no-referrer');
  return sendContent(content, request, response);
}
