import 'reflect-metadata';
import { setTimeout as pause } from 'node:timers/promises';
import {
  collectAuditRows,
  createApiKeyAuthenticator,
  createBatch,
  createSessionAuthenticator,
  invalidatingSessions,
  makeAcceptClaim,
  makeAcceptInvitation,
  makeAddMember,
  makeCloseAcceptedClaim,
  makeCloseClaimAsOperator,
  makeConfirmEmail,
  makeCreateAdjuster,
  makeCreateFirm,
  makeCreateFirstFirm,
  makeCreateKey,
  makeDeclineInvitation,
  makeDisableAdjuster,
  makeEnableAdjuster,
  makeEncryptExisting,
  makeEndSession,
  makeEndSessions,
  makeEraseFirm,
  makeExportFirm,
  makeInviteAdjuster,
  makeLeaveFirm,
  makeLogContact,
  makeOfferClaim,
  makeOpenSession,
  makePutDevice,
  makeReadAppClaim,
  makeReadProfile,
  makeRecordWork,
  makeRegisterPasskey,
  makeRejectClaim,
  makeRemoveCarrier,
  makeRemoveDeadline,
  makeRemoveDevice,
  makeRemoveMember,
  makeRemovePasskey,
  makeRemovePasskeys,
  makeRenamePasskey,
  makeRequestSignInCode,
  makeRestampFeeds,
  makeRevokeKey,
  makeRollKey,
  makeRotateEncryption,
  makeRunJob,
  makeSandbox,
  makeSendClaim,
  makeSetAcceptingAssignments,
  makeSetAvailability,
  makeSetCarrier,
  makeSetDeadline,
  makeSetDevicePreferences,
  makeSetLegalHold,
  makeSetLimits,
  makeSetMember,
  makeSetOfferWait,
  makeSetPlan,
  makeSignIn,
  makeSignOut,
  makeSignOutEverywhere,
  makeStartPasskeyRegistration,
  makeStartPasskeySignIn,
  makeTestDevice,
  makeUpdateProfile,
  makeWithdrawInvitation,
} from '@svc/application';
import { Container } from 'inversify';
import { createErrorReports } from '../http/adjuster-app/error-reports.ts';
import { adjusterAppHandler } from '../http/adjuster-app/handler.ts';
import { createLiveUpdates } from '../http/adjuster-app/live-updates.ts';
import { createApp } from '../http/app.ts';
import { mcpRoute } from '../http/mcp/mcp-route.ts';
import { createRejectionPace } from '../http/pipeline/rejection-pace.ts';
import { appRoutes } from '../http/routes/app-routes.ts';
import { browserSessionRoutes } from '../http/routes/browser-session-routes.ts';
import { firmRoutes } from '../http/routes/firm-routes.ts';
import { sandboxRoutes } from '../http/routes/sandbox-routes.ts';
import { EXTERNAL, type ExternalServices, TOKENS as T, type Token } from './tokens.ts';

/** Ten seconds of reads at full load. Reads need the database too, so the trail falls behind only while it is slow. */
const AUDIT_BATCH_CAPACITY = 100_000;

