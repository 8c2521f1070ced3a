import { randomUUID } from 'node:crypto';
import type { Endpoint } from '@svc/contract';
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import type { Log } from '../logging.ts';
import { docsHandler } from './docs/handler.ts';
import {
  createPipeline,
  isRepeated,
  type PipelineDeps,
  type RequestTrace,
} from './pipeline/request-pipeline.ts';
import { errorLocations } from './problems/error-locations.ts';
import { asHttpProblem, HttpProblem, type ProblemAddresses, sendProblem } from './problems/http-problem.ts';
import type { Route } from './routes/route.ts';
import { codingOf, compressors } from './static/compression.ts';

export interface EdgeLimiter {
  /** False when this address has made too many requests. */
  allow(address: string): boolean;
}

interface AppDeps extends PipelineDeps {
  readonly routes: readonly Route[];
  readonly edgeLimiter: EdgeLimiter;
  /** The adjuster's page; what is not its own it passes on. */
  readonly adjusterPage: RequestHandler;
  /** As Express' setting `trust proxy`. */
  readonly trustProxy: boolean | number | string;
  readonly addresses: ProblemAddresses;
  readonly log: Log;
  /** The process is about to end: connections are closed with the answer they wait for. */
  readonly isDraining: () => boolean;
  /** Told of every answer, for the figures and the log of requests. */
  readonly observe: Observe;
}

/** @param route the template of the path with its method; `none` for a path outside the interface. */
export type Observe = (answered: {
  readonly route: string;
  readonly status: number | 'aborted';
  readonly seconds: number;
  readonly trace: RequestTrace;
}) => void;

