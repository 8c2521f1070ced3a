import type {
  BodyOf,
  EndpointId,
  endpoints,
  RequestOf,
  RequestSignInCodeBody,
  ResponseOf,
  SignInBody,
} from '@svc/contract';

type Endpoints = typeof endpoints;
type RouteOf<Id extends EndpointId> = Endpoints[Id] extends {
  readonly method: infer Method extends string;
  readonly path: `/app/${infer Path}`;
}
  ? `${Method} ${Path}`
  : never;

/** The compiler compares them with the contract, whose values would double the first load. */
const CONTRACT_ROUTES = {
  acceptClaim: 'POST v1/claims/{id}/acceptance',
  acceptInvitation: 'POST v1/invitations/{firm_id}/acceptance',
  closeClaim: 'POST v1/claims/{id}/closure',
  confirmEmail: 'POST v1/me/email-confirmation',
  declineInvitation: 'POST v1/invitations/{firm_id}/decline',
  getDevice: 'GET v1/devices/{device_id}',
  getOfferedClaim: 'GET v1/claims/{id}',
  getProfile: 'GET v1/me',
  leaveFirm: 'DELETE v1/firms/{firm_id}/membership',
  listDeadlines: 'GET v1/deadlines',
  listInvitations: 'GET v1/invitations',
  listOfferedClaims: 'GET v1/claims',
  listPasskeys: 'GET v1/passkeys',
  logContact: 'PUT v1/claims/{id}/contacts/{contact_id}',
  registerDevice: 'PUT v1/devices/{device_id}',
  registerPasskey: 'POST v1/passkeys',
  rejectClaim: 'POST v1/claims/{id}/rejection',
  removePasskey: 'DELETE v1/passkeys/{passkey_id}',
  renamePasskey: 'PATCH v1/passkeys/{passkey_id}',
  reportError: 'POST v1/error-reports',
  setDevicePreferences: 'PUT v1/devices/{device_id}/preferences',
  startPasskeyRegistration: 'POST v1/passkeys/options',
  testDevice: 'POST v1/devices/{device_id}/test-notification',
  unregisterDevice: 'DELETE v1/devices/{device_id}',
  updateAvailability: 'PATCH v1/me/availability',
  updateMembership: 'PATCH v1/firms/{firm_id}/membership',
  updateProfile: 'PATCH v1/me',
  updateWork: 'PATCH v1/claims/{id}/work',
} as const satisfies { readonly [Id in EndpointId]?: RouteOf<Id> };

/** What only browsers use: the service keeps their session in a cookie. */
const BROWSER_ROUTES = {
  getPushKey: 'GET push-key',
  openSession: 'POST session',
  closeSession: 'DELETE session',
  closeAllSessions: 'DELETE sessions',
  sendSignInCode: 'POST sign-in-codes',
  startPasskeySignIn: 'POST passkey-options',
} as const;
interface BrowserCalls {
  getPushKey: { response: { readonly key: string } };
  openSession: { body: SignInBody };
  closeSession: object;
  closeAllSessions: object;
  sendSignInCode: { body: RequestSignInCodeBody };
  startPasskeySignIn: { response: ResponseOf<Endpoints['startPasskeySignIn']> };
}

export type CallId = keyof typeof CONTRACT_ROUTES | keyof BrowserCalls;

type Params<Of> = [keyof Of] extends [never]
  ? unknown
  : { readonly params: { readonly [K in keyof Of]: string } };
type Query<Of> = [keyof Of] extends [never]
  ? unknown
  : { readonly query?: { readonly [K in keyof Of]?: string | number | undefined } };
type Body<Of> = Of extends undefined ? unknown : { readonly body: Of };
/** What a call sends. */
export type Input<Id extends CallId> = Id extends keyof BrowserCalls
  ? BrowserCalls[Id] extends { body: infer Sent }
    ? { readonly body: Sent }
    : unknown
  : Id extends EndpointId
    ? Params<RequestOf<Endpoints[Id]>['params']> &
        Query<RequestOf<Endpoints[Id]>['query']> &
        Body<BodyOf<Endpoints[Id]>>
    : never;
export type Output<Id extends CallId> = Id extends keyof BrowserCalls
  ? BrowserCalls[Id] extends { response: infer Received }
    ? Received
    : undefined
  : Id extends EndpointId
    ? ResponseOf<Endpoints[Id]>
    : never;

/** Sends a request of the contract. It fails with a `NetworkError` if it can be sent again, else with an `ApiError`. */
export type Call = <Id extends CallId>(
  id: Id,
  ...input: object extends Input<Id> ? [Input<Id>?] : [Input<Id>]
) => Promise<Output<Id>>;

interface Parts {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
}

/** The method, path and body of a call. */
export function requestOf(id: CallId, { params = {}, query = {}, body }: Parts = {}) {
  const [method = '', template = ''] = { ...CONTRACT_ROUTES, ...BROWSER_ROUTES }[id].split(' ');
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  ).toString();
  return { method, path: search === '' ? path : `${path}?${search}`, body };
}

export type { Parts as RequestParts };
