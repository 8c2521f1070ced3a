import { type SessionAuthenticator, Unavailable } from '@svc/application';
import type { Request, RequestHandler, Response } from 'express';
import type { RequestTrace } from '../pipeline/request-pipeline.ts';
import { HttpProblem, type ProblemAddresses } from '../problems/http-problem.ts';
import { IMMUTABLE, sendContent } from '../static/compression.ts';
import { isFromPage, isSameOrigin, sessionOf } from './browser-session.ts';
import { type PageFile, readPageFiles } from './files.ts';
import type { LiveUpdates } from './live-updates.ts';

interface AdjusterPageDeps {
  readonly sessionGate: SessionAuthenticator;
  readonly live: LiveUpdates;
  readonly addresses: ProblemAddresses;
  /** The key that browsers subscribe to push messages with. */
  readonly pushKey: () => string;
  readonly isDraining: () => boolean;
}

/** Nothing inline, nothing from elsewhere. */
const POLICY = [
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

/**
 * The adjuster's page: its files at `/app` and below, its events, and the way from its cookie to the session that the
 * app's interface asks for. Everything else is passed on.
 */
export function adjusterAppHandler(deps: AdjusterPageDeps): RequestHandler {
  const { addresses } = deps;
  let files: { readonly prefix: string; readonly found: ReadonlyMap<string, PageFile> } | undefined;
  const fileOf = (path: string): PageFile | undefined => {
    const prefix = new URL(addresses.baseUrl).pathname.replace(/\/$/, '');
    if (files?.prefix !== prefix) {
      const found = readPageFiles(prefix);
      if (found === null) {
        throw new HttpProblem('not_found', {
          detail: 'The page has not been built; the command "npx pnpm build" does that.',
        });
      }
      files = { prefix, found };
    }
    return files.found.get(path === '/app' || path === '/app/' ? 'index.html' : path.slice('/app/'.length));
  };

  const handle: RequestHandler = async (request, response, next) => {
    const { path, method } = request;
    if (path !== '/app' && !path.startsWith('/app/')) return next();
    const trace = response.locals.trace as RequestTrace;

    const ofSession = path === '/app/session' || path === '/app/sessions';
    if (ofSession || path.startsWith('/app/v1/')) {
      const fromPage = isFromPage(request, addresses);
      if (ofSession && !fromPage) {
        throw new HttpProblem('invalid_session', { detail: 'Only the page itself may make this call.' });
      }
      const token = fromPage ? sessionOf(request, addresses) : null;
      // From here on a request of the page is as any other app's.
      if (request.headers.authorization === undefined && token !== null) {
        request.headers.authorization = `Bearer ${token}`;
      }
      return next();
    }

    const events = path === '/app/events';
    const key = path === '/app/push-key';
    const file = events || key ? undefined : fileOf(path);
    if (!events && !key && file === undefined) return next();
    trace.route = file === undefined ? `GET ${path}` : file.immutable ? 'GET /app/assets/{name}' : 'GET /app';
    if (method !== 'GET' && (method !== 'HEAD' || events)) {
      throw new HttpProblem('method_not_allowed', { headers: { Allow: events ? 'GET' : 'GET, HEAD' } });
    }
    if (file !== undefined) {
      // Its scope reaches above its own folder: the page is at /app.
      if (path === '/app/sw.js') response.setHeader('Service-Worker-Allowed', `${files?.prefix ?? ''}/app`);
      return sendFile(file, request, response);
    }
    if (key) {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ key: deps.pushKey() }));
      return;
    }

    const token = isSameOrigin(request, addresses) ? sessionOf(request, addresses) : null;
    const session = token === null ? null : await deps.sessionGate.authenticate(token);
    if (token === null || session === null) throw new HttpProblem('invalid_session');
    if (deps.isDraining()) throw new Unavailable('the service is shutting down');
    const seen = request.headers['last-event-id'];
    deps.live.open({
      svcId: session.svcId,
      response,
      seen: typeof seen === 'string' ? seen : null,
      isSignedIn: async () => (await deps.sessionGate.authenticate(token)) !== null,
    });
  };
  // Firms' requests pass by here too, and need not wait for a promise.
  return (request, response, next) =>
    request.url.startsWith('/app') ? handle(request, response, next) : next();
}

function sendFile({ content, immutable }: PageFile, request: Request, response: Response): Promise<void> {
  // Without a digest in its name a file is asked for each time, and mostly not sent.
  response.setHeader('Cache-Control', immutable ? IMMUTABLE : 'no-cache');
  response.setHeader('Content-Security-Policy', POLICY);
  response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
  response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
  response.setHeader('Permissions-Policy', 'camera=(), geolocation=(), microphone=(), payment=()');
  response.setHeader('Referrer-Policy', 'no-referrer');
  return sendContent(content, request, response);
}
