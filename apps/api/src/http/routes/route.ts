import type { IncomingHttpHeaders } from 'node:http';
import type {
  AccountActor,
  AdjusterActor,
  FirmActor,
  KeyGrant,
  NextPiece,
  ReadPage,
  RequestOrigin,
  SignedIn,
  SignedInStaff,
  StaffActor,
  StaffGrant,
  WhileWaiting,
} from '@svc/application';
import type { Endpoint, ErrorCode, RawRequest, RequestOf } from '@svc/contract';
import { type ClaimId, DomainError, type Environment } from '@svc/domain';
import type { LongWorkKind } from '../limits/turns.ts';
import type { AuditedRead } from '../pipeline/audited-requests.ts';
import { asHttpProblem } from '../problems/http-problem.ts';
import { type AsciiJson, asciiJson } from '../serialization/ascii-json.ts';

/** A response as text, since the hot paths never build an object. */
export interface RouteResponse {
  readonly status: number;
  /** Absent: no body. */
  readonly json?: AsciiJson;
  /** Instead of `json`. */
  readonly csv?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of the claim that was sent, for the log. */
  readonly claimId?: ClaimId;
  /** For the audit trail. */
  readonly reads?: readonly AuditedRead[];
  /** For the audit trail, where items of a list were rejected: why, each code once. */
  readonly rejections?: readonly ErrorCode[];
  /** The page of changes, for the check of a firm's integration. */
  readonly readPage?: ReadPage;
  /** A simulated fault. */
  readonly hasUnknownValue?: true;
  /** The connection is closed instead: a simulated fault. */
  readonly dropped?: true;
}

/** What a handler receives besides the parsed request. */
export interface OpenContext {
  readonly origin: RequestOrigin;
  readonly userAgent: string | undefined;
  readonly cookies: string | undefined;
}

/** Of whoever is signed in, to the app or to the desk. */
export interface AccountContext {
  readonly actor: AccountActor;
  readonly session: Omit<SignedIn, 'svcId'>;
}

export interface AppContext {
  readonly actor: AdjusterActor;
  readonly session: SignedIn;
  readonly longWork: RunLongWork;
}

/** Runs long work of a firm or an adjuster in pieces, until it is done or the client has left: a report has a signal for it. */
export type RunLongWork = <T>(
  kind: LongWorkKind,
  start: (nextPiece: NextPiece, signal?: AbortSignal) => Promise<T>,
) => Promise<T>;

/** The role was checked against the permission of the endpoint. */
export interface StaffContext {
  readonly actor: StaffActor;
  readonly staff: StaffGrant;
  readonly session: Omit<SignedInStaff, 'staff'>;
  /** Who does in one environment what a key does: the same use cases, recorded for the staff member. */
  actorIn(environment: Environment): FirmActor;
  /** Others may use the permit of this request in that time. */
  readonly whileWaiting: WhileWaiting;
  /** The body before validation, for the fingerprint. */
  readonly sentBody: unknown;
  readonly longWork: RunLongWork;
}

export interface FirmContext {
  readonly actor: FirmActor;
  readonly grant: KeyGrant;
  /** The body before validation, for the fingerprint. */
  readonly sentBody: unknown;
  readonly longWork: RunLongWork;
  /** Absent: the limit of the interface. */
  readonly maxPageBytes?: number;
}

/** Performs an operation as if it had been requested alone: with its scope, limits, log and audit trail. */
export type PerformOperation = (
  route: FirmRoute,
  request: Required<RawRequest> & { readonly params: Readonly<Record<string, string>> },
) => Promise<RouteResponse>;

export interface AgentContext {
  readonly headers: IncomingHttpHeaders;
  readonly origin: RequestOrigin;
  readonly grant: KeyGrant;
  readonly perform: PerformOperation;
}

type Handler<E extends Endpoint, C> = (request: RequestOf<E>, context: C) => Promise<RouteResponse>;

interface RouteBase<Caller extends string, Context> {
  readonly endpoint: Endpoint;
  readonly caller: Caller;
  readonly handle: Handler<Endpoint, Context>;
}

export type OpenRoute = RouteBase<'anyone', OpenContext>;
export type AppRoute = RouteBase<'adjuster', AppContext>;
export type StaffRoute = RouteBase<'staff', StaffContext>;
export type FirmRoute = RouteBase<'firm', FirmContext>;
export type AgentRoute = RouteBase<'agent', AgentContext>;

/** An endpoint of the contract with the handler of its authenticated, valid requests. */
export type Route = OpenRoute | AppRoute | StaffRoute | FirmRoute | AgentRoute;

const routesFor =
  <Caller extends string, Context>(caller: Caller) =>
  <E extends Endpoint>(endpoint: E, handle: Handler<E, Context>): RouteBase<Caller, Context> => ({
    endpoint,
    caller,
    async handle(request, context) {
      try {
        // The pipeline calls a handler only with what its own endpoint parsed.
        return await handle(request as RequestOf<E>, context);
      } catch (error) {
        // Only those that the operation has a pointer for: what others carry is recorded.
        const { pointers = {} } = endpoint;
        throw error instanceof DomainError && error.code in pointers ? asHttpProblem(error, endpoint) : error;
      }
    },
  });

/** `appRoute` or `staffRoute`, for what does not depend on which. */
export type AccountRoute = <E extends Endpoint>(endpoint: E, handle: Handler<E, AccountContext>) => Route;

export const openRoute = routesFor<'anyone', OpenContext>('anyone');
export const appRoute = routesFor<'adjuster', AppContext>('adjuster');
export const staffRoute = routesFor<'staff', StaffContext>('staff');
export const firmRoute = routesFor<'firm', FirmContext>('firm');
/** For programs of firms whose messages name the operations. */
export const agentRoute = routesFor<'agent', AgentContext>('agent');

/** What a firm's system does with its key, and its staff at the desk. */
export interface OperationContext extends Pick<FirmContext, 'actor' | 'sentBody'> {
  readonly endpoint: Endpoint;
}

/** @param environmentOf names the environment at the desk: a key is of one. */
export const operationRoutes = <F extends Endpoint, D extends Endpoint>(
  firm: F,
  desk: D,
  environmentOf: (request: RequestOf<D>) => Environment,
  handle: Handler<F | D, OperationContext>,
): Route[] => [
  firmRoute(firm, (request, { actor, sentBody }) => handle(request, { actor, sentBody, endpoint: firm })),
  staffRoute(desk, (request, { actorIn, sentBody }) =>
    handle(request, { actor: actorIn(environmentOf(request)), sentBody, endpoint: desk }),
  ),
];

export const jsonResponse = (value: unknown, status = 200): RouteResponse => ({
  status,
  json: asciiJson(value),
});
