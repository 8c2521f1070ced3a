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
  acceptClaim: 'POST v1/claims/{id}/acceptance 200 id assignment',
  acceptInvitation: 'POST v1/invitations/{firm_id}/acceptance 200 firm_id can_accept_claims',
  closeClaim: 'POST v1/claims/{id}/closure 200 id closed_at',
  confirmEmail: 'POST v1/me/email-confirmation 200 svc_id firms',
  declineInvitation: 'POST v1/invitations/{firm_id}/decline 200 firm_id responded_at',
  getDevice: 'GET v1/devices/{device_id} 200 device_id endpoint',
  getOfferedClaim: 'GET v1/claims/{id} 200 id assignment',
  getOfferReceipt: 'GET v1/claims/{id}/receipt 200 receipt',
  getProfile: 'GET v1/me 200 svc_id firms',
  leaveFirm: 'DELETE v1/firms/{firm_id}/membership 204',
  listDeadlines: 'GET v1/deadlines 200 data next_cursor',
  listInvitations: 'GET v1/invitations 200 data next_cursor',
  listOfferedClaims: 'GET v1/claims 200 data next_cursor',
  listPasskeys: 'GET v1/passkeys 200 data next_cursor',
  logContact: 'PUT v1/claims/{id}/contacts/{contact_id} 200 id work',
  registerDevice: 'PUT v1/devices/{device_id} 204',
  registerPasskey: 'POST v1/passkeys 201 id created_at',
  rejectClaim: 'POST v1/claims/{id}/rejection 200 id assignment',
  removePasskey: 'DELETE v1/passkeys/{passkey_id} 204',
  renamePasskey: 'PATCH v1/passkeys/{passkey_id} 200 id created_at',
  reportError: 'POST v1/error-reports 204',
  setDevicePreferences: 'PUT v1/devices/{device_id}/preferences 204',
  startPasskeyRegistration: 'POST v1/passkeys/options 200 options',
  testDevice: 'POST v1/devices/{device_id}/test-notification 202',
  unregisterDevice: 'DELETE v1/devices/{device_id} 204',
  updateAvailability: 'PATCH v1/me/availability 200 away max_open_offers',
  updateMembership: 'PATCH v1/firms/{firm_id}/membership 200 firm_id accepting_assignments',
  updateProfile: 'PATCH v1/me 200 svc_id firms',
  updateWork: 'PATCH v1/claims/{id}/work 200 id work',
} as const satisfies { readonly [Id in EndpointId]?: RouteOf<Endpoints[Id], '/app/'> };

interface PushCalls {
  getPushKey: { input: object; output: { readonly key: string } };
}

export const ROUTES = { ...CONTRACT_ROUTES, ...BROWSER_ROUTES, getPushKey: 'GET push-key 200 key' } as const;
export type CallId = keyof typeof ROUTES;
type AppCalls = { [Id in keyof typeof CONTRACT_ROUTES]: CallOf<Endpoints[Id]> } & BrowserCalls<SignInBody> &
  PushCalls;
export type Call = CallAmong<AppCalls>;
export type Api = ApiOf<Call>;
