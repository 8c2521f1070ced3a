import type { Operator } from './actors.ts';
import { makeSetAvailability, makeSetDevicePreferences, makeTestDevice } from './app/availability.ts';
import * as claims from './app/claims.ts';
import { makeReadCredentials, makeSaveCredentials } from './app/credentials.ts';
import * as memberships from './app/memberships.ts';
import * as profile from './app/profile.ts';
import type { Sha256 } from './audit/chain.ts';
import { type AuditCaller, byOperator, makeRecordOperatorAction } from './audit/events.ts';
import { type AccountKind, ADJUSTERS, STAFF } from './auth/accounts.ts';
import type { ApiKeyAuthenticator } from './auth/api-key-authenticator.ts';
import * as passkeys from './auth/passkeys.ts';
import {
  makeChangeFirm,
  makeEndSession,
  makeRequestSignInCode,
  makeSignIn,
  makeSignOut,
  makeSignOutEverywhere,
  type NetworkOf,
} from './auth/sign-in.ts';
import { makeReportAnswers } from './desk/answers-report.ts';
import { makeListAudit, makeVerifyAudit } from './desk/audit.ts';
import { makeCountBoard, makeListBoard } from './desk/board.ts';
import { makeListBoardAdjusters } from './desk/board-adjusters.ts';
import { makeReadBoardClaim } from './desk/board-claim.ts';
import { makeReadClocks, makeSetClocks } from './desk/clocks.ts';
import * as imports from './desk/imports.ts';
import { makeReadLimits } from './desk/limits.ts';
import { makeCheckReadiness } from './desk/readiness/readiness.ts';
import { makeListRequests, makeReadRequest } from './desk/requests.ts';
import { makeReadSharedCredentials } from './desk/shared-credentials.ts';
import { makeSpreadClaims } from './desk/spread-claims.ts';
import * as staff from './desk/staff.ts';
import { makeCloseClaimAsOperator, makeCloseClaimAtDesk, makeWithdrawOffer } from './firm/end-claim.ts';
import type { RunningKeys } from './firm/execute-idempotently.ts';
import { makeInviteAdjuster, makeInviteAdjusters } from './firm/invite-adjuster.ts';
import { makeOfferClaim } from './firm/offer-claim.ts';
import { makeSandbox } from './firm/sandbox.ts';
import { makeSendClaim } from './firm/send-claim.ts';
import { makeWithdrawInvitation } from './firm/withdraw-invitation.ts';
import type { Account } from './model/account.ts';
import type { AuditEvent } from './model/audit.ts';
import * as adjusters from './operator/adjusters.ts';
import { makeRemoveCarrier, makeSetCarrier } from './operator/carriers.ts';
import { makeRemoveDeadline, makeSetDeadline } from './operator/deadlines.ts';
import { makeEncryptExisting, makeRotateEncryption } from './operator/encryption.ts';
import { makeRestampFeeds } from './operator/feed.ts';
import { makeEraseFirm, makeExportFirm, makeSetLegalHold } from './operator/firm-data.ts';
import * as firms from './operator/firms.ts';
import * as keys from './operator/keys.ts';
import type { AppReads } from './ports/app-reads.ts';
import type { AuditReads } from './ports/audit-reads.ts';
import type { BoardReads } from './ports/board-reads.ts';
import type { ClaimWrites } from './ports/claim-writes.ts';
import type { Clock } from './ports/clock.ts';
import type { DataEncryption } from './ports/encryption.ts';
import type { FaultStore } from './ports/faults.ts';
import type { FirmData } from './ports/firm-data.ts';
import type { FirmReads } from './ports/firm-reads.ts';
import type { Ids } from './ports/ids.ts';
import type { JobReads } from './ports/job-reads.ts';
import type { Mailer } from './ports/mailer.ts';
import type { OfferEvent, OfferHistory } from './ports/offer-history.ts';
import type { OperatorReads } from './ports/operator-reads.ts';
import type { PasskeyVerifier } from './ports/passkey-verifier.ts';
import type { RateLimiter } from './ports/rate-limiter.ts';
import type { ReceiptSigner } from './ports/receipt-signer.ts';
import type { RequestLogStore } from './ports/request-log.ts';
import type { Secrets } from './ports/secrets.ts';
import type { SignInMonitor } from './ports/sign-in-monitor.ts';
import type { StaffReads } from './ports/staff-reads.ts';
import type { UnitOfWork } from './ports/unit-of-work.ts';
import type { UsedKeys } from './ports/used-keys.ts';
import type { WebhookQueue, WebhookReads, WebhookSender } from './ports/webhooks.ts';
import type { ZipDistance } from './ports/zip-distance.ts';
import { makeIssueReceipt } from './receipts/issue-receipt.ts';
import { createOfferSightings } from './receipts/offer-sightings.ts';
import * as webhooks from './webhooks/endpoints.ts';
import type { WriteBuffer } from './write-buffer.ts';

