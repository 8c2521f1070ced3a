import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import type { RequestTrace } from './request-log.ts';

/** Hosts what is not an operation of the contract: each handler serves its paths and passes other requests on. */
export function createSites(
  handlers: readonly RequestHandler[],
  sendError: (error: unknown, response: ServerResponse, trace: RequestTrace) => void,
): (request: IncomingMessage, response: ServerResponse, trace: RequestTrace) => void {
  const traces = new WeakMap<object, RequestTrace>();
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  app.use((_request, response, next) => {
    response.locals.trace = traces.get(response);
    next();
  });
  for (const handler of handlers) app.use(handler);
  app.use(((error: unknown, _request, response, _next) => {
    sendError(error, response, response.locals.trace as RequestTrace);
  }) satisfies ErrorRequestHandler);
  return (request, response, trace) => {
    traces.set(response, trace);
    app(request, response);
  };
}
