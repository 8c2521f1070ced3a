import type { deskEndpoints } from '@svc/contract';
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
  createWebhook: 'POST v1/webhooks',
  createKey: 'POST v1/keys',
  getBoardClaim: 'GET v1/claims/{id}',
  getFirmReadiness: 'GET v1/readiness',
  getLimits: 'GET v1/limits',
  getOwnStaff: 'GET v1/me',
  importClaims: 'POST v1/imports',
  inviteStaff: 'POST v1/staff',
  listAudit: 'GET v1/audit',
  listKeys: 'GET v1/keys',
  listRequests: 'GET v1/requests',
  listWebhookDeliveries: 'GET v1/webhooks/{webhook_id}/deliveries',
  listWebhooks: 'GET v1/webhooks',
  removeWebhook: 'DELETE v1/webhooks/{webhook_id}',
  replayWebhookDelivery: 'POST v1/webhooks/deliveries/{delivery_id}/replay',
  testWebhook: 'POST v1/webhooks/{webhook_id}/test',
  updateWebhook: 'PATCH v1/webhooks/{webhook_id}',
  listStaffSessions: 'GET v1/sessions',
  endStaffSession: 'DELETE v1/sessions/{session_id}',
  listStaffPasskeys: 'GET v1/passkeys',
  registerStaffPasskey: 'POST v1/passkeys',
  removeStaffPasskey: 'DELETE v1/passkeys/{passkey_id}',
  renameStaffPasskey: 'PATCH v1/passkeys/{passkey_id}',
  startStaffPasskeyRegistration: 'POST v1/passkeys/options',
  listStaff: 'GET v1/staff',
  removeStaff: 'DELETE v1/staff/{staff_id}',
  revokeKey: 'POST v1/keys/{key_id}/revocation',
  rollKey: 'POST v1/keys/{key_id}/roll',
  updateOwnStaff: 'PATCH v1/me',
  updateStaff: 'PATCH v1/staff/{staff_id}',
  verifyAudit: 'GET v1/audit/verification',
  inviteBoardAdjuster: 'POST v1/adjusters/invitations',
  listBoardAdjusters: 'GET v1/adjusters',
  listBoardClaims: 'GET v1/claims',
  offerBoardClaim: 'POST v1/claims/{id}/assignment',
  reportAnswers: 'GET v1/reports/answers',
  withdrawBoardInvitation: 'DELETE v1/adjusters/invitations/{svc_id}',
} as const satisfies { readonly [Id in keyof Endpoints]?: RouteOf<Endpoints[Id], '/firm/'> };

export const ROUTES = { ...CONTRACT_ROUTES, ...BROWSER_ROUTES };
export type CallId = keyof typeof ROUTES;
type DeskCalls = { [Id in keyof typeof CONTRACT_ROUTES]: CallOf<Endpoints[Id]> } & BrowserCalls<SignInProof>;
export type Call = CallAmong<DeskCalls>;
export type Api = ApiOf<Call>;
export type SignInProof = CallOf<Endpoints['signInStaff']>['input']['body'];

type Output<Id extends CallId> = DeskCalls[Id]['output'];
export type OwnStaff = Output<'getOwnStaff'>;
export type Permission = OwnStaff['permissions'][number];
export type BoardClaim = Output<'listBoardClaims'>['data'][number];
export type BoardClaimDetails = Output<'getBoardClaim'>;
export type Offer = BoardClaimDetails['history'][number];
export type FirmLimits = Output<'getLimits'>;
export type ApiKey = Output<'listKeys'>['data'][number];
export type LoggedRequest = Output<'listRequests'>['data'][number];
export type Webhook = Output<'listWebhooks'>['data'][number];
export type AttemptedWebhook = Output<'testWebhook'>;
export type Delivery = Output<'listWebhookDeliveries'>['data'][number];
export type ImportBody = DeskCalls['importClaims']['input']['body'];
export type ImportResult = Output<'importClaims'>;
export type AuditEvent = Output<'listAudit'>['data'][number];
export type AuditVerification = Output<'verifyAudit'>;
export type StaffMember = Output<'listStaff'>['data'][number];
export type Readiness = Output<'getFirmReadiness'>;
export type AnswersReport = Output<'reportAnswers'>;
export type ReportRow = AnswersReport['rows'][number];
export type BoardAdjuster = Output<'listBoardAdjusters'>['data'][number];
