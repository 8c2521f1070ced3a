import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ApiKeyAuthenticator,
  byAdjuster,
  byFirm,
  type CountedRequest,
  type FaultStore,
  type FirmActor,
  type KeyGrant,
  type RateLimitDecision,
  type RateLimiter,
  type SessionAuthenticator,
} from '@svc/application';
import {
  type Endpoint,
  ERRORS,
  formatSize,
  LIMITS,
  parseRequest,
  type RawRequest,
  type RequestOf,
  validationSummary,
} from '@svc/contract';
import { checkScope, limitsOf } from '@svc/domain';
import { createBodyMemory, type HeldBytes } from '../limits/body-memory.ts';
import type { ConcurrencyLimit, Permit, Waiting } from '../limits/concurrency-limit.ts';
import { createDeadline, type Deadline } from '../limits/deadline.ts';
import type { LargeResponses } from '../limits/large-responses.ts';
import type { RejectionPace } from '../limits/rejection-pace.ts';
import { asHttpProblem, HttpProblem } from '../problems/http-problem.ts';
import { type RequestTrace, recordProblem } from '../request-log.ts';
import type { PerformOperation, Route, RouteResponse } from '../routes/route.ts';
import { auditActionOf } from './audited-requests.ts';
import { bearerToken, invalidKey, isRepeated } from './credentials.ts';
import { readJsonBody } from './read-body.ts';
import { withFault } from './simulated-faults.ts';

/** Counts a request of a session of the adjuster app. */
export type SessionLimiter = (sessionId: string) => Promise<RateLimitDecision>;

export interface PipelineDeps {
  readonly apiKeyAuthenticator: ApiKeyAuthenticator;
  readonly sessionAuthenticator: SessionAuthenticator;
  readonly rateLimiter: RateLimiter;
  readonly sessionLimiter: SessionLimiter;
  readonly faults: FaultStore;
  readonly readLimit: ConcurrencyLimit;
  readonly writeLimit: ConcurrencyLimit;
  /** Delays rejections of clients that repeat requests at once. */
  readonly rejectionPace: RejectionPace;
}

interface Resources {
  /** Replaced when a message turns out to be a read. */
  permit: Permit;
  readonly deadline: Deadline;
  /** Null where no body is read. */
  readonly held: HeldBytes | null;
}

/** Of an operation in a message: a request has them in its URL, whose size node limits to the same. */
const MAX_PARAMETER_BYTES = 16_384;

const UNLIMITED: Permit = { release() {}, releaseWhile: (work) => work };

/** Rejections by overload are paced together, since callers are not known yet. */
const ALL_CALLERS = '';

/** Logged instead of the route if the request failed with a simulated fault. */
const SIMULATED_ROUTE = 'simulated fault';

