import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ApiKeyAuthenticator,
  byAccount,
  byFirm,
  type CountedRequest,
  type FaultStore,
  type FirmActor,
  type KeyGrant,
  type RateLimitDecision,
  type RateLimiter,
  type RequestOrigin,
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
import { checkPermission, checkScope, type Environment, limitsOf } from '@svc/domain';
import { checkFirmOfPage } from '../browser-session.ts';
import { createBodyMemory, type HeldBytes } from '../limits/body-memory.ts';
import type { ConcurrencyLimit, Permit } from '../limits/concurrency-limit.ts';
import { createDeadline, type Deadline } from '../limits/deadline.ts';
import type { LargeResponses } from '../limits/large-responses.ts';
import type { RejectionPace } from '../limits/rejection-pace.ts';
import { createTurns } from '../limits/turns.ts';
import { asHttpProblem, HttpProblem } from '../problems/http-problem.ts';
import { type RequestTrace, recordProblem } from '../request-log.ts';
import type { Matched } from '../routes/matcher.ts';
import type {
  AgentRoute,
  AppRoute,
  FirmContext,
  FirmRoute,
  OpenRoute,
  PerformOperation,
  Route,
  RouteResponse,
  RunLongWork,
  StaffRoute,
} from '../routes/route.ts';
import { auditedRequest } from './audited-requests.ts';
import { clientBehavior, observeBody } from './client-behavior.ts';
import { bearerToken, invalidKey, isRepeated } from './credentials.ts';
import { readJsonBody } from './read-body.ts';
import { isNoticeable, withFault } from './simulated-faults.ts';

/** Counts a request of a session. */
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