const TOO_MANY = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Too many requests</title></head>
<body><h1>Too many requests</h1><p>This address sends too many requests. Wait a minute, then try again.</p></body></html>
`;

/** The whole HTTP side. Never reads the environment, never listens. */
export function createApp(deps: AppDeps): Express {
  const { log, addresses } = deps;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('trust proxy', deps.trustProxy);

  // Express looks for proxies' headers even where no proxy is trusted.
  const addressOf = (request: Request): string =>
    (deps.trustProxy === false ? undefined : request.ip) ?? request.socket.remoteAddress ?? '';

  app.use((request, response, next) => {
    response.setHeader('Cache-Control', 'no-store');
    if (deps.isDraining()) response.setHeader('Connection', 'close');
    // The edge speaks before the service does: no request id, no problem, nothing an integrator could mistake.
    if (!deps.edgeLimiter.allow(addressOf(request))) {
      response.statusCode = 429;
      response.setHeader('Content-Type', 'text/html; charset=utf-8');
      response.end(TOO_MANY);
      return;
    }
    const trace: RequestTrace = { requestId: randomUUID() };
    response.locals.trace = trace;
    response.setHeader('X-Request-Id', trace.requestId);
    response.setHeader('X-Content-Type-Options', 'nosniff');
    const startedAt = performance.now();
    response.once('close', () => {
      const status = response.writableFinished ? response.statusCode : 'aborted';
      const ms = performance.now() - startedAt;
      logRequest(log, request, trace, status, ms);
      deps.observe({ route: trace.route ?? 'none', status, seconds: ms / 1000, trace });
    });
    // What a host must do by the standard; node would answer by itself, and without a problem.
    if (request.headers.host === undefined && request.httpVersion === '1.1') {
      throw new HttpProblem('malformed_request', { detail: 'The Host header is missing.' });
    }
    if (isRepeated('host', request)) {
      throw new HttpProblem('malformed_request', { detail: 'The Host header was sent twice.' });
    }
    next();
  });

  app.use(deps.adjusterPage);
  const { answer, requireKey } = createPipeline(deps);
  for (const [path, routes] of byPath(deps.routes)) {
    const allow = [...routes.keys()]
      .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method))
      .join(', ');
    app.all(path, async (request, response) => {
      // HEAD is GET without the body, which node leaves out by itself.
      const route = routes.get(request.method === 'HEAD' ? 'GET' : request.method);
      if (route === undefined) throw new HttpProblem('method_not_allowed', { headers: { Allow: allow } });
      const trace = response.locals.trace as RequestTrace;
      const reply = await answer(route, request, response, trace, addressOf(request));
      // The connection failed meanwhile, and its client was told so.
      if (response.headersSent) return;
      response.statusCode = reply.status;
      for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value);
      if (reply.json === undefined) {
        response.end();
        return;
      }
      response.setHeader('Content-Type', 'application/json');
      if (
        route.caller !== 'adjuster' ||
        reply.json.length < COMPRESS_FROM_BYTES ||
        route.endpoint.method !== 'GET'
      ) {
        // One byte for each character: then the text is written as it lies in memory, and needs no encoding.
        const isAscii = Buffer.byteLength(reply.json) === reply.json.length;
        response.end(reply.json, isAscii ? 'latin1' : 'utf8');
        return;
      }
      await sendCompressed(reply.json, request, response);
    });
  }

  app.use(docsHandler(addresses));
  app.use(() => {
    throw new HttpProblem('not_found', {
      detail: `This path is not part of the interface. The documentation is at ${addresses.docsUrl}.`,
    });
  });
  // Whoever has no key is not told which paths there are.
  app.use((async (error: unknown, request, response, next) => {
    const trace = response.locals.trace as RequestTrace;
    if (isOutside(error) && trace.route === undefined && needsKey(request.url)) {
      await requireKey(request, trace);
    }
    next(error);
  }) satisfies ErrorRequestHandler);
  app.use(problemHandler(log, addresses));
  return app;
}

/** Whether a request fits no operation: by its path, its method, or because its path cannot be decoded. */
const isOutside = (error: unknown): boolean =>
  isBrokenPath(error) ||
  (error instanceof HttpProblem && (error.code === 'not_found' || error.code === 'method_not_allowed'));

const needsKey = (url: string): boolean => /^\/v1(?!\/health(\?|$))([/?]|$)/.test(url);

/** Packed, an adjuster's lists are a tenth of their size, which is what one bar of signal carries in time. */
const COMPRESS_FROM_BYTES = 4000;

async function sendCompressed(json: string, request: Request, response: Response): Promise<void> {
  response.setHeader('Vary', 'Accept-Encoding');
  const coding = codingOf(request.headers['accept-encoding']);
  const bytes = coding === null ? json : await compressors[coding](json);
  // The connection may have failed while it was packed.
  if (response.headersSent) return;
  if (coding !== null) response.setHeader('Content-Encoding', coding);
  response.end(bytes);
}

/** Routes by Express' spelling of their path, then by method. */
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

function problemHandler(log: Log, addresses: ProblemAddresses): ErrorRequestHandler {
  return (error: unknown, _request, response, _next) => {
    if (response.writableEnded) return; // answered when its connection failed
    const trace = response.locals.trace as RequestTrace;
    const problem = isBrokenPath(error)
      ? new HttpProblem('malformed_request', {
          detail: 'The path has a percent-escape that cannot be decoded.',
        })
      : asHttpProblem(error);
    trace.code = problem.code;
    trace.places = errorLocations(problem.extra.errors);
    if (problem.code === 'internal_error' || problem.code === 'service_unavailable') {
      log.error('a request failed', { request_id: trace.requestId, code: problem.code, ...describe(error) });
    }
    if (response.headersSent) {
      // Half an answer must not look like a whole one. Express would say so on standard error, past the log.
      if (!response.writableEnded) response.destroy();
      return;
    }
    sendProblem(response, trace.requestId, problem, addresses);
  };
}

/** Express' router reports a path it cannot decode as an error with status 400. */
const isBrokenPath = (error: unknown): boolean => error instanceof URIError;

/** What the log says of a failure. The message of a database error may quote a row, so only its code is told. */
function describe(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: typeof error };
  const { code } = error as { code?: unknown };
  const isDriver = typeof code === 'string';
  return {
    error: error.name,
    ...(isDriver ? { error_code: code } : { reason: error.message }),
    stack: error.stack
      ?.split('\n')
      .slice(1, 8)
      .map((line) => line.trim()),
  };
}

function logRequest(
  log: Log,
  request: Request,
  trace: RequestTrace,
  status: number | 'aborted',
  ms: number,
): void {
  log.info('request', {
    request_id: trace.requestId,
    method: request.method,
    // The template, not the path: a path can hold an id that says who somebody is.
    route: trace.route ?? 'none',
    status,
    ...(trace.code !== undefined && { code: trace.code }),
    ...(trace.keyId !== undefined && { key_id: trace.keyId }),
    ...(trace.firmId !== undefined && { firm_id: trace.firmId }),
    ms: Math.round(ms * 10) / 10,
  });
}