/** The steps of a request, in order: authentication, rate limits, scope, body, contract, handler. */
export function createPipeline(
  deps: PipelineDeps,
  responses: LargeResponses,
  pause: (ms: number) => Promise<unknown> = sleep,
) {
  const bodyMemory = createBodyMemory();

  async function handle(
    route: Route,
    params: Readonly<Record<string, string>>,
    request: IncomingMessage,
    response: ServerResponse,
    trace: RequestTrace,
  ): Promise<RouteResponse> {
    const { endpoint } = route;
    trace.route = `${endpoint.method} ${endpoint.path}`;
    const deadline = createDeadline();
    // Before any work: a process that spends its time on requests that must fail delays those that could succeed.
    const permit = await acquire(route, response, deadline);
    const held = endpoint.method === 'GET' ? null : bodyMemory.hold();
    const resources: Resources = { permit, deadline, held };
    try {
      return await runSteps(route, params, request, response, trace, resources);
    } finally {
      resources.permit.release();
      held?.release();
    }
  }

  async function acquire(
    { caller, endpoint }: Route,
    response: ServerResponse,
    { within }: Deadline,
  ): Promise<Permit> {
    // Health and sign-in are always served; they have limits for each address.
    if (caller === 'anyone') return UNLIMITED;
    try {
      const acquired = (endpoint.method === 'GET' ? deps.readLimit : deps.writeLimit).acquire();
      return 'permit' in acquired ? await waitFor(acquired, response, within) : acquired;
    } catch (error) {
      if (!response.closed) await deps.rejectionPace.next(ALL_CALLERS);
      throw error;
    }
  }

  async function waitFor(
    { permit, cancel }: Waiting,
    response: ServerResponse,
    within: Deadline['within'],
  ): Promise<Permit> {
    response.once('close', cancel);
    try {
      return await within(permit);
    } catch (error) {
      cancel();
      throw error;
    } finally {
      response.off('close', cancel);
    }
  }

  async function runSteps(
    route: Route,
    params: Readonly<Record<string, string>>,
    request: IncomingMessage,
    response: ServerResponse,
    trace: RequestTrace,
    resources: Resources,
  ): Promise<RouteResponse> {
    const { permit, deadline, held } = resources;
    const { within } = deadline;
    const { endpoint } = route;
    // Objects of each request are written out, since V8 copies spread properties one by one: 2 % of a read.
    const { requestId, clientAddress: address } = trace;
    const origin = { requestId, address };
    const { 'user-agent': userAgent, cookie: cookies } = request.headers;
    const { url = '' } = request;
    const queryStart = url.indexOf('?');
    const search = queryStart === -1 ? '' : url.slice(queryStart + 1);

    const readBody = (held: HeldBytes): Promise<unknown> => {
      const isOpen = endpoint.auth === 'none';
      const reading = readJsonBody(request, response, {
        maxBytes: isOpen ? LIMITS.openBodyBytes : LIMITS.bodyBytes,
        maxSmallChunks: isOpen ? LIMITS.openSmallChunks : LIMITS.smallChunks,
        mayBeEmpty: endpoint.body === undefined || endpoint.bodyRequired === false,
        held,
      });
      // A slow client must not hold the permit.
      return request.complete ? reading : permit.releaseWhile(reading);
    };

    const parse = async (caller: string) => {
      held?.chargeTo(caller);
      if (held === null) trace.reader = caller;
      if (held === null && endpoint.query !== undefined) responses.checkReader(caller);
      if (endpoint.headers !== undefined && isRepeated('idempotency-key', request)) {
        throw new HttpProblem('malformed_request', { detail: 'The Idempotency-Key header was sent twice.' });
      }
      if (held !== null && isRepeated('content-type', request)) {
        throw new HttpProblem('malformed_request', { detail: 'The Content-Type header was sent twice.' });
      }
      const sentBody = held === null ? undefined : await readBody(held);
      const value = parseOrThrow(route, { params, search, headers: request.headers, body: sentBody });
      // Only now it is known to be a UUID, and not some text that may identify a person.
      if (endpoint.path.includes('/claims/{id}')) trace.claimId = params.id?.toLowerCase();
      return { value, sentBody };
    };

    if (route.caller === 'anyone') {
      const { value, sentBody } = await parse(`address ${address}`);
      return within(route.handle(value, { sentBody, origin, userAgent, cookies }));
    }

    if (route.caller === 'adjuster') {
      const token = bearerToken(request);
      const session = token === null ? null : await within(deps.sessionAuthenticator.authenticate(token));
      if (session === null) throw new HttpProblem('invalid_session');
      requireAllowed(await deps.sessionLimiter(session.sessionId));
      if (session.mayOnlyAddPasskey && endpoint.beforePasskey !== true)
        throw new HttpProblem('passkey_required');
      const actor = { svcId: session.svcId, origin };
      trace.audit = { caller: byAdjuster(actor), action: auditActionOf(endpoint.id), firmId: null, params };
      const { value, sentBody } = await parse(`adjuster ${session.svcId}`);
      return within(route.handle(value, { sentBody, origin, userAgent, cookies, actor, session }));
    }

    const admit = async () => {
      const grant = await authenticate(request, trace);
      const { firmId, environment, keyId } = grant;
      const actor: FirmActor = { firmId, environment, origin: { requestId, address, keyId } };
      trace.audit = { caller: byFirm(actor), action: auditActionOf(endpoint.id), firmId, params };
      await checkAccess(grant, endpoint, permit);
      return { grant, actor };
    };
    const { grant, actor } = await within(admit());
    const { firmId, environment, keyId } = grant;
    const process = async (): Promise<RouteResponse> => {
      const { value, sentBody } = await parse(`firm ${firmId}`);
      if (route.caller === 'firm')
        return within(route.handle(value, { sentBody, origin, userAgent, cookies, actor, grant }));
      trace.reader = `firm ${firmId}`;
      return within(route.handle(value, { sentBody, origin, userAgent, cookies, grant, perform }));
    };
    const perform: PerformOperation = async (operation, raw) => {
      const { endpoint } = operation;
      trace.route = `${endpoint.method} ${endpoint.path}`;
      trace.audit = { caller: byFirm(actor), action: auditActionOf(endpoint.id), firmId, params: raw.params };
      try {
        // The message is counted as a request already.
        if (endpoint.write)
          await checkLimits(deps, grant, { write: true, isCounted: true }, resources.permit);
        if (endpoint.scope !== null) checkScope(endpoint.scope, grant.purpose, grant.plan);
        if (JSON.stringify(raw.params).length + raw.search.length > MAX_PARAMETER_BYTES) {
          const detail = `The arguments besides the body are larger than ${formatSize(MAX_PARAMETER_BYTES)}.`;
          throw new HttpProblem('payload_too_large', { detail });
        }
        if (endpoint.method === 'GET') {
          resources.permit.release();
          resources.permit = UNLIMITED;
          resources.permit = await acquire(operation, response, deadline);
          if (endpoint.query !== undefined) responses.checkReader(`firm ${firmId}`);
        } else {
          // Committed: the response is always sent.
          delete trace.reader;
        }
        const value = parseOrThrow(operation, raw);
        const result = await operation.handle(value, {
          ...{ sentBody: raw.body, origin, userAgent, cookies, actor, grant },
          maxPageBytes: LIMITS.toolPage.bytes,
        });
        trace.status = result.status;
        if (endpoint.path.includes('/claims/{id}')) trace.claimId = raw.params.id?.toLowerCase();
        if (result.claimId !== undefined) trace.claimId = result.claimId;
        return result;
      } catch (error) {
        const problem = asHttpProblem(error);
        trace.status = ERRORS[problem.code].status;
        recordProblem(trace, problem);
        throw error;
      }
    };
    const fault =
      environment === 'test' && endpoint.sandbox !== true && endpoint.path.startsWith('/v1/')
        ? await within(deps.faults.take(firmId, keyId))
        : null;
    if (fault === null) return process();
    // A separate route in metrics and the request log, since the service did not fail.
    trace.route = SIMULATED_ROUTE;
    return withFault(fault, process, (ms) => {
      permit.release();
      return pause(ms);
    });
  }

  /** Requires a valid key, and counts against its limits, for a request that matches no operation. */
  async function requireKey(request: IncomingMessage, trace: RequestTrace): Promise<void> {
    const write = request.method !== 'GET' && request.method !== 'HEAD';
    const { within } = createDeadline();
    const admit = async () => checkAccess(await authenticate(request, trace), { scope: null, write });
    await within(admit());
  }

  async function authenticate(request: IncomingMessage, trace: RequestTrace): Promise<KeyGrant> {
    const token = bearerToken(request);
    if (token === null) throw invalidKey(request, null);
    const checked = await deps.apiKeyAuthenticator.check(token);
    if ('rejected' in checked) throw invalidKey(request, checked.rejected);
    const { grant } = checked;
    trace.keyId = grant.keyId;
    trace.firmId = grant.firmId;
    return grant;
  }

  async function checkAccess(
    grant: KeyGrant,
    endpoint: Pick<Endpoint, 'scope' | 'write'>,
    permit?: Permit,
  ): Promise<void> {
    await checkLimits(deps, grant, { write: endpoint.write }, permit);
    if (endpoint.scope !== null) checkScope(endpoint.scope, grant.purpose, grant.plan);
  }

  return { handle, requireKey };
}

