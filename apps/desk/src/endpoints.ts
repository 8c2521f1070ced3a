import { deskEndpoints, type FirmChoice, routesOf } from '@svc/contract';
import type { Api as ApiOf } from '@svc/web-app/api';
import {
  BROWSER_ROUTES,
  type BrowserCalls,
  type Call as CallAmong,
  type CallOf,
  type CallsOf,
} from '@svc/web-app/endpoints';

export type Environment = 'live' | 'test';

// The build puts the value in place of this module: it has no schemas.
export const ROUTES: Readonly<Record<string, string>> = {
  ...routesOf('/firm/', deskEndpoints),
  ...BROWSER_ROUTES,
  openSession: `${BROWSER_ROUTES.openSession} | 200 firms ticket`,
};

type DeskCalls = CallsOf<
  typeof deskEndpoints,
  BrowserCalls<SignInProof, FirmChoice | { readonly expires_at: string }>
>;
export type CallId = keyof DeskCalls;
export type Call = CallAmong<DeskCalls>;
export type Api = ApiOf<Call>;
export type SignInProof = CallOf<(typeof deskEndpoints)['signInStaff']>['input']['body'];

type Output<Id extends CallId> = DeskCalls[Id]['output'];
export type OwnStaff = Output<'getOwnStaff'>;
export type Permission = OwnStaff['permissions'][number];
export type BoardClaim = Output<'listBoardClaims'>['data'][number];
export type BoardCounts = NonNullable<Output<'listBoardClaims'>['counts']>;
export type BoardClaimDetails = Output<'getBoardClaim'>;
export type Clocks = Output<'getClocks'>;
export type ClockRule = Clocks['rules'][number];
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
export type InvitationResult = Output<'inviteBoardAdjusters'>['results'][number];
export type BoardAdjuster = Output<'listBoardAdjusters'>['data'][number];
export type SharedCredentials = Output<'getSharedCredentials'>;
export type SpreadBody = DeskCalls['spreadClaims']['input']['body'];
export type ProposedOffer = Output<'spreadClaims'>['offers'][number];
