import { makeSetAvailability, makeSetDevicePreferences, makeTestDevice } from './app/availability.ts';
import * as claims from './app/claims.ts';
import { makeReadCredentials, makeSaveCredentials } from './app/credentials.ts';
import * as memberships from './app/memberships.ts';
import * as profile from './app/profile.ts';
import { makeRecordOperatorAction } from './audit/events.ts';
import { type AccountKind, ADJUSTERS, STAFF } from './auth/accounts.ts';
import * as passkeys from './auth/passkeys.ts';
import {
  makeChangeFirm,
  makeEndSession,
  makeRequestSignInCode,
  makeSignIn,
  makeSignOut,
  makeSignOutEverywhere,
  type SessionDeps,
} from './auth/sign-in.ts';
import { makeReportAnswers } from './desk/answers-report.ts';
import { makeListAudit, makeVerifyAudit } from './desk/audit.ts';
import { makeCountBoard, makeListBoard } from './desk/board.ts';
import { makeListBoardAdjusters } from './desk/board-adjusters.ts';
import { makeReadBoardClaim } from './desk/board-claim.ts';
import { makeSetClocks } from './desk/clocks.ts';
import * as imports from './desk/imports.ts';
import { makeReadLimits } from './desk/limits.ts';
import { makeCheckReadiness } from './desk/readiness/readiness.ts';
import { makeListRequests, makeReadRequest } from './desk/requests.ts';
import { makeReadSharedCredentials } from './desk/shared-credentials.ts';
import { makeSpreadClaims } from './desk/spread-claims.ts';
import * as staff from './desk/staff.ts';
import { makeCloseClaimAsOperator, makeCloseClaimAtDesk, makeWithdrawOffer } from './firm/end-claim.ts';
import { makeInviteAdjuster, makeInviteAdjusters } from './firm/invite-adjuster.ts';
import { makeOfferClaim } from './firm/offer-claim.ts';
import { makeSandbox } from './firm/sandbox.ts';
import { makeSendClaim } from './firm/send-claim.ts';
import { makeWithdrawInvitation } from './firm/withdraw-invitation.ts';
import type { Account } from './model/account.ts';
import * as adjusters from './operator/adjusters.ts';
import { makeRemoveCarrier, makeSetCarrier } from './operator/carriers.ts';
import { makeRemoveDeadline, makeSetDeadline } from './operator/deadlines.ts';
import { makeEncryptExisting, makeRotateEncryption } from './operator/encryption.ts';
import { makeRestampFeeds } from './operator/feed.ts';
import { makeEraseFirm, makeExportFirm, makeSetLegalHold } from './operator/firm-data.ts';
import * as firms from './operator/firms.ts';
import * as keys from './operator/keys.ts';
import type { Needs } from './ports/needs.ts';
import { makeIssueReceipt } from './receipts/issue-receipt.ts';
import { createOfferSightings } from './receipts/offer-sightings.ts';
import * as webhooks from './webhooks/endpoints.ts';

// Every use case by its name, and what makes it of what the type of its parameter names.

export type Made<Makes> = {
  readonly [Name in keyof Makes]: Makes[Name] extends (deps: never) => infer Service ? Service : never;
};

export type ClaimUseCases = Made<typeof claimUseCases>;

export const claimUseCases = {
  sendClaim: makeSendClaim,
  offerClaim: makeOfferClaim,
  withdrawOffer: makeWithdrawOffer,
  closeClaimAtDesk: makeCloseClaimAtDesk,
  closeClaimAsOperator: makeCloseClaimAsOperator,
  readClaim: claims.makeReadAppClaim,
  answerOffers: claims.makeAnswerOffers,
  recordWork: claims.makeRecordWork,
  logContact: claims.makeLogContact,
  closeAcceptedClaim: claims.makeCloseAcceptedClaim,
  recordSightings: createOfferSightings,
  issueReceipt: makeIssueReceipt,
  listBoard: makeListBoard,
  countBoard: makeCountBoard,
  readBoardClaim: makeReadBoardClaim,
  listBoardAdjusters: makeListBoardAdjusters,
  spreadClaims: makeSpreadClaims,
  setClocks: makeSetClocks,
  reportAnswers: makeReportAnswers,
  sandbox: makeSandbox,
  checkReadiness: makeCheckReadiness,
};

export type MemberUseCases = Made<typeof memberUseCases>;

