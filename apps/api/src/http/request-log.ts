import type { IncomingMessage, ServerResponse } from 'node:http';
import type {
  AuditEvent,
  Clock,
  LoggedProblem,
  LoggedRequest,
  UnavailableReason,
  WriteBuffer,
} from '@svc/application';
import { endpoints } from '@svc/contract';
import type { ClaimId, Environment, FirmId, Instant, KeyId } from '@svc/domain';
import type { Log } from '../logging.ts';
import { type AuditedRequest, auditEventsOf } from './pipeline/audited-requests.ts';
import type { TracedBehavior } from './pipeline/client-behavior.ts';
import { errorLocations, withoutValues } from './problems/error-locations.ts';
import type { HttpProblem } from './problems/http-problem.ts';

/** What the logs show of a request. Filled in step by step, so that a failed request shows how far it came. */
export interface RequestTrace {
  readonly requestId: string;
  readonly clientAddress: string;
  route?: string;
  keyId?: string;
  /** Of the key. */
  environment?: Environment;
  /** The claim that it was about, for a path or a response with one. */
  claimId?: string | undefined;
  firmId?: string;
  /** In place of the response's status: of an operation inside a message of another protocol. */
  status?: number;
  code?: string;
  /** Why the service could not process it now. */
  unavailable?: UnavailableReason;
  /** Locations of validation errors. */
  errorLocations?: readonly string[];
  problem?: LoggedProblem;
  audit?: AuditedRequest;
  /** With a test key, outside the sandbox. */
  behavior?: TracedBehavior | undefined;
  /** Firm, adjuster or address that a response to a GET counts against. */
  reader?: string;
}

/** What the logs show of the error. */
export function recordProblem(trace: RequestTrace, { code, extra }: HttpProblem): void {
  trace.code = code;
  const { places, details } = errorLocations(extra.errors);
  trace.errorLocations = places;
  const { detail, existingClaimId } = extra;
  const problem = {
    ...(detail !== undefined && { detail: withoutValues(detail) }),
    ...(details.length > 0 && { ofPlaces: details }),
    ...(existingClaimId !== undefined && { existingClaimId }),
  };
  if (Object.keys(problem).length > 0) trace.problem = problem;
  if (extra.unavailable !== undefined) trace.unavailable = extra.unavailable;
  const retryAfter = extra.headers?.['Retry-After'];
  if (trace.behavior !== undefined && retryAfter !== undefined)
    trace.behavior.retryAfterMs = Number(retryAfter) * 1000;
}

/** @param route method and path template; `none` for an unknown path. */
export type Observe = (completed: {
  readonly route: string;
  readonly status: number | 'aborted';
  readonly seconds: number;
  /** It stayed open on purpose, so that its seconds say nothing. */
  readonly isStream: boolean;
  readonly trace: RequestTrace;
}) => void;

/** What support can see of it; null where it had no valid key. */
export function loggedRequest(
  { route, status, seconds, trace }: Parameters<Observe>[0],
  endedAt: Instant,
): LoggedRequest | null {
  const { requestId, firmId, keyId, environment, claimId, behavior, problem } = trace;
  if (firmId === undefined || keyId === undefined || environment === undefined) return null;
  const durationMs = Math.round(seconds * 10_000) / 10;
  return {
    requestId,
    at: endedAt - Math.round(durationMs),
    firmId: firmId as FirmId,
    keyId: keyId as KeyId,
    environment,
    route,
    status: status === 'aborted' ? null : status,
    code: trace.code ?? null,
    places: trace.errorLocations ?? [],
    durationMs,
    ...(problem !== undefined && { problem }),
    ...(behavior !== undefined && {
      behavior: claimId === undefined ? behavior : { ...behavior, claimId: claimId as ClaimId },
    }),
  };
}

/** Records each request in a trace. */
export interface RequestTracing {
  request(request: IncomingMessage, handle: () => void): void;
  /** Keeps the request's trace for a listener of events. */
  bind<Listener extends () => void>(listener: Listener): Listener;
}

export interface RequestLogDeps {
  readonly log: Log;
  /** Called after every response, for the metrics and the request log. */
  readonly observe: Observe;
  /** Takes the events of requests that no transaction records. */
  readonly auditBuffer: Pick<WriteBuffer<AuditEvent>, 'add'>;
  /** Null: no traces. */
  readonly tracing: RequestTracing | null;
  readonly clock: Clock;
}

/** Measures a request from this call on and, when its response is sent or fails, logs and audits it. */
export function logWhenCompleted(
  { log, observe, auditBuffer, tracing, clock }: RequestLogDeps,
  request: IncomingMessage,
  response: ServerResponse,
  trace: RequestTrace,
): void {
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
    const isStream = response.getHeader('Content-Type') === EVENT_STREAM;
    observe({ route: trace.route ?? 'none', status, seconds: ms / 1000, isStream, trace });
    if (trace.audit !== undefined) {
      const result = { at: clock.now(), code: trace.code, aborted: !isSent };
      for (const event of auditEventsOf(trace.audit, result)) auditBuffer.add(event);
    }
  };
  response.once('close', tracing === null ? completed : tracing.bind(completed));
}

/** Of live updates. */
export const EVENT_STREAM = 'text/event-stream';

const HEALTH_ROUTE = `${endpoints.getHealth.method} ${endpoints.getHealth.path}`;

function logRequest(
  log: Log,
  request: IncomingMessage,
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