/** @throws HttpProblem `rate_limited` */
async function checkLimits(
  { rateLimiter, rejectionPace }: Pick<PipelineDeps, 'rateLimiter' | 'rejectionPace'>,
  { keyId, environment, limits }: KeyGrant,
  request: CountedRequest,
  permit: Permit = UNLIMITED,
): Promise<void> {
  const decision = await rateLimiter.consume(keyId, limitsOf(environment, limits), request);
  if (!decision.allowed) {
    permit.release();
    await rejectionPace.next(keyId);
  }
  requireAllowed(decision);
}

/** @throws HttpProblem `rate_limited` */
function requireAllowed(decision: RateLimitDecision): void {
  if (decision.allowed) return;
  const seconds = Math.max(1, Math.ceil(decision.retryAfterMs / 1000));
  throw new HttpProblem('rate_limited', { headers: { 'Retry-After': String(seconds) } });
}

/** @throws HttpProblem `validation_failed` */
function parseOrThrow({ endpoint, rules }: Route, request: RawRequest): RequestOf<Endpoint> {
  const parsed = parseRequest(endpoint, request, rules);
  if (parsed.ok) return parsed.value;
  throw new HttpProblem('validation_failed', {
    detail: validationSummary(parsed.errorCount, parsed.errors.length),
    errors: parsed.errors,
  });
}
