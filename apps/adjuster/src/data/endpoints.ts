import type { EndpointId, endpoints, SignInBody } from '@svc/contract';
import type { Api as ApiOf } from '@svc/web-app/api';
import {
  BROWSER_ROUTES,
  type BrowserCalls,
  type Call as CallAmong,
  type CallOf,
  type RouteOf,
} from '@svc/web-app/endpoints';

type Endpoints = typeof endpoints;

/** The compiler compares them with the contract. */
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
} as const satisfies { readonly [Id in EndpointId]?: RouteOf<Endpoints[Id], '/app/'> };

interface PushCalls {
  getPushKey: { input: object; output: { readonly key: string } };
}

export const ROUTES = { ...CONTRACT_ROUTES, ...BROWSER_ROUTES, getPushKey: 'GET push-key' } as const;
export type CallId = keyof typeof ROUTES;
type AppCalls = { [Id in keyof typeof CONTRACT_ROUTES]: CallOf<Endpoints[Id]> } & BrowserCalls<SignInBody> &
  PushCalls;
export type Call = CallAmong<AppCalls>;
export type Api = ApiOf<Call>;