/** A request on its way through the steps. */
interface Exchange {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
  readonly search: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly trace: RequestTrace;
  readonly deadline: Deadline;
  /** Replaced when a message turns out to be a read. */
  permit: Permit;
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
const routeOf = ({ method, path }: Endpoint): string => `${method} ${path}`;

/** The steps of a request, in order: permit, authentication, rate limits, scope, body, contract, handler. */
export function createPipeline(
  deps: PipelineDeps,
  responses: LargeResponses,
  pause: (ms: number) => Promise<unknown> = sleep,
) {
  const bodyMemory = createBodyMemory();
  const searches = createTurns();
  // Others do not wait for a search that waits for the database, nor for a statement over all offers of a period.
  const turnsOf = {
    search: searches,
    verification: searches,
    page: createTurns(),
    report: createTurns(),
    workbook: createTurns(),
  };

  async function handle(
    { route, params }: Matched<Route>,
    search: string,
    request: IncomingMessage,
    response: ServerResponse,
    trace: RequestTrace,
  ): Promise<RouteResponse> {
    const { endpoint } = route;
    trace.route = routeOf(endpoint);
    const deadline = createDeadline();
    // Before any work: a process that spends its time on requests that must fail delays those that could succeed.
    const permit = await acquire(route, response, deadline);
    const held = endpoint.method === 'GET' ? null : bodyMemory.hold();
    const exchange: Exchange = { route, params, search, request, response, trace, deadline, permit, held };
    try {
      if (route.caller === 'anyone') return await handleOpen(route, exchange);
      if (route.caller === 'adjuster') return await handleAdjuster(route, exchange);
      if (route.caller === 'staff') return await handleStaff(route, exchange);
      return await handleFirm(route, exchange);
    } finally {
      exchange.permit.release();
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
    let cancel = (): void => {};
    try {
      const acquired = (endpoint.method === 'GET' ? deps.readLimit : deps.writeLimit).acquire();
      if (!('permit' in acquired)) return acquired;
      cancel = acquired.cancel;
      response.once('close', cancel);
      return await within(acquired.permit);
    } catch (error) {
      cancel();
      if (!response.closed) await deps.rejectionPace.next(ALL_CALLERS);
      throw error;
    } finally {
      response.off('close', cancel);
    }
  }

  async function handleOpen(route: OpenRoute, exchange: Exchange): Promise<RouteResponse> {
    const { request, deadline } = exchange;
    const origin = originOf(exchange);
    const { value } = await receive(exchange, `address ${origin.address}`);
    const { 'user-agent': userAgent, cookie: cookies } = request.headers;
    return deadline.within(route.handle(value, { origin, userAgent, cookies }));
  }

  async function handleAdjuster(route: AppRoute, exchange: Exchange): Promise<RouteResponse> {
    const { endpoint } = route;
    const { params, request, trace, deadline } = exchange;
    const token = bearerToken(request);
    const session =
      token === null ? null : await deadline.within(deps.sessionAuthenticator.authenticate(token));
    if (session === null) throw new HttpProblem('invalid_session');
    requireAllowed(await deps.sessionLimiter(session.sessionId));
    if (session.mayOnlyAddPasskey && endpoint.beforePasskey !== true)
      throw new HttpProblem('passkey_required');
    const actor = { svcId: session.svcId, origin: originOf(exchange) };
    trace.audit = auditedRequest(endpoint, params, byAccount(actor), null);
    const { value } = await receive(exchange, `adjuster ${session.svcId}`);
    const longWork = longWorkOf(exchange, session.svcId);
    return deadline.within(route.handle(value, { actor, session, longWork }));
  }

  async function handleStaff(route: StaffRoute, exchange: Exchange): Promise<RouteResponse> {
    const { endpoint } = route;
    const { params, request, trace, deadline } = exchange;
    const token = bearerToken(request);
    const signedIn =
      token === null ? null : await deadline.within(deps.sessionAuthenticator.authenticateStaff(token));
    if (signedIn === null) throw new HttpProblem('invalid_session');
    const { staff, ...session } = signedIn;
    const { firmId, staffId, role, plan } = staff;
    checkFirmOfPage(request, firmId);
    requireAllowed(await deps.sessionLimiter(session.sessionId));
    const origin = originOf(exchange);
    const actor = { firmId, staffId, origin };
    trace.audit = auditedRequest(endpoint, params, byAccount(actor), firmId);
    if (session.mayOnlyAddPasskey && endpoint.beforePasskey !== true)
      throw new HttpProblem('passkey_required');
    if (endpoint.permission != null) checkPermission(endpoint.permission, role, plan);
    const { value, sentBody } = await receive(exchange, `staff ${staffId}`);
    const actorIn = (environment: Environment): FirmActor => ({
      firmId,
      environment,
      origin: { ...origin, staffId },
    });
    const whileWaiting = exchange.permit.releaseWhile;
    const longWork = longWorkOf(exchange, firmId);
    const context = { actor, staff, session, actorIn, whileWaiting, sentBody, longWork };
    return deadline.within(route.handle(value, context));
  }

  /** Waiting for a turn takes no permit: those are for requests that are processed. */
  const longWorkOf =
    (exchange: Exchange, caller: string): RunLongWork =>
    (kind, start) =>
      turnsOf[kind].run(
        {
          caller,
          // Also after the deadline, whose response closes it.
          isWanted: () => !exchange.response.closed,
          kind,
        },
        (nextPiece) =>
          start(
            () => exchange.permit.releaseWhile(nextPiece()),
            kind === 'report' ? closeSignal(exchange.response) : undefined,
          ),
      );

  async function handleFirm(route: FirmRoute | AgentRoute, exchange: Exchange): Promise<RouteResponse> {
    const { endpoint } = route;
    const { trace, deadline } = exchange;
    const firm = await deadline.within(admitFirm(endpoint, exchange));
    const { grant, actor } = firm;
    // Those that are graded meet faults too.
    const fault =
      trace.behavior === undefined
        ? null
        : await deadline.within(deps.faults.take(grant.firmId, grant.keyId));
    const received = () => receive(exchange, `firm ${grant.firmId}`);
    const respond = async (): Promise<RouteResponse> => {
      const { value, sentBody } = await received();
      // A page has at least one item.
      const size = fault === 'short_page' ? { maxPageBytes: 1 } : {};
      if (route.caller === 'firm')
        return deadline.within(
          route.handle(value, {
            sentBody,
            actor,
            grant,
            longWork: longWorkOf(exchange, grant.firmId),
            ...size,
          }),
        );
      trace.reader = `firm ${grant.firmId}`;
      const perform: PerformOperation = (operation, sent) =>
        performInMessage(operation, sent, firm, exchange);
      const { headers } = exchange.request;
      return deadline.within(route.handle(value, { headers, origin: originOf(exchange), grant, perform }));
    };
    if (fault === null) return respond();
    // A separate route in metrics and the request log, since the service did not fail.
    trace.route = SIMULATED_ROUTE;
    let response: RouteResponse | null = null;
    try {
      response = await withFault(fault, endpoint.write, received, respond, (ms) => {
        exchange.permit.release();
        return pause(ms);
      });
      if (trace.behavior !== undefined && response.hasUnknownValue === true)
        trace.behavior.unknownValue = 'received';
      return response;
    } finally {
      if (!isNoticeable(fault, response)) {
        trace.route = routeOf(endpoint);
        await deadline.within(deps.faults.giveBack(grant.firmId, grant.keyId, fault));
      }
    }
  }

  async function admitFirm(
    endpoint: Endpoint,
    exchange: Exchange,
  ): Promise<Pick<FirmContext, 'grant' | 'actor'>> {
    const { params, request, trace, permit } = exchange;
    const grant = await authenticate(request, trace);
    const { firmId, environment, keyId } = grant;
    const { requestId, address } = originOf(exchange);
    const actor: FirmActor = { firmId, environment, origin: { requestId, address, keyId } };
    trace.audit = auditedRequest(endpoint, params, byFirm(actor), firmId);
    trace.behavior = clientBehavior(endpoint, grant, request, exchange.search);
    await checkLimits(deps, grant, { write: endpoint.write }, permit);
    if (endpoint.scope !== null) checkScope(endpoint.scope, grant.purpose, grant.plan);
    return { grant, actor };
  }

  /** Requires a valid key, and counts against its limits, for a request that matches no operation. */
  async function requireKey(request: IncomingMessage, trace: RequestTrace): Promise<void> {
    const write = request.method !== 'GET' && request.method !== 'HEAD';
    const admit = async () => checkLimits(deps, await authenticate(request, trace), { write });
    await createDeadline().within(admit());
  }

  async function authenticate(request: IncomingMessage, trace: RequestTrace): Promise<KeyGrant> {
    const token = bearerToken(request);
    if (token === null) throw invalidKey(request, null);
    const checked = await deps.apiKeyAuthenticator.check(token);
    if ('rejected' in checked) throw invalidKey(request, checked.rejected);
    const { grant } = checked;
    trace.keyId = grant.keyId;
    trace.firmId = grant.firmId;
    trace.environment = grant.environment;
    return grant;
  }

  /**
   * Reads the body and checks the request against the contract.
   * @param caller whose memory it takes.
   */
  async function receive(
    { route, params, search, request, response, trace, permit, held }: Exchange,
    caller: string,
  ): Promise<{ readonly value: RequestOf<Endpoint>; readonly sentBody: unknown }> {
    const { endpoint } = route;
    if (endpoint.headers !== undefined && isRepeated('idempotency-key', request)) {
      throw new HttpProblem('malformed_request', { detail: 'The Idempotency-Key header was sent twice.' });
    }
    let sentBody: unknown;
    if (held === null) {
      trace.reader = caller;
      if (endpoint.query !== undefined) responses.checkReader(caller);
    } else {
      if (isRepeated('content-type', request)) {
        throw new HttpProblem('malformed_request', { detail: 'The Content-Type header was sent twice.' });
      }
      held.setCaller(caller);
      const isOpen = endpoint.auth === 'none';
      const isMessage = route.caller === 'agent';
      const reading = readJsonBody(request, response, {
        maxBytes: isOpen ? LIMITS.openBodyBytes : isMessage ? LIMITS.messageBytes : LIMITS.bodyBytes,
        maxSmallChunks: isOpen ? LIMITS.openSmallChunks : LIMITS.smallChunks,
        maxValues: endpoint.bodyValues ?? LIMITS.bodyValues,
        isCostly: isMessage,
        mayBeEmpty: endpoint.body === undefined || endpoint.bodyRequired === false,
        held,
      });
      // A slow client must not hold the permit.
      sentBody = await (request.complete ? reading : permit.releaseWhile(reading));
    }
    if (trace.behavior !== undefined)
      observeBody(trace.behavior, endpoint, trace.firmId ?? '', params, sentBody);
    const value = parseOrThrow(endpoint, { params, search, headers: request.headers, body: sentBody });
    // Only claims are named by {id}. Only now it is known to be a UUID, and not some text that may identify a person.
    trace.claimId = params.id?.toLowerCase();
    return { value, sentBody };
  }

  /** An operation in a message of another protocol, with its own scope, limits, log and audit trail. */
  async function performInMessage(
    operation: FirmRoute,
    sent: Parameters<PerformOperation>[1],
    { grant, actor }: Pick<FirmContext, 'grant' | 'actor'>,
    exchange: Exchange,
  ): Promise<RouteResponse> {
    const { endpoint } = operation;
    const { trace, response, deadline } = exchange;
    const { firmId } = grant;
    trace.route = routeOf(endpoint);
    trace.audit = auditedRequest(endpoint, sent.params, byFirm(actor), firmId);
    try {
      // The message is counted as a request already.
      if (endpoint.write) await checkLimits(deps, grant, { write: true, isCounted: true }, exchange.permit);
      if (endpoint.scope !== null) checkScope(endpoint.scope, grant.purpose, grant.plan);
      if (JSON.stringify(sent.params).length + sent.search.length > MAX_PARAMETER_BYTES) {
        const detail = `The arguments besides the body are larger than ${formatSize(MAX_PARAMETER_BYTES)}.`;
        throw new HttpProblem('payload_too_large', { detail });
      }
      if (endpoint.method === 'GET') {
        exchange.permit.release();
        exchange.permit = await acquire(operation, response, deadline);
        // The request has released its permit by then.
        if (deadline.isOver()) exchange.permit.release();
        if (endpoint.query !== undefined) responses.checkReader(`firm ${firmId}`);
      } else {
        // Committed: the response is always sent.
        delete trace.reader;
      }
      const value = parseOrThrow(endpoint, sent);
      const maxPageBytes = LIMITS.toolPage.bytes;
      const longWork = longWorkOf(exchange, firmId);
      const context = { sentBody: sent.body, actor, grant, longWork, maxPageBytes };
      const result = await operation.handle(value, context);
      trace.status = result.status;
      trace.claimId = result.claimId ?? sent.params.id?.toLowerCase();
      return result;
    } catch (error) {
      const problem = asHttpProblem(error);
      trace.status = ERRORS[problem.code].status;
      recordProblem(trace, problem);
      throw error;
    }
  }

  return { handle, requireKey };
}

/** Aborted when the response is closed, also by a client that left before. */
function closeSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => controller.abort());
  return controller.signal;
}

