import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { type AuditEvent, type Batch, type Clock, requestIdAt, Unavailable } from '@svc/application';
import { type Endpoint, endpoints } from '@svc/contract';
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import type { Log } from '../logging.ts';
import type { DocsAddresses } from './docs/files.ts';
import { docsHandler } from './docs/handler.ts';
import { auditEventsOf } from './pipeline/audited-requests.ts';
import { isRepeated } from './pipeline/credentials.ts';
import { createLargeResponses } from './pipeline/large-responses.ts';
import {
  createPipeline,
  type PipelineDeps,
  type RequestTrace,
  recordProblem,
} from './pipeline/request-pipeline.ts';
import { asHttpProblem, HttpProblem, type ProblemAddresses, sendProblem } from './problems/http-problem.ts';
import { createIntendedPath } from './problems/intended-path.ts';
import { commonHeaders, setHeaders } from './response-headers.ts';
import type { Route } from './routes/route.ts';
import { createRouteMap, type MatchedRoute } from './routes/route-map.ts';
import { compress, encodingOf } from './static/compression.ts';
import { statusHandler } from './status/handler.ts';
import type { StatusMonitor } from './status/status.ts';

export interface EdgeLimiter {
  /** Returns false when this address has made too many requests. */
  allow(address: string): boolean;
}

/** Records each request in a trace. */
export interface RequestTracing {
  request(request: IncomingMessage, handle: () => void): void;
  /** Keeps the request's trace for a listener of events. */
  bind<Listener extends () => void>(listener: Listener): Listener;
}

interface AppDeps extends PipelineDeps {
  readonly routes: readonly Route[];
  readonly edgeLimiter: EdgeLimiter;
  readonly status: StatusMonitor;
  /** Serves the adjuster app and passes other requests on. */
  readonly adjusterApp: RequestHandler;
  /** Express' `trust proxy` setting. */
  readonly trustProxy: boolean | number | string;
  readonly addresses: DocsAddresses;
  readonly log: Log;
  /** The process is shutting down: each connection is closed after its current response. */
  readonly isDraining: () => boolean;
  /** Called after every response, for the metrics and the request log. */
  readonly observe: Observe;
  /** Takes the events of requests that no transaction records. */
  readonly auditBatch: Pick<Batch<AuditEvent>, 'add'>;
  /** Null: no traces. */
  readonly tracing: RequestTracing | null;
  readonly clock: Clock;
}

/** @param route method and path template; `none` for an unknown path. */
export type Observe = (completed: {
  readonly route: string;
  readonly status: number | 'aborted';
  readonly seconds: number;
  readonly trace: RequestTrace;
}) => void;