interface FirmDeps {
  readonly uow: UnitOfWork;
  readonly claimWrites: ClaimWrites;
  readonly firmReads: FirmReads;
  readonly boardReads: BoardReads;
  readonly staffReads: StaffReads;
  readonly operatorReads: OperatorReads;
  readonly usedKeys: UsedKeys;
  readonly runningKeys: RunningKeys;
  readonly faults: FaultStore;
  readonly requestLog: RequestLogStore;
  readonly offerHistory: OfferHistory;
  readonly receiptSigner: ReceiptSigner;
  readonly addresses: { readonly baseUrl: string };
  readonly clock: Clock;
  readonly ids: Ids;
}

export type FirmUseCases = ReturnType<typeof firmUseCases>;

/** What firm systems do. */
export const firmUseCases = (deps: FirmDeps) => ({
  sendClaim: makeSendClaim(deps),
  offerClaim: makeOfferClaim(deps),
  inviteAdjuster: makeInviteAdjuster(deps),
  inviteAdjusters: makeInviteAdjusters(deps),
  withdrawInvitation: makeWithdrawInvitation(deps),
  sandbox: makeSandbox(deps),
  checkReadiness: makeCheckReadiness(deps),
  issueReceipt: makeIssueReceipt(deps),
});

interface BoardDeps {
  readonly uow: UnitOfWork;
  readonly firmReads: FirmReads;
  readonly offerHistory: OfferHistory;
  readonly boardReads: BoardReads;
  readonly staffReads: StaffReads;
  readonly operatorReads: OperatorReads;
  readonly zipDistance: ZipDistance;
  readonly jobReads: Pick<JobReads, 'deadlineOverrides'>;
  readonly clock: Clock;
}

export type BoardUseCases = ReturnType<typeof boardUseCases>;

/** What staff of a firm do with its board. */
export const boardUseCases = (deps: BoardDeps) => ({
  listBoard: makeListBoard(deps),
  countBoard: makeCountBoard(deps),
  readBoardClaim: makeReadBoardClaim(deps),
  listBoardAdjusters: makeListBoardAdjusters(deps),
  spreadClaims: makeSpreadClaims(deps),
  readSharedCredentials: makeReadSharedCredentials(deps),
  readClocks: makeReadClocks(deps),
  setClocks: makeSetClocks(deps),
  reportAnswers: makeReportAnswers(deps),
  withdrawOffer: makeWithdrawOffer(deps),
  closeClaimAtDesk: makeCloseClaimAtDesk(deps),
});