const originOf = ({ trace: { requestId, clientAddress } }: Exchange): RequestOrigin => ({
  requestId,
  address: clientAddress,
});

/** @throws HttpProblem `rate_limited` */
async function checkLimits(
  { rateLimiter, rejectionPace }: Pick<PipelineDeps, 'rateLimiter' | 'rejectionPace'>,
  { keyId, environment, limits }: KeyGrant,
  request: CountedRequest,
  permit: Permit = UNLIMITED,
): Promise<void> {
  const keyLimits = limitsOf(environment, limits);
  const decision = await rateLimiter.consume(keyId, keyLimits, request);
  if (decision.allowed) return;
  permit.release();
  await rejectionPace.next(keyId);
  const { requestsPerMinute, writesPerMinute, burst } = keyLimits;
  requireAllowed(
    decision,
    `This key may send ${requestsPerMinute} requests per minute, ${writesPerMinute} of them writes, and ${burst} at once.`,
  );
}

/** @throws HttpProblem `rate_limited` */
function requireAllowed(decision: RateLimitDecision, detail?: string): void {
  if (decision.allowed) return;
  const seconds = Math.max(1, Math.ceil(decision.retryAfterMs / 1000));
  throw new HttpProblem('rate_limited', {
    ...(detail !== undefined && { detail }),
    headers: { 'Retry-After': String(seconds) },
  });
}

/** @throws HttpProblem `validation_failed` */
export function parseOrThrow(endpoint: Endpoint, request: RawRequest): RequestOf<Endpoint> {
  const parsed = parseRequest(endpoint, request);
  if (parsed.ok) return parsed.value;
  throw new HttpProblem('validation_failed', {
    detail: validationSummary(parsed.errorCount, parsed.errors.length),
    errors: parsed.errors,
  });
}
