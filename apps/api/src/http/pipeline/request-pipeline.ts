import type { ApiKeyAuthenticator, KeyGrant, RateLimiter, SessionAuthenticator } from '@svc/application';
import { type Endpoint, LIMITS, parseRequest, validationSummary } from '@svc/contract';
import { checkScope, limitsOf } from '@svc/domain';
import type { Request, Response } from 'express';
import { HttpProblem } from '../problems/http-problem.ts';
import type { Reply, Route } from '../routes/route.ts';
import { createBodyMemory, type HeldBytes } from './body-memory.ts';
import { createDeadlines } from './deadline.ts';
import { readJsonBody } from './read-body.ts';

export interface PipelineDeps {
  readonly keyRing: ApiKeyAuthenticator;
  readonly sessionGate: SessionAuthenticator;
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
  const bodyMemory = createBodyMemory();

  function answer(
    route: Route,
    request: Request,
    response: Response,
    trace: RequestTrace,
    clientAddress: string,
  ): Promise<Reply> {
    if (route.endpoint.method === 'GET') return judge(route, request, response, trace, null, clientAddress);
    const held = bodyMemory.hold();
    return judge(route, request, response, trace, held, clientAddress).finally(() => held.release());
  }

  /** @param held null where no body is read. */
  async function judge(
    route: Route,
    request: Request,
    response: Response,
    trace: RequestTrace,
    held: HeldBytes | null,
    clientAddress: string,
  ): Promise<Reply> {
    const { endpoint } = route;
    const { within } = nextDeadline();
    trace.route = `${endpoint.method} ${endpoint.path}`;
    const mark = request.url.indexOf('?');
    const search = mark === -1 ? '' : request.url.slice(mark + 1);

    const sound = async () => {
      if (endpoint.headers !== undefined && isRepeated('idempotency-key', request)) {
        throw new HttpProblem('malformed_request', { detail: 'The Idempotency-Key header was sent twice.' });
      }
      const sentBody =
        held === null
          ? undefined
          : await readJsonBody(request, response, {
              maxBytes: endpoint.auth === 'none' ? LIMITS.openBodyBytes : LIMITS.bodyBytes,
              mayBeEmpty: endpoint.body === undefined || endpoint.bodyRequired === false,
              held,
            });
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
          detail: validationSummary(parsed.errorCount, parsed.errors.length),
          errors: parsed.errors,
        });
      }
      return { value: parsed.value, exchange: { sentBody, clientAddress } };
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
  }

  /** Lets a request that fits no operation through to its refusal only with a valid key, and counts it. */
  async function requireKey(request: Request, trace: RequestTrace): Promise<void> {
    const write = request.method !== 'GET' && request.method !== 'HEAD';
    await nextDeadline().within(admit(bearerToken(request), { scope: null, write }, trace));
  }

  async function admit(
    token: string | null,
    endpoint: Pick<Endpoint, 'scope' | 'write'>,
    trace: RequestTrace,
  ): Promise<KeyGrant> {
    const grant = token === null ? null : await deps.keyRing.authenticate(token);
    if (grant === null) throw new HttpProblem('invalid_key');
    trace.keyId = grant.keyId;
    trace.firmId = grant.firmId;
    const limits = limitsOf(grant.environment, grant.limits);
    const spent = await deps.rateLimiter.consume(grant.keyId, limits, { write: endpoint.write });
    if (!spent.allowed) {
      const seconds = Math.max(1, Math.ceil(spent.retryAfterMs / 1000));
      throw new HttpProblem('rate_limited', { headers: { 'Retry-After': String(seconds) } });
    }
    if (endpoint.scope !== null) checkScope(endpoint.scope, grant.purpose, grant.plan);
    return grant;
  }

  return { answer, requireKey };
}

/** Node joins what a client sends twice, or keeps the first; only the raw headers tell. */
export function isRepeated(name: string, { rawHeaders }: Request): boolean {
  let found = false;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const header = rawHeaders[at];
    if (header?.length !== name.length || header.toLowerCase() !== name) continue;
    if (found) return true;
    found = true;
  }
  return false;
}
