import type {
  BodyOf,
  Endpoint,
  endpoints,
  RequestOf,
  RequestSignInCodeBody,
  ResponseOf,
} from '@svc/contract';

/** What only browsers use: the service keeps their session in a cookie. */
export const BROWSER_ROUTES = {
  openSession: 'POST session 201 expires_at',
  closeSession: 'DELETE session 204',
  closeAllSessions: 'DELETE sessions 204',
  sendSignInCode: 'POST sign-in-codes 202',
  startPasskeySignIn: 'POST passkey-options 200 options',
} as const;
/** @template Opened the response to a sign-in, which has set a cookie or asks for one more request */
export interface BrowserCalls<SignInBody, Opened = unknown> {
  openSession: { input: { readonly body: SignInBody }; output: Opened };
  closeSession: { input: object; output: unknown };
  closeAllSessions: { input: object; output: unknown };
  sendSignInCode: { input: { readonly body: RequestSignInCodeBody }; output: unknown };
  startPasskeySignIn: { input: object; output: ResponseOf<(typeof endpoints)['startPasskeySignIn']> };
}

type Params<Of> = [keyof Of] extends [never]
  ? unknown
  : { readonly params: { readonly [K in keyof Of]: string } };
type Query<Of> = [keyof Of] extends [never]
  ? unknown
  : { readonly query?: { readonly [K in keyof Of]?: string | number | undefined } };
type Headers<Of> = [keyof Of] extends [never]
  ? unknown
  : { readonly headers: { readonly [K in keyof Of]: Of[K] } };
type Body<Of> = [Of] extends [undefined] ? unknown : { readonly body: Of };

/** What an operation is sent and returns. */
export interface CallOf<Of extends Endpoint> {
  readonly input: Params<RequestOf<Of>['params']> &
    Query<RequestOf<Of>['query']> &
    Headers<RequestOf<Of>['headers']> &
    Body<BodyOf<Of>>;
  readonly output: ResponseOf<Of>;
}

/** The operations of a page: those of its API, and those of browsers. */
export type CallsOf<Endpoints extends Readonly<Record<string, Endpoint>>, Browser> = Browser & {
  [Id in Exclude<keyof Endpoints, keyof Browser>]: CallOf<Endpoints[Id]>;
};

/** Sends a request. It fails with a `NetworkError` if it can be sent again, else with an `ApiError`. */
export type Call<
  Of extends { readonly [Id in keyof Of]: { readonly input: unknown; readonly output: unknown } },
> = <Id extends keyof Of>(
  id: Id,
  ...input: object extends Of[Id]['input'] ? [Of[Id]['input']?] : [Of[Id]['input']]
) => Promise<Of[Id]['output']>;

export interface RequestParts {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The method, path and body of a call. */
export function requestOf(route: string, { params = {}, query = {}, body }: RequestParts = {}) {
  const [method = '', template = ''] = route.split(' ');
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  ).toString();
  return { method, path: search === '' ? path : `${path}?${search}`, body };
}

/**
 * Whether a response is that of the operation, about what was asked for: a proxy or the sign-in page of a network may respond
 * with 200 and anything.
 */
export function isResponseOf(
  route: string,
  { params = {} }: RequestParts,
  status: number,
  body: unknown,
): boolean {
  // Another response that is no error follows after a bar.
  const expected = route
    .split(' ')
    .slice(2)
    .join(' ')
    .split(' | ')
    .map((one) => one.split(' '));
  const names = expected.find(([success]) => success === String(status))?.slice(1);
  if (names === undefined) return false;
  if (names.length === 0) return body === undefined;
  if (typeof body !== 'object' || body === null) return false;
  const found = body as Readonly<Record<string, unknown>>;
  const isSame = ([name, value]: readonly [string, string]): boolean =>
    found[name] === undefined || String(found[name]).toLowerCase() === value.toLowerCase();
  return (
    names.every((name) => (name === 'data' ? Array.isArray(found.data) : found[name] !== undefined)) &&
    Object.entries(params).every(isSame)
  );
}
