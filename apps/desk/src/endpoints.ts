import type { deskEndpoints, FirmChoice } from '@svc/contract';
import type { Api as ApiOf } from '@svc/web-app/api';
import {
  BROWSER_ROUTES,
  type BrowserCalls,
  type Call as CallAmong,
  type CallOf,
  type RouteOf,
} from '@svc/web-app/endpoints';

type Endpoints = typeof deskEndpoints;
export type Environment = 'live' | 'test';

/** The compiler compares them with the contract. */
const CONTRACT_ROUTES = {
  createWebhook: 'POST v1/webhooks 201 webhook secret',
  createKey: 'POST v1/keys 201 key secret',
  getBoardClaim: 'GET v1/claims/{id} 200 claim history',
  getBoardReceipt: 'GET v1/claims/{id}/receipt 200 receipt',
  getFirmReadiness: 'GET v1/readiness 200 ready checks',
  getLimits: 'GET v1/limits 200 keys days',
  getOwnStaff: 'GET v1/me 200 staff permissions',
  importClaims: 'POST v1/imports 200 total_rows problems',
  listImports: 'GET v1/imports 200 data next_cursor',
  inviteStaff: 'POST v1/staff 201 id role',
  listAudit: 'GET v1/audit 200 data next_cursor',
  listKeys: 'GET v1/keys 200 data next_cursor',
  listRequests: 'GET v1/requests 200 data next_cursor',
  listWebhookDeliveries: 'GET v1/webhooks/{webhook_id}/deliveries 200 data next_cursor',
  listWebhooks: 'GET v1/webhooks 200 data next_cursor',
  removeWebhook: 'DELETE v1/webhooks/{webhook_id} 204',
  replayWebhookDelivery: 'POST v1/webhooks/deliveries/{delivery_id}/replay 200 id attempts',
  testWebhook: 'POST v1/webhooks/{webhook_id}/test 200 id attempts',
  updateWebhook: 'PATCH v1/webhooks/{webhook_id} 200 webhook secret',
  listStaffSessions: 'GET v1/sessions 200 data next_cursor',
  endStaffSession: 'DELETE v1/sessions/{session_id} 204',
  listStaffPasskeys: 'GET v1/passkeys 200 data next_cursor',
  registerStaffPasskey: 'POST v1/passkeys 201 id created_at',
  removeStaffPasskey: 'DELETE v1/passkeys/{passkey_id} 204',
  renameStaffPasskey: 'PATCH v1/passkeys/{passkey_id} 200 id created_at',
  startStaffPasskeyRegistration: 'POST v1/passkeys/options 200 options',
  listStaff: 'GET v1/staff 200 data next_cursor',
  removeStaff: 'DELETE v1/staff/{staff_id} 204',
  revokeKey: 'POST v1/keys/{key_id}/revocation 200 id revoked_at',
  revokeKeysOfMaker: 'POST v1/keys/revocation 200 data next_cursor',
  rollKey: 'POST v1/keys/{key_id}/roll 201 key secret',
  updateKey: 'PATCH v1/keys/{key_id} 200 id revoked_at',
  updateOwnStaff: 'PATCH v1/me 200 staff permissions',
  updateStaff: 'PATCH v1/staff/{staff_id} 200 id role',
  changeFirm: 'PUT v1/sessions/current 200 staff permissions',
  verifyAudit: 'GET v1/audit/verification 200 intact',
  inviteBoardAdjuster: 'POST v1/adjusters/invitations 201 svc_id invited_at',
  listBoardAdjusters: 'GET v1/adjusters 200 data next_cursor',
  listBoardClaims: 'GET v1/claims 200 data next_cursor',
  offerBoardClaim: 'POST v1/claims/{id}/assignment 200 id assignment',
  reportAnswers: 'GET v1/reports/answers 200 total rows',
  withdrawBoardInvitation: 'DELETE v1/adjusters/invitations/{svc_id} 200 svc_id invited_at',
} as const satisfies { readonly [Id in keyof Endpoints]?: RouteOf<Endpoints[Id], '/firm/'> };

export const ROUTES = {
  ...CONTRACT_ROUTES,
  ...BROWSER_ROUTES,
  openSession: `${BROWSER_ROUTES.openSession} | 200 firms ticket`,
};
export type CallId = keyof typeof ROUTES;
type DeskCalls = { [Id in keyof typeof CONTRACT_ROUTES]: CallOf<Endpoints[Id]> } & BrowserCalls<
  SignInProof,
  FirmChoice | { readonly expires_at: string }
>;
export type Call = CallAmong<DeskCalls>;
export type Api = ApiOf<Call>;
export type SignInProof = CallOf<Endpoints['signInStaff']>['input']['body'];

type Output<Id extends CallId> = DeskCalls[Id]['output'];
export type OwnStaff = Output<'getOwnStaff'>;
export type Permission = OwnStaff['permissions'][number];
export type BoardClaim = Output<'listBoardClaims'>['data'][number];
export type BoardCounts = NonNullable<Output<'listBoardClaims'>['counts']>;
export type BoardClaimDetails = Output<'getBoardClaim'>;
export type Offer = BoardClaimDetails['history'][number];
export type FirmLimits = Output<'getLimits'>;
export type ApiKey = Output<'listKeys'>['data'][number];
export type LoggedRequest = Output<'listRequests'>['data'][number];
export type Webhook = Output<'listWebhooks'>['data'][number];
export type AttemptedWebhook = Output<'testWebhook'>;
export type Delivery = Output<'listWebhookDeliveries'>['data'][number];
export type ImportBody = DeskCalls['importClaims']['input']['body'];
export type Import = Output<'listImports'>['data'][number];
export type ImportResult = Output<'importClaims'>;
export type AuditEvent = Output<'listAudit'>['data'][number];
export type AuditVerification = Output<'verifyAudit'>;
export type StaffMember = Output<'listStaff'>['data'][number];
export type Readiness = Output<'getFirmReadiness'>;
export type AnswersReport = Output<'reportAnswers'>;
export type ReportRow = AnswersReport['rows'][number];
export type BoardAdjuster = Output<'listBoardAdjusters'>['data'][number];
