import type { IncomingMessage, ServerResponse } from 'node:http';
import { RejectedAnswer } from '@svc/application';
import { type AdmissionDeps, createAdmission, requireUnambiguous } from './admission.ts';
import { useSessionCookie } from './browser-session.ts';
import { createLargeResponses } from './limits/large-responses.ts';
import { createPageHost } from './page-host.ts';
import { createPipeline, type PipelineDeps } from './pipeline/request-pipeline.ts';
import { createIntendedPath, unknownPath } from './problems/unknown-path.ts';
import { logWhenCompleted, type RequestLogDeps, type RequestTrace } from './request-log.ts';
import { sendError, sendResult } from './responding.ts';
import { commonHeaders, setHeaders } from './response-headers.ts';
import { createMatcher, type Matched } from './routes/matcher.ts';
import type { PageRoute } from './routes/page-route.ts';
import type { Route } from './routes/route.ts';

interface HttpApplicationDeps extends AdmissionDeps, PipelineDeps, RequestLogDeps {
  readonly routes: readonly Route[];
  readonly pages: readonly PageRoute[];
}

/** Handles a request. Returns what the logs show of it; null if it was rejected before. */
export type HttpApplication = (request: IncomingMessage, response: ServerResponse) => RequestTrace | null;

/** Builds the application: admission, request log, routing, and for an operation its pipeline and response. */
export function createHttpApplication(deps: HttpApplicationDeps): HttpApplication {
  const { addresses, routes, pages, tracing } = deps;
  const admit = createAdmission(deps);
  const match = createMatcher<Route | PageRoute>([...routes, ...pages]);
  const responses = createLargeResponses();
  const pipeline = createPipeline(deps, responses);
  const serve = createPageHost();
  const intendedPath = createIntendedPath(routes.map(({ endpoint }) => endpoint.path));

  const handleOperation = async (
    found: Matched<Route>,
    search: string,
    request: IncomingMessage,
    response: ServerResponse,
    trace: RequestTrace,
  ): Promise<void> => {
    const { route } = found;
    const result = await pipeline.handle(found, search, request, response, trace);
    if (result.claimId !== undefined) trace.claimId = result.claimId;
    if (result.readPage !== undefined && trace.behavior !== undefined) trace.behavior.page = result.readPage;
    if (trace.audit !== undefined) {
      if (result.reads !== undefined) trace.audit.reads = result.reads;
      if (result.rejections !== undefined) trace.audit.rejections = result.rejections;
    }
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
      if (found === null || !('route' in found)) {
        // Without a valid key, unknown paths are `invalid_key`, so that paths cannot be discovered.
        if (needsKey(path)) await pipeline.requireKey(request, trace);
        throw found ?? unknownPath(addresses, intendedPath(path));
      }
      const { route, params } = found;
      if (route.caller !== 'page') {
        await handleOperation({ route, params }, url.slice(pathEnd + 1), request, response, trace);
        return;
      }
      setHeaders(response, commonHeaders(trace.requestId, addresses));
      await serve(route, request, response, trace);
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