const TOO_MANY = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Too many requests</title></head>
<body><h1>Too many requests</h1><p>This address sends too many requests. Wait a minute, then try again.</p></body></html>
`;

/** Handles requests that are constructed with Express' prototypes. */
export type HttpApplication = ((request: Request, response: Response) => void) &
  Pick<Express, 'request' | 'response'>;

/** Builds the application. Reads no environment and opens no port. */
export function createApp(deps: AppDeps): HttpApplication {
  const { log, addresses, tracing } = deps;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('trust proxy', deps.trustProxy);

  // `request.ip` parses forwarding headers even when no proxy is trusted.
  const addressOf = (request: Request): string =>
    (deps.trustProxy === false ? undefined : forwardedAddress(request.ip)) ??
    request.socket.remoteAddress ??
    '';

  /** The first step of every request, not traced. Returns false if the request has its response already. */
  const admit = (request: Request, response: Response): boolean => {
    if (deps.isDraining()) response.setHeader('Connection', 'close');
    // Responds like a proxy in front of the service: HTML, no request id, no problem document.
    const clientAddress = addressOf(request);
    if (!deps.edgeLimiter.allow(clientAddress)) {
      setHeaders(response, commonHeaders(null, addresses));
      response.statusCode = 429;
      response.setHeader('Content-Type', 'text/html; charset=utf-8');
      response.end(TOO_MANY);
      return false;
    }
    const trace: RequestTrace = {
      requestId: requestIdAt(deps.clock.now(), randomUUID()),
      clientAddress,
    };
    response.locals = { trace };
    return true;
  };

  const begin = (request: Request, response: Response): void => {
    const trace = response.locals.trace as RequestTrace;
    const startedAt = performance.now();
    // The response also finishes when the connection is destroyed with the response in its buffer.
    let isSent = false;
    response.once('finish', () => {
      isSent = !request.socket.destroyed;
    });
    const completed = (): void => {
      const status = isSent ? (trace.status ?? response.statusCode) : 'aborted';
      const ms = performance.now() - startedAt;
      logRequest(log, request, trace, status, ms);
      deps.observe({ route: trace.route ?? 'none', status, seconds: ms / 1000, trace });
      if (trace.audit !== undefined) {
        const result = { at: deps.clock.now(), code: trace.code, aborted: !isSent };
        for (const event of auditEventsOf(trace.audit, result)) deps.auditBatch.add(event);
      }
    };
    response.once('close', tracing === null ? completed : tracing.bind(completed));
    // Required by RFC 9112. Checked here because node would respond without a problem document.
    const ambiguity = ambiguityOf(request);
    if (ambiguity !== null) {
      // A proxy may see another request in it, so nothing else is read from the connection.
      response.setHeader('Connection', 'close');
      throw new HttpProblem('malformed_request', { detail: ambiguity });
    }
  };

  const responses = createLargeResponses();
  const pipeline = createPipeline(deps, responses);
  const respond = async (
    { route, params }: MatchedRoute,
    request: Request,
    response: Response,
  ): Promise<void> => {
    const trace = response.locals.trace as RequestTrace;
    const result = await pipeline.handle(route, params, request, response, trace);
    if (result.claimId !== undefined) trace.claimId = result.claimId;
    if (result.reads !== undefined && trace.audit !== undefined) trace.audit.reads = result.reads;
    // The connection failed during the work and has its response already.
    if (response.headersSent) return;
    if (result.dropped === true) {
      response.destroy();
      return;
    }
    response.statusCode = result.status;
    const headers = commonHeaders(trace.requestId, addresses);
    if (result.headers !== undefined) headers.push(...Object.entries(result.headers).flat());
    if (result.json === undefined) {
      setHeaders(response, headers);
      response.end();
      return;
    }
    headers.push('Content-Type', 'application/json');
    const { reader = null } = trace;
    if (
      route.caller !== 'adjuster' ||
      result.json.length < COMPRESS_FROM_BYTES ||
      route.endpoint.method !== 'GET'
    ) {
      responses.end(response, headers, reader, result.json);
      return;
    }
    headers.push('Vary', 'Accept-Encoding');
    const encoding = encodingOf(request);
    if (encoding !== null) headers.push('Content-Encoding', encoding);
    const body = encoding === null ? result.json : await compress[encoding](result.json);
    // The connection may have failed during compression.
    if (!response.headersSent) responses.end(response, headers, reader, body);
  };

  app.use((request, response, next) => {
    begin(request, response);
    next();
  });
  app.use(deps.adjusterApp);
  routeWithExpress(app, deps.routes, respond);

  app.use(statusHandler(deps.status, addresses));
  app.use(docsHandler(addresses));
  const intendedPath = createIntendedPath(deps.routes.map(({ endpoint }) => endpoint.path));
  app.use((request) => {
    const intended = intendedPath(request.path);
    const hint = intended === null ? '' : ` Did you mean ${intended}?`;
    throw new HttpProblem('not_found', {
      detail: `This path is not part of the interface.${hint} The documentation is at ${addresses.docsUrl}.`,
    });
  });
  // Without a valid key, unknown paths are `invalid_key`, so that paths cannot be discovered.
  app.use((async (error: unknown, request, response, next) => {
    const trace = response.locals.trace as RequestTrace;
    if (isUnrouted(error) && trace.route === undefined && needsKey(request.url)) {
      await pipeline.requireKey(request, trace);
    }
    next(error);
  }) satisfies ErrorRequestHandler);
  const sendError = problemHandler(log, addresses);
  app.use(((error: unknown, _request, response, _next) => {
    sendError(error, response);
  }) satisfies ErrorRequestHandler);

  const matchRoute = createRouteMap(deps.routes);
  const handle = async (matched: MatchedRoute, request: Request, response: Response): Promise<void> => {
    try {
      begin(request, response);
      await respond(matched, request, response);
    } catch (error) {
      sendError(error, response);
    }
  };
  const listener = (request: Request, response: Response): void => {
    const matched = matchRoute(request.method, request.url);
    if (matched === null) {
      const { requestId } = response.locals.trace as RequestTrace;
      setHeaders(response, commonHeaders(requestId, addresses));
      app(request, response);
    } else {
      void handle(matched, request, response);
    }
  };
  const traced: typeof listener =
    tracing === null
      ? listener
      : (request, response) => tracing.request(request, () => listener(request, response));
  const admitted: typeof listener = (request, response) => {
    if (admit(request, response)) traced(request, response);
  };
  return Object.assign(admitted, { request: app.request, response: app.response });
}

type Respond = (matched: MatchedRoute, request: Request, response: Response) => Promise<void>;

/** Registers all operations with Express' router, which responds with 405 to other methods of their paths. */
export function routeWithExpress(app: Express, routes: readonly Route[], respond: Respond): void {
  for (const [path, byMethod] of byPath(routes)) {
    const allow = [...byMethod.keys()]
      .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method))
      .join(', ');
    app.all(path, async (request, response) => {
      // HEAD is GET without the body, which node omits.
      const route = byMethod.get(request.method === 'HEAD' ? 'GET' : request.method);
      if (route === undefined)
        throw new HttpProblem('method_not_allowed', {
          detail: `This path supports ${allow} only.`,
          headers: { Allow: allow },
        });
      await respond({ route, params: request.params as Record<string, string> }, request, response);
    });
  }
}

/** What a proxy before the service may read as another request, such as one for another host. */
function ambiguityOf(request: Request): string | null {
  const { host, 'transfer-encoding': transferEncoding = 'chunked' } = request.headers;
  if (host === undefined && request.httpVersion === '1.1') return 'The Host header is missing.';
  if (transferEncoding.toLowerCase() !== 'chunked') return 'The Transfer-Encoding must be chunked.';
  return isRepeated('host', request) ? 'The Host header was sent twice.' : null;
}

/** Whether a request matches no operation: unknown path or method, or a path that cannot be decoded. */
const isUnrouted = (error: unknown): boolean =>
  isBrokenPath(error) ||
  (error instanceof HttpProblem && (error.code === 'not_found' || error.code === 'method_not_allowed'));

const needsKey = (url: string): boolean => /^\/v1(?!\/health(\?|$))([/?]|$)/.test(url);

/** Compression makes an adjuster's lists ten times smaller, which matters on a weak mobile network. */
const COMPRESS_FROM_BYTES = 4000;

/** The IP address in an `X-Forwarded-For` entry, which may have a port; undefined when there is none. */
function forwardedAddress(entry = ''): string | undefined {
  const withPort = /^\[([^\]]+)\](?::\d+)?$|^(\d+(?:\.\d+){3}):\d+$/.exec(entry);
  const address = withPort?.[1] ?? withPort?.[2] ?? entry;
  return isIP(address) === 0 ? undefined : address;
}

/** Groups routes by Express path, then by method. */
function byPath(routes: readonly Route[]): Map<string, Map<string, Route>> {
  const paths = new Map<string, Map<string, Route>>();
  for (const route of routes) {
    const path = expressPath(route.endpoint);
    const methods = paths.get(path) ?? new Map<string, Route>();
    methods.set(route.endpoint.method, route);
    paths.set(path, methods);
  }
  return paths;
}

const expressPath = (endpoint: Endpoint): string => endpoint.path.replace(/\{(\w+)\}/g, ':$1');

function problemHandler(log: Log, addresses: ProblemAddresses) {
  return (error: unknown, response: Response): void => {
    if (response.writableEnded) return; // the connection failed and has its response already
    const trace = response.locals.trace as RequestTrace;
    const problem = isBrokenPath(error)
      ? new HttpProblem('malformed_request', {
          detail: 'The path has a percent-escape that cannot be decoded.',
        })
      : asHttpProblem(error);
    recordProblem(trace, problem);
    const isFailure = problem.code === 'internal_error' || problem.code === 'service_unavailable';
    // The log says when an overload begins and ends, and when the service shuts down.
    const { simulated, unavailable } = problem.extra;
    const isExpected = simulated === true || unavailable === 'overload' || unavailable === 'draining';
    if (isFailure && !isExpected) {
      log.error('request failed', { request_id: trace.requestId, code: problem.code, ...describe(error) });
    }
    if (response.headersSent) {
      // A partial response must not look complete. Handled here because Express would write to standard error.
      if (!response.writableEnded) response.destroy();
      return;
    }
    setHeaders(response, commonHeaders(trace.requestId, addresses));
    sendProblem(response, trace.requestId, problem, addresses);
  };
}

/** Express throws a URIError for a path it cannot decode. */
const isBrokenPath = (error: unknown): boolean => error instanceof URIError;

/** An error for the log. The message of a database error may quote a row, so only its code is logged. */
function describe(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: typeof error };
  // Without a stack: where it was thrown says nothing more, and with source maps a stack costs a millisecond, which an
  // overloaded process lacks.
  if (error instanceof Unavailable) return { error: error.name, reason: error.message };
  const { code } = error as { code?: unknown };
  const isDriverError = typeof code === 'string';
  return {
    error: error.name,
    ...(isDriverError ? { error_code: code } : { reason: error.message }),
    stack: error.stack
      ?.split('\n')
      .slice(1, 8)
      .map((line) => line.trim()),
  };
}

const HEALTH_ROUTE = `${endpoints.getHealth.method} ${endpoints.getHealth.path}`;

function logRequest(
  log: Log,
  request: Request,
  trace: RequestTrace,
  status: number | 'aborted',
  ms: number,
): void {
  // Load balancers ask several times a second.
  const isProbe = trace.route === HEALTH_ROUTE && (status === 200 || trace.unavailable === 'draining');
  log[isProbe ? 'debug' : 'info']('request', {
    request_id: trace.requestId,
    method: request.method,
    // The template, not the path: a path can contain an id that identifies a person.
    route: trace.route ?? 'none',
    status,
    ...(trace.code !== undefined && { code: trace.code }),
    ...(trace.keyId !== undefined && { key_id: trace.keyId }),
    ...(trace.firmId !== undefined && { firm_id: trace.firmId }),
    ...(trace.claimId !== undefined && { claim_id: trace.claimId }),
    ms: Math.round(ms * 10) / 10,
  });
}