interface AccountDeps {
  readonly uow: UnitOfWork;
  readonly auditBuffer: { add(event: AuditEvent): void };
  readonly mailer: Mailer;
  readonly secrets: Secrets;
  readonly passkeyVerifier: PasskeyVerifier;
  readonly passkeysRequired: boolean;
  readonly signInMonitor: SignInMonitor;
  readonly sessionMaxAgeMs: number;
  readonly networkOf: NetworkOf;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** How people sign in and out, whatever they do afterwards. */
function accountUseCases<A extends Account>(deps: AccountDeps, accounts: AccountKind<A>) {
  const { uow, auditBuffer, mailer, secrets, passkeyVerifier, passkeysRequired } = deps;
  const { signInMonitor, sessionMaxAgeMs, networkOf, clock, ids } = deps;
  const session = { uow, secrets, clock, ids, sessionMaxAgeMs };
  const signIn = { ...session, accounts, networkOf, auditBuffer, signInMonitor, passkeyVerifier };
  return {
    requestSignInCode: makeRequestSignInCode({ ...signIn, mailer }),
    signIn: makeSignIn({ ...signIn, passkeysRequired }),
    signOut: makeSignOut(deps),
    signOutEverywhere: makeSignOutEverywhere(signIn),
    endSession: makeEndSession(deps),
    startPasskeySignIn: passkeys.makeStartPasskeySignIn(deps),
    startPasskeyRegistration: passkeys.makeStartPasskeyRegistration(deps),
    registerPasskey: passkeys.makeRegisterPasskey(deps),
    renamePasskey: passkeys.makeRenamePasskey(deps),
    removePasskey: passkeys.makeRemovePasskey(deps),
  };
}

export type AccountUseCases<A extends Account> = ReturnType<typeof accountUseCases<A>>;

interface AppDeps extends AccountDeps {
  readonly claimWrites: ClaimWrites;
  readonly appReads: AppReads;
  readonly offerBuffer: Pick<WriteBuffer<OfferEvent>, 'add'>;
  readonly offerHistory: OfferHistory;
  readonly receiptSigner: ReceiptSigner;
  readonly addresses: { readonly baseUrl: string };
}

export type AppUseCases = ReturnType<typeof appUseCases>;

/** What adjusters do. */
export const appUseCases = (deps: AppDeps) => ({
  ...accountUseCases(deps, ADJUSTERS),
  readProfile: profile.makeReadProfile(deps),
  updateProfile: profile.makeUpdateProfile(deps),
  confirmEmail: profile.makeConfirmEmail(deps),
  listInvitations: memberships.makeListInvitations(deps),
  acceptInvitation: memberships.makeAcceptInvitation(deps),
  declineInvitation: memberships.makeDeclineInvitation(deps),
  setAcceptingAssignments: memberships.makeSetAcceptingAssignments(deps),
  readSharing: memberships.makeReadSharing(deps),
  setSharing: memberships.makeSetSharing(deps),
  setAvailability: makeSetAvailability(deps),
  readCredentials: makeReadCredentials(deps),
  saveCredentials: makeSaveCredentials(deps),
  leaveFirm: memberships.makeLeaveFirm(deps),
  readClaim: claims.makeReadAppClaim(deps),
  ...claims.makeAnswerOffers(deps),
  recordWork: claims.makeRecordWork(deps),
  logContact: claims.makeLogContact(deps),
  closeAcceptedClaim: claims.makeCloseAcceptedClaim(deps),
  putDevice: profile.makePutDevice(deps),
  setDevicePreferences: makeSetDevicePreferences(deps),
  testDevice: makeTestDevice(deps),
  removeDevice: profile.makeRemoveDevice(deps),
  recordSightings: createOfferSightings(deps),
  issueReceipt: makeIssueReceipt(deps),
});

interface DeskImportDeps {
  readonly uow: UnitOfWork;
  readonly boardReads: BoardReads;
  readonly firmReads: FirmReads;
  readonly firmUseCases: Pick<FirmUseCases, 'sendClaim'>;
  readonly clock: Clock;
  readonly ids: Ids;
}

export type DeskImportUseCases = ReturnType<typeof deskImportUseCases>;

/** How staff import files of claims. */
export const deskImportUseCases = (deps: DeskImportDeps) => ({
  rememberedColumns: imports.makeRememberedColumns(deps),
  startImport: imports.makeStartImport(deps),
  adjustersByName: imports.makeAdjustersByName(deps),
  checkExisting: imports.makeCheckExisting(deps),
  checkAdjusters: imports.makeCheckAdjusters(deps),
  sendImported: imports.makeSendImported(deps),
  readImport: imports.makeReadImport(deps),
  listImports: imports.makeListImports(deps),
});

interface DeskDeps extends AccountDeps {
  readonly staffReads: StaffReads;
  readonly auditReads: AuditReads;
  readonly operatorReads: OperatorReads;
  readonly requestLog: RequestLogStore;
  readonly rateLimiter: RateLimiter;
  readonly apiKeyAuthenticator: ApiKeyAuthenticator;
  readonly sha256: Sha256;
}

export type DeskUseCases = ReturnType<typeof deskUseCases>;

/** What the staff of a firm do. */
export const deskUseCases = (deps: DeskDeps) => ({
  ...accountUseCases(deps, STAFF),
  changeFirm: makeChangeFirm(deps),
  readOwnStaff: staff.makeReadOwnStaff(deps),
  inviteStaff: staff.makeInviteStaff(deps),
  updateStaff: staff.makeUpdateStaff(deps),
  setLateOffersMail: staff.makeSetLateOffersMail(deps),
  removeStaff: staff.makeRemoveStaff(deps),
  createKey: keys.makeCreateKey(deps),
  renameKey: keys.makeRenameKey(deps),
  revokeKey: keys.makeRevokeKey(deps),
  revokeKeysOfMaker: keys.makeRevokeKeysOfMaker(deps),
  rollKey: keys.makeRollKey(deps),
  listRequests: makeListRequests(deps),
  readRequest: makeReadRequest(deps),
  readLimits: makeReadLimits(deps),
  listAudit: makeListAudit(deps),
  verifyAudit: makeVerifyAudit(deps),
});

interface OperatorDeps {
  readonly uow: UnitOfWork;
  readonly operatorReads: OperatorReads;
  readonly auditReads: AuditReads;
  readonly mailer: Mailer;
  readonly staffReads: StaffReads;
  readonly requestLog: RequestLogStore;
  readonly firmData: FirmData;
  readonly webhookReads: WebhookReads;
  readonly encryption: DataEncryption;
  readonly apiKeyAuthenticator: ApiKeyAuthenticator;
  readonly secrets: Secrets;
  readonly sessionMaxAgeMs: number;
  /** Whom the audit trail names. */
  readonly operator: Operator;
  readonly pause: (ms: number) => Promise<void>;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** A use case of several callers, for the operator. */
const bound =
  <Args extends unknown[], T>(act: (caller: AuditCaller, ...args: Args) => T, operator: Operator) =>
  (...args: Args): T =>
    act(byOperator(operator), ...args);

export type OperatorUseCases = ReturnType<typeof operatorUseCases>;

/** What the operator does. */
export const operatorUseCases = (deps: OperatorDeps) => ({
  createFirm: firms.makeCreateFirm(deps),
  createFirstFirm: firms.makeCreateFirstFirm(deps),
  setPlan: firms.makeSetPlan(deps),
  setLimits: firms.makeSetLimits(deps),
  setOfferWait: firms.makeSetOfferWait(deps),
  exportFirm: makeExportFirm(deps),
  eraseFirm: makeEraseFirm(deps),
  setLegalHold: makeSetLegalHold(deps),
  rotateEncryption: makeRotateEncryption(deps),
  encryptExisting: makeEncryptExisting(deps),
  restampFeeds: makeRestampFeeds(deps),
  setCarrier: makeSetCarrier(deps),
  removeCarrier: makeRemoveCarrier(deps),
  setDeadline: makeSetDeadline(deps),
  removeDeadline: makeRemoveDeadline(deps),
  createKey: bound(keys.makeCreateKey(deps), deps.operator),
  revokeKey: bound(keys.makeRevokeKey(deps), deps.operator),
  revokeKeysOfMaker: bound(keys.makeRevokeKeysOfMaker(deps), deps.operator),
  rollKey: bound(keys.makeRollKey(deps), deps.operator),
  inviteStaff: bound(staff.makeInviteStaff(deps), deps.operator),
  updateStaff: bound(staff.makeUpdateStaff(deps), deps.operator),
  removeStaff: bound(staff.makeRemoveStaff(deps), deps.operator),
  openStaffSession: bound(staff.makeOpenStaffSession(deps), deps.operator),
  createAdjuster: adjusters.makeCreateAdjuster(deps),
  openSession: adjusters.makeOpenSession(deps),
  addMember: adjusters.makeAddMember(deps),
  setMember: adjusters.makeSetMember(deps),
  removeMember: adjusters.makeRemoveMember(deps),
  disableAdjuster: adjusters.makeDisableAdjuster(deps),
  enableAdjuster: adjusters.makeEnableAdjuster(deps),
  endSessions: adjusters.makeEndSessions(deps),
  removePasskeys: adjusters.makeRemovePasskeys(deps),
  closeClaimAsOperator: makeCloseClaimAsOperator(deps),
  recordAction: makeRecordOperatorAction(deps),
});

interface WebhookDeps {
  readonly uow: UnitOfWork;
  readonly webhookReads: WebhookReads;
  readonly webhookQueue: WebhookQueue;
  readonly webhookSender: WebhookSender;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly ids: Ids;
}

export type WebhookUseCases = ReturnType<typeof webhookUseCases>;

/** What the operator and a firm's staff do about the firm's endpoints. */
export const webhookUseCases = (deps: WebhookDeps) => ({
  createWebhook: webhooks.makeCreateWebhook(deps),
  removeWebhook: webhooks.makeRemoveWebhook(deps),
  updateWebhook: webhooks.makeUpdateWebhook(deps),
  listWebhookDeliveries: webhooks.makeListWebhookDeliveries(deps),
  ...webhooks.makeManualDeliveries(deps),
});