/** The one composition root. Every service lives as long as the process; none is created per request. */
export function createContainer(external: ExternalServices): Container {
  const c = new Container({ defaultScope: 'Singleton' });
  /** Binds what `make` returns when called with the services behind these tokens. */
  function bind<Deps extends object, Service>(
    token: Token<Service>,
    make: (deps: Deps) => Service,
    deps: { readonly [Name in keyof Deps]: Token<Deps[Name]> },
  ): void {
    const names = Object.keys(deps) as (keyof Deps & string)[];
    const withServices = (...services: unknown[]): Service =>
      make(Object.fromEntries(names.map((name, index) => [name, services[index]])) as Deps);
    c.bind(token).toResolvedValue(withServices, names.map((name) => deps[name]) as Token<unknown>[]);
  }

  /** Binds a service that only one other needs, or a few in this file. */
  function use<Deps extends object, Service>(
    make: (deps: Deps) => Service,
    deps: { readonly [Name in keyof Deps]: Token<Deps[Name]> },
  ): Token<Service> {
    const token: Token<Service> = Symbol(make.name);
    bind(token, make, deps);
    return token;
  }

  for (const name of EXTERNAL) c.bind<unknown>(T[name]).toConstantValue(external[name]);

  const { clock, secrets, ids, networkOf, appReads, firmReads } = T;
  const credentials = { credentials: T.credentials, secrets, clock };
  bind(T.apiKeyAuthenticator, createApiKeyAuthenticator, credentials);
  bind(T.sessionAuthenticator, createSessionAuthenticator, {
    ...credentials,
    passkeysRequired: T.passkeysRequired,
  });
  const uow = use(invalidatingSessions, {
    uow: T.unitOfWork,
    sessionAuthenticator: T.sessionAuthenticator,
  });
  c.bind(T.rejectionPace).toConstantValue(createRejectionPace({ now: () => performance.now(), pause }));
  c.bind(T.auditBatch).toResolvedValue(
    (store, log) =>
      createBatch({
        rows: collectAuditRows(),
        store,
        capacity: AUDIT_BATCH_CAPACITY,
        onDropped: (count) => log.error('events were dropped from the audit trail', { dropped: count }),
      }),
    [T.audit, T.log],
  );
  const { auditBatch, operator, signInMonitor, passkeyVerifier, passkeysRequired } = T;
  bind(T.runJob, makeRunJob, {
    offerResponses: T.offerResponses,
    uow,
    reads: T.jobReads,
    firmReads,
    appReads,
    notifier: T.notifier,
    auditBatch,
    secrets,
    clock,
  });

  const idempotent = { singleFlight: T.singleFlight, usedKeys: T.usedKeys, reads: firmReads, clock };
  const sessions = { uow, secrets, clock, ids, sessionMaxAgeMs: T.sessionMaxAgeMs };
  const signIn = use(makeSignIn, {
    ...sessions,
    networkOf,
    auditBatch,
    signInMonitor,
    passkeyVerifier,
    passkeysRequired,
  });
  const passkeys = { uow, secrets, clock, ids, passkeyVerifier, passkeysRequired };
  const startPasskeySignIn = use(makeStartPasskeySignIn, { secrets, clock, ids, passkeyVerifier });
  const requestSignInCode = use(makeRequestSignInCode, {
    uow,
    secrets,
    mailer: T.mailer,
    clock,
    networkOf,
    signInMonitor,
  });
  const signOut = use(makeSignOut, { uow, clock });
  const signOutEverywhere = use(makeSignOutEverywhere, { uow, clock });
  const profile = { uow, reads: appReads, clock, secrets, mailer: T.mailer };
  const memberships = { uow, reads: appReads, clock };
  bind(T.setAcceptingAssignments, makeSetAcceptingAssignments, memberships);

  const apiKeyAuthenticator = T.apiKeyAuthenticator;
  bind(T.createFirm, makeCreateFirm, { uow, secrets, clock, ids, operator });
  bind(T.createFirstFirm, makeCreateFirstFirm, { uow, secrets, clock, ids, operator });
  const ofFirm = {
    uow,
    reads: T.operatorReads,
    auditReads: T.auditReads,
    requestLog: T.requestLog,
    firmData: T.firmData,
    clock,
    operator,
  };
  bind(T.exportFirm, makeExportFirm, ofFirm);
  bind(
    T.eraseFirm,
    (deps: Parameters<typeof makeExportFirm>[0]) => makeEraseFirm({ ...deps, pause }),
    ofFirm,
  );
  bind(T.setLegalHold, makeSetLegalHold, ofFirm);
  const dataEncryption = { uow, encryption: T.encryption, clock, operator };
  bind(T.rotateEncryption, makeRotateEncryption, dataEncryption);
  bind(T.encryptExisting, makeEncryptExisting, dataEncryption);
  bind(T.setPlan, makeSetPlan, { uow, clock, operator, apiKeyAuthenticator });
  bind(T.setLimits, makeSetLimits, { uow, clock, operator, apiKeyAuthenticator });
  bind(T.setOfferWait, makeSetOfferWait, { uow, clock, operator, apiKeyAuthenticator });
  bind(T.setCarrier, makeSetCarrier, { uow, clock, operator });
  bind(T.removeCarrier, makeRemoveCarrier, { uow, clock, operator });
  bind(T.setDeadline, makeSetDeadline, { uow, clock, operator });
  bind(T.restampFeeds, makeRestampFeeds, { uow, reads: T.operatorReads, clock, operator });
  bind(T.removeDeadline, makeRemoveDeadline, { uow, clock, operator });
  const keys = { uow, secrets, clock, ids, apiKeyAuthenticator, operator };
  bind(T.createKey, makeCreateKey, keys);
  bind(T.revokeKey, makeRevokeKey, keys);
  bind(T.rollKey, makeRollKey, keys);
  const accounts = { ...sessions, operator };
  bind(T.createAdjuster, makeCreateAdjuster, accounts);
  bind(T.openSession, makeOpenSession, accounts);
  bind(T.addMember, makeAddMember, accounts);
  bind(T.setMember, makeSetMember, accounts);
  bind(T.removeMember, makeRemoveMember, accounts);
  bind(T.disableAdjuster, makeDisableAdjuster, accounts);
  bind(T.enableAdjuster, makeEnableAdjuster, accounts);
  bind(T.endSessions, makeEndSessions, accounts);
  bind(T.removePasskeys, makeRemovePasskeys, accounts);
  bind(T.closeClaimAsOperator, makeCloseClaimAsOperator, { uow, clock, operator });

  bind(T.firmRoutes, firmRoutes, {
    sendClaim: use(makeSendClaim, { ...idempotent, newClaims: T.newClaims, ids }),
    offerClaim: use(makeOfferClaim, { ...idempotent, uow }),
    inviteAdjuster: use(makeInviteAdjuster, { uow, clock }),
    withdrawInvitation: use(makeWithdrawInvitation, { uow, clock }),
    reads: firmReads,
    cursors: T.cursors,
    clock,
    checkHealth: T.checkHealth,
  });
  bind(T.sandboxRoutes, sandboxRoutes, {
    sandbox: use(makeSandbox, {
      uow,
      offerResponses: T.offerResponses,
      reads: firmReads,
      faults: T.faults,
      clock,
    }),
    clock,
  });
  bind(T.appRoutes, appRoutes, {
    requestSignInCode,
    signIn,
    signOut,
    endSession: use(makeEndSession, { uow, clock }),
    startPasskeySignIn,
    startPasskeyRegistration: use(makeStartPasskeyRegistration, passkeys),
    registerPasskey: use(makeRegisterPasskey, { ...passkeys, mailer: T.mailer }),
    renamePasskey: use(makeRenamePasskey, { uow, clock }),
    removePasskey: use(makeRemovePasskey, { uow, secrets, clock, mailer: T.mailer, passkeysRequired }),
    readProfile: use(makeReadProfile, { reads: appReads }),
    updateProfile: use(makeUpdateProfile, { ...profile, networkOf }),
    confirmEmail: use(makeConfirmEmail, profile),
    acceptInvitation: use(makeAcceptInvitation, memberships),
    declineInvitation: use(makeDeclineInvitation, memberships),
    setAcceptingAssignments: T.setAcceptingAssignments,
    setAvailability: use(makeSetAvailability, { uow, clock }),
    leaveFirm: use(makeLeaveFirm, memberships),
    readClaim: use(makeReadAppClaim, { reads: appReads }),
    acceptClaim: use(makeAcceptClaim, { offerResponses: T.offerResponses, clock }),
    rejectClaim: use(makeRejectClaim, { offerResponses: T.offerResponses, clock }),
    logContact: use(makeLogContact, { uow, clock }),
    recordWork: use(makeRecordWork, { uow, clock }),
    closeClaim: use(makeCloseAcceptedClaim, { uow, clock }),
    putDevice: use(makePutDevice, { uow, clock }),
    setDevicePreferences: use(makeSetDevicePreferences, { uow, clock }),
    testDevice: use(makeTestDevice, { uow, secrets, clock }),
    removeDevice: use(makeRemoveDevice, { uow }),
    reportAppError: use(createErrorReports, { log: T.log, clock }),
    reads: appReads,
    jobReads: T.jobReads,
    cursors: T.cursors,
    clock,
  });
  bind(T.browserSessionRoutes, browserSessionRoutes, {
    requestSignInCode,
    startPasskeySignIn,
    signIn,
    signOut,
    signOutEverywhere,
    secrets,
    addresses: T.addresses,
  });
  bind(T.mcpRoute, mcpRoute, {
    firmRoutes: T.firmRoutes,
    sandboxRoutes: T.sandboxRoutes,
    addresses: T.addresses,
  });
  c.bind(T.routes).toResolvedValue(
    (...groups) => groups.flat(),
    [T.firmRoutes, T.sandboxRoutes, T.appRoutes, T.browserSessionRoutes, T.mcpRoute],
  );
  bind(T.liveUpdates, createLiveUpdates, {
    reads: appReads,
    credentials: T.credentials,
    clock,
    isDraining: T.isDraining,
  });
  bind(T.adjusterApp, adjusterAppHandler, {
    sessionAuthenticator: T.sessionAuthenticator,
    liveUpdates: T.liveUpdates,
    addresses: T.addresses,
    pushKey: T.pushKey,
    isDraining: T.isDraining,
  });
  bind(T.app, createApp, {
    routes: T.routes,
    apiKeyAuthenticator,
    sessionAuthenticator: T.sessionAuthenticator,
    sessionLimiter: T.sessionLimiter,
    rateLimiter: T.rateLimiter,
    faults: T.faults,
    edgeLimiter: T.edgeLimiter,
    adjusterApp: T.adjusterApp,
    status: T.status,
    trustProxy: T.trustProxy,
    addresses: T.addresses,
    log: T.log,
    isDraining: T.isDraining,
    readLimit: T.readLimit,
    writeLimit: T.writeLimit,
    rejectionPace: T.rejectionPace,
    observe: T.observe,
    tracing: T.tracing,
    auditBatch,
    clock,
  });
  return c;
}