export const memberUseCases = {
  inviteAdjuster: makeInviteAdjuster,
  inviteAdjusters: makeInviteAdjusters,
  withdrawInvitation: makeWithdrawInvitation,
  listInvitations: memberships.makeListInvitations,
  acceptInvitation: memberships.makeAcceptInvitation,
  declineInvitation: memberships.makeDeclineInvitation,
  setAcceptingAssignments: memberships.makeSetAcceptingAssignments,
  readSharing: memberships.makeReadSharing,
  setSharing: memberships.makeSetSharing,
  readSharedCredentials: makeReadSharedCredentials,
  leaveFirm: memberships.makeLeaveFirm,
  addMember: adjusters.makeAddMember,
  setMember: adjusters.makeSetMember,
  removeMember: adjusters.makeRemoveMember,
  readOwnStaff: staff.makeReadOwnStaff,
  inviteStaff: staff.makeInviteStaff,
  updateStaff: staff.makeUpdateStaff,
  setLateOffersMail: staff.makeSetLateOffersMail,
  removeStaff: staff.makeRemoveStaff,
};

type AccountDeps = SessionDeps &
  Needs<'auditBuffer' | 'mailer' | 'passkeyVerifier' | 'passkeysRequired' | 'signInMonitor' | 'networkOf'>;

/** How people sign in and out, whatever they do afterwards. */
function signInUseCases<A extends Account>(deps: AccountDeps, accounts: AccountKind<A>) {
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

export type SignInUseCases<A extends Account> = ReturnType<typeof signInUseCases<A>>;

export type AccountUseCases = Made<typeof accountUseCases>;

export const accountUseCases = {
  adjusterSignIn: (deps: AccountDeps) => signInUseCases(deps, ADJUSTERS),
  staffSignIn: (deps: AccountDeps) => signInUseCases(deps, STAFF),
  changeFirm: makeChangeFirm,
  readProfile: profile.makeReadProfile,
  updateProfile: profile.makeUpdateProfile,
  confirmEmail: profile.makeConfirmEmail,
  setAvailability: makeSetAvailability,
  readCredentials: makeReadCredentials,
  saveCredentials: makeSaveCredentials,
  putDevice: profile.makePutDevice,
  setDevicePreferences: makeSetDevicePreferences,
  testDevice: makeTestDevice,
  removeDevice: profile.makeRemoveDevice,
  createAdjuster: adjusters.makeCreateAdjuster,
  openSession: adjusters.makeOpenSession,
  openStaffSession: staff.makeOpenStaffSession,
  disableAdjuster: adjusters.makeDisableAdjuster,
  enableAdjuster: adjusters.makeEnableAdjuster,
  endSessions: adjusters.makeEndSessions,
  removePasskeys: adjusters.makeRemovePasskeys,
};

export type KeyUseCases = Made<typeof keyUseCases>;

export const keyUseCases = {
  createKey: keys.makeCreateKey,
  renameKey: keys.makeRenameKey,
  revokeKey: keys.makeRevokeKey,
  revokeKeysOfMaker: keys.makeRevokeKeysOfMaker,
  rollKey: keys.makeRollKey,
  listRequests: makeListRequests,
  readRequest: makeReadRequest,
  readLimits: makeReadLimits,
};

export type WebhookUseCases = Made<typeof webhookUseCases>;

export const webhookUseCases = {
  createWebhook: webhooks.makeCreateWebhook,
  removeWebhook: webhooks.makeRemoveWebhook,
  updateWebhook: webhooks.makeUpdateWebhook,
  listWebhookDeliveries: webhooks.makeListWebhookDeliveries,
  manualDeliveries: webhooks.makeManualDeliveries,
};

export type ImportUseCases = Made<typeof importUseCases>;

export const importUseCases = {
  rememberedColumns: imports.makeRememberedColumns,
  startImport: imports.makeStartImport,
  adjustersByName: imports.makeAdjustersByName,
  checkExisting: imports.makeCheckExisting,
  checkAdjusters: imports.makeCheckAdjusters,
  sendImported: imports.makeSendImported,
  readImport: imports.makeReadImport,
  listImports: imports.makeListImports,
};

export type OperationUseCases = Made<typeof operationUseCases>;

export const operationUseCases = {
  createFirm: firms.makeCreateFirm,
  createFirstFirm: firms.makeCreateFirstFirm,
  setPlan: firms.makeSetPlan,
  setLimits: firms.makeSetLimits,
  setOfferWait: firms.makeSetOfferWait,
  exportFirm: makeExportFirm,
  eraseFirm: makeEraseFirm,
  setLegalHold: makeSetLegalHold,
  rotateEncryption: makeRotateEncryption,
  encryptExisting: makeEncryptExisting,
  restampFeeds: makeRestampFeeds,
  setCarrier: makeSetCarrier,
  removeCarrier: makeRemoveCarrier,
  setDeadline: makeSetDeadline,
  removeDeadline: makeRemoveDeadline,
  listAudit: makeListAudit,
  verifyAudit: makeVerifyAudit,
  recordOperatorAction: makeRecordOperatorAction,
};
