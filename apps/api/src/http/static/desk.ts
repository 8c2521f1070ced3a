import type { RequestHandler } from 'express';
import { HttpProblem, type ProblemAddresses } from '../problems/http-problem.ts';
import type { RequestTrace } from '../request-log.ts';
import { createPageFiles } from './page-files.ts';

/** Serves the firm's desk: its files at `/firm` and below. Other requests are passed on. */
export function deskHandler({ addresses }: { readonly addresses: ProblemAddresses }): RequestHandler {
  const permissionsPolicy = 'camera=(), geolocation=(), microphone=(), payment=()';
  const files = createPageFiles({ package: '@svc/desk', path: '/firm', permissionsPolicy }, addresses);
  return async (request, response, next) => {
    const { path, method } = request;
    if (!/^\/firm($|\/(?!v1\/))/.test(path)) return next();
    const file = files.find(path);
    if (file === undefined) return next();
    const trace = response.locals.trace as RequestTrace;
    trace.route = file.immutable ? 'GET /firm/assets/{name}' : 'GET /firm';
    if (method !== 'GET' && method !== 'HEAD')
      throw new HttpProblem('method_not_allowed', { headers: { Allow: 'GET, HEAD' } });
    return files.send(file, request, response);
  };
}
