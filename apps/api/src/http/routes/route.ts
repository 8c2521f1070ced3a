import type { AdjusterActor, FirmActor, KeyGrant, SignedIn } from '@svc/application';
import type { BodyOf, CrossFieldRule, Endpoint, RequestOf } from '@svc/contract';

/** An answer: JSON text, since the hot paths never build the object it would be made from. */
export interface Reply {
  readonly status: number;
  /** Left out: no body. */
  readonly json?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a handler may know of a request besides what the contract parsed out of it. */
export interface Exchange {
  /** The body as it was sent, for the fingerprint. */
  readonly sentBody: unknown;
  readonly clientAddress: string;
}

export interface FirmExchange extends Exchange {
  readonly actor: FirmActor;
  readonly grant: KeyGrant;
}

export interface AppExchange extends Exchange {
  readonly actor: AdjusterActor;
  readonly session: SignedIn;
}

type Handle<E extends Endpoint, X> = (request: RequestOf<E>, exchange: X) => Promise<Reply>;

/** An endpoint of the contract, and what answers it once the caller is known and the request is sound. */
export type Route = {
  readonly endpoint: Endpoint;
  readonly rules: readonly CrossFieldRule<unknown>[];
} & (
  | { readonly caller: 'firm'; readonly handle: Handle<Endpoint, FirmExchange> }
  | { readonly caller: 'adjuster'; readonly handle: Handle<Endpoint, AppExchange> }
  | { readonly caller: 'anyone'; readonly handle: Handle<Endpoint, Exchange> }
);

// A handler is written against exactly what its endpoint parses to. The table of routes holds handlers of all
// endpoints, and the pipeline gives each only what its own endpoint parsed, so the type may be widened here.
const widened = <X>(handle: unknown): Handle<Endpoint, X> => handle as Handle<Endpoint, X>;

export const firmRoute = <E extends Endpoint>(
  endpoint: E,
  handle: Handle<E, FirmExchange>,
  rules: readonly CrossFieldRule<BodyOf<E>>[] = [],
): Route => ({
  endpoint,
  rules: rules as readonly CrossFieldRule<unknown>[],
  caller: 'firm',
  handle: widened(handle),
});

export const appRoute = <E extends Endpoint>(endpoint: E, handle: Handle<E, AppExchange>): Route => ({
  endpoint,
  rules: [],
  caller: 'adjuster',
  handle: widened(handle),
});

export const openRoute = <E extends Endpoint>(endpoint: E, handle: Handle<E, Exchange>): Route => ({
  endpoint,
  rules: [],
  caller: 'anyone',
  handle: widened(handle),
});

export const ok = (value: unknown, status = 200): Reply => ({ status, json: JSON.stringify(value) });
