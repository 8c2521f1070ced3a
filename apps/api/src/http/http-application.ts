import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ReceiptSigner, RejectedAnswer } from '@svc/application';
import type { RequestHandler } from 'express';
import { type AdmissionDeps, createAdmission, requireUnambiguous } from './admission.ts';
import { useSessionCookie } from './browser-session.ts';
import type { DocsAddresses } from './docs/files.ts';
import { docsHandler } from './docs/handler.ts';
import { createLargeResponses } from './limits/large-responses.ts';
import { createPipeline, type PipelineDeps } from './pipeline/request-pipeline.ts';
import { HttpProblem } from './problems/http-problem.ts';
import { createIntendedPath } from './problems/intended-path.ts';
import { jwksHandler } from './receipts/jwks-handler.ts';
import { logWhenCompleted, type RequestLogDeps, type RequestTrace } from './request-log.ts';
import { sendError, sendResult } from './responding.ts';
import { commonHeaders, setHeaders } from './response-headers.ts';
import { createMatcher, type MatchedRoute } from './routes/matcher.ts';
import type { Route } from './routes/route.ts';
import { createSites } from './sites.ts';
import { statusHandler } from './status/handler.ts';
import type { StatusMonitor } from './status/status.ts';

interface HttpApplicationDeps extends AdmissionDeps, PipelineDeps, RequestLogDeps {
  readonly routes: readonly Route[];
  readonly status: StatusMonitor;
  /** Serves the adjuster app and passes other requests on. */
  readonly adjusterApp: RequestHandler;
  /** Serves the live updates of the firm's desk. */
  readonly deskChanges: RequestHandler;
  /** Serves the firm's desk and passes other requests on. */
  readonly desk: RequestHandler;
  readonly addresses: DocsAddresses;
  readonly receiptSigner: ReceiptSigner;
}

/** Handles a request. Returns what the logs show of it; null if it was rejected before. */
export type HttpApplication = (request: IncomingMessage, response: ServerResponse) => RequestTrace | null;

/** Builds the application: admission, request log, routing, and for an operation its pipeline and response. */
export function createHttpApplication(deps: HttpApplicationDeps): HttpApplication {
  const { addresses, routes, tracing } = deps;
  const admit = createAdmission(deps);
  const match = createMatcher(routes);
  const responses = createLargeResponses();
  const pipeline = createPipeline(deps, responses);
  const intendedPath = createIntendedPath(routes.map(({ endpoint }) => endpoint.path));
  const notFound = (path: string): HttpProblem => {
    const intended = intendedPath(path);
    const hint = intended === null ? '' : ` Did you mean ${intended}?`;
    return new HttpProblem('not_found', {
      detail: `This path is not part of the interface.${hint} The documentation is at ${addresses.docsUrl}.`,
    });
  };
  const sites = createSites(
    [
      deps.adjusterApp,
      deps.deskChanges,
      jwksHandler(deps),
      deps.desk,
      statusHandler(deps.status, addresses),
      docsHandler(addresses),
      ({ path }) => {
        throw notFound(path);
      },
    ],
    (error, response, trace) => sendError(error, deps, response, trace),
  );

  const handleOperation = async (
    found: MatchedRoute,
    search: string,
    request: IncomingMessage,
    response: ServerResponse,
    trace: RequestTrace,
  ): Promise<void> => {
    const { route } = found;
    const result = await pipeline.handle(found, search, request, response, trace);
    if (result.claimId !== undefined) trace.claimId = result.claimId;
    if (result.readPage !== undefined && trace.behavior !== undefined) trace.behavior.page = result.readPage;
    if (result.reads !== undefined && trace.audit !== undefined) trace.audit.reads = result.reads;
    await sendResult({ result, route, trace }, { responses, addresses }, request, response);
  };

  const handle = async (
    request: IncomingMessage,
    response: ServerResponse,
    trace: RequestTrace,
  ): Promise<void> => {
    try {
      logWhenCompleted(deps, request, response, trace);
      requireUnambiguous(request, response);
      const { method = '', url = '' } = request;
      const pathEnd = `${url}?`.indexOf('?');
      const path = url.slice(0, pathEnd);
      if (path.startsWith('/app/') || path.startsWith('/firm/')) useSessionCookie(request, path, addresses);
      const found = match(method, path);
      if (found !== null && 'route' in found) {
        await handleOperation(found, url.slice(pathEnd + 1), request, response, trace);
        return;
      }
      // Without a valid key, unknown paths are `invalid_key`, so that paths cannot be discovered.
      if (needsKey(path)) {
        await pipeline.requireKey(request, trace);
        throw found ?? notFound(path);
      }
      if (found !== null) throw found;
      setHeaders(response, commonHeaders(trace.requestId, addresses));
      sites(request, response, trace);
    } catch (error) {
      if (error instanceof RejectedAnswer && trace.audit !== undefined) trace.audit.rejectedAnswer = error;
      sendError(error, deps, response, trace);
    }
  };
  return (request, response) => {
    const trace = admit(request, response);
    if (trace === null) return null;
    if (tracing === null) void handle(request, response, trace);
    else tracing.request(request, () => void handle(request, response, trace));
    return trace;
  };
}

const needsKey = (path: string): boolean => /^\/v1(?!\/health$)(\/|$)/.test(path);
