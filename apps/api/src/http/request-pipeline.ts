import type { KeyGrant, KeyRing, RateLimiter, SessionGate } from '@svc/application';
import { type Endpoint, parseRequest } from '@svc/contract';
import { checkScope, limitsOf } from '@svc/domain';
import type { Request, Response } from 'express';
import { createDeadlines } from './deadline.ts';
import { HttpProblem } from './problem-answers.ts';
import { readJsonBody } from './read-body.ts';
import type { Reply, Route } from './route.ts';

export interface PipelineDeps {
  readonly keyRing: KeyRing;
  readonly sessionGate: SessionGate;
  readonly rateLimiter: RateLimiter;
}

/** What the access log tells of a request; filled in on the way, so that a refusal tells how far it came. */
export interface RequestTrace {
  readonly requestId: string;
  route?: string;
  keyId?: string;
  firmId?: string;
  code?: string;
  /** Where a refused request was wrong. */
  places?: readonly string[];
}

const BEARER = /^Bearer +([!-~]+) *$/i;

const bearerToken = (request: Request): string | null =>
  BEARER.exec(request.headers.authorization ?? '')?.[1] ?? null;

/** One direction and no way back: caller, limits, scope, body, contract, handler. */
export function createPipeline(deps: PipelineDeps) {
  const nextDeadline = createDeadlines();
  return async function answer(
    route: Route,
    request: Request,
    response: Response,
    trace: RequestTrace,
    clientAddress: string,
  ): Promise<Reply> {
    const { endpoint } = route;
    const { within } = nextDeadline();
    trace.route = `${endpoint.method} ${endpoint.path}`;
    const mark = request.url.indexOf('?');
    const path = mark === -1 ? request.url : request.url.slice(0, mark);
    const search = mark === -1 ? '' : request.url.slice(mark + 1);

    const sound = async () => {
      const sentBody =
        endpoint.body === undefined
          ? undefined
          : await readJsonBody(request, response, endpoint.bodyRequired === false);
      const parsed = parseRequest(
        endpoint,
        {
          params: request.params as Record<string, string>,
          search,
          headers: request.headers,
          body: sentBody,
        },
        route.rules,
      );
      if (!parsed.ok) {
        throw new HttpProblem('validation_failed', {
          detail: summary(parsed.errors.length),
          errors: parsed.errors,
        });
      }
      return { value: parsed.value, exchange: { method: endpoint.method, path, sentBody, clientAddress } };
    };

    if (route.caller === 'anyone') {
      const { value, exchange } = await sound();
      return within(route.handle(value, exchange));
    }

    const token = bearerToken(request);
    if (route.caller === 'adjuster') {
      const session = token === null ? null : await within(deps.sessionGate.authenticate(token));
      if (session === null) throw new HttpProblem('invalid_session');
      const { value, exchange } = await sound();
      return within(route.handle(value, { ...exchange, actor: { svcId: session.svcId }, session }));
    }

    const grant = await within(admit(token, endpoint, trace));
    const { firmId, environment } = grant;
    const { value, exchange } = await sound();
    return within(route.handle(value, { ...exchange, actor: { firmId, environment }, grant }));
  };

  async function admit(token: string | null, endpoint: Endpoint, trace: RequestTrace): Promise<KeyGrant> {
    const grant = token === null ? null : await deps.keyRing.authenticate(token);
    if (grant === null) throw new HttpProblem('invalid_key');
    trace.keyId = grant.keyId;
    trace.firmId = grant.firmId;
    const limits = limitsOf(grant.environment, grant.limits);
    const spent = await deps.rateLimiter.spend(grant.keyId, limits, { write: endpoint.write });
    if (!spent.allowed) {
      const seconds = Math.max(1, Math.ceil(spent.retryAfterMs / 1000));
      throw new HttpProblem('rate_limited', { headers: { 'Retry-After': String(seconds) } });
    }
    if (endpoint.scope !== null) checkScope(endpoint.scope, grant.purpose, grant.plan);
    return grant;
  }
}

const summary = (problems: number): string =>
  problems === 1 ? 'One thing in this request is wrong.' : `${problems} things in this request are wrong.`;
