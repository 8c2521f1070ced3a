import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type Request, type Response } from 'express';
import type { RequestTrace } from './request-log.ts';
import type { PageRoute } from './routes/page-route.ts';

/** Serves pages with what Express adds to requests and responses: content negotiation, `Vary`, redirects, sending. */
export function createPageHost(): (
  page: PageRoute,
  request: IncomingMessage,
  response: ServerResponse,
  trace: RequestTrace,
) => Promise<void> {
  const serving = new WeakMap<object, (request: Request, response: Response) => void>();
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  app.use((request, response) => serving.get(response)?.(request, response));
  return (page, request, response, trace) =>
    new Promise((resolve, reject) => {
      trace.route = `GET ${page.endpoint.path.replace('{+', '{')}`;
      serving.set(response, (...both) => void page.serve(...both, trace).then(resolve, reject));
      app(request, response);
    });
}
