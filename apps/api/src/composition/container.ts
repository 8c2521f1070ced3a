import 'reflect-metadata';
import {
  type AppReads,
  type Clock,
  type CredentialStore,
  createApiKeyAuthenticator,
  createSessionAuthenticator,
  type FirmReads,
  type Ids,
  type JobReads,
  type Mailer,
  makeAcceptClaim,
  makeAcceptInvitation,
  makeAddMember,
  makeCloseAcceptedClaim,
  makeCloseClaimAsOperator,
  makeCreateAdjuster,
  makeCreateFirm,
  makeCreateFirstFirm,
  makeCreateKey,
  makeDeclineInvitation,
  makeInviteAdjuster,
  makeLeaveFirm,
  makeOfferClaim,
  makeOpenSession,
  makePutDevice,
  makeReadAppClaim,
  makeReadProfile,
  makeRecordWork,
  makeRejectClaim,
  makeRemoveDevice,
  makeRequestSignInCode,
  makeRevokeKey,
  makeRollKey,
  makeRunJob,
  makeSendClaim,
  makeSetAcceptingAssignments,
  makeSetLimits,
  makeSetMember,
  makeSetPlan,
  makeSignIn,
  makeSignOut,
  makeSignOutEverywhere,
  makeUpdateProfile,
  makeWithdrawInvitation,
  type Notifier,
  type OperatorReads,
  type RateLimiter,
  type RequestLogStore,
  type SingleFlight,
  type UnitOfWork,
} from '@svc/application';
import { Container } from 'inversify';
import { adjusterAppHandler } from '../http/adjuster-app/handler.ts';
import { createLiveUpdates } from '../http/adjuster-app/live-updates.ts';
import { createApp, type EdgeLimiter, type Observe } from '../http/app.ts';
import type { ProblemAddresses } from '../http/problems/http-problem.ts';
import { appRoutes } from '../http/routes/app-routes.ts';
import { pageRoutes } from '../http/routes/browser-session-routes.ts';
import { firmRoutes } from '../http/routes/firm-routes.ts';
import { createCursors } from '../http/serialization/cursor.ts';
import type { Log } from '../logging.ts';
import { createSecrets } from './secrets.ts';
import { TOKENS as T } from './tokens.ts';
import { createUuidV7 } from './uuid-v7.ts';

/** What has to be connected, listened on or read from outside before anything can be wired. */
interface ExternalServices {
  readonly log: Log;
  readonly clock: Clock;
  readonly addresses: ProblemAddresses;
  readonly trustProxy: boolean | number | string;
  readonly checkHealth: () => Promise<void>;
  readonly isDraining: () => boolean;
  readonly observe: Observe;
  readonly stores: {
    readonly unitOfWork: UnitOfWork;
    readonly firmReads: FirmReads;
    readonly appReads: AppReads;
    readonly operatorReads: OperatorReads;
    readonly jobReads: JobReads;
    readonly requestLog: RequestLogStore;
    readonly credentials: CredentialStore;
  };
  readonly rateLimiter: RateLimiter;
  readonly twins: SingleFlight;
  readonly edgeLimiter: EdgeLimiter;
  readonly mailer: Mailer;
  readonly notifier: Notifier;
  readonly pushKey: () => string;
  readonly cursorSecret: Uint8Array;
  readonly signInCodeSecret: Uint8Array;
  /** What counts as one client of the addresses that a request can come from. */
  readonly networkOf: (clientAddress: string) => string;
}

/** The one composition root. Everything lives as long as the process; nothing is made per request. */
export function createContainer(outside: ExternalServices): Container {
  const c = new Container({ defaultScope: 'Singleton' });
  const { networkOf } = outside;

  c.bind(T.log).toConstantValue(outside.log);
  c.bind(T.addresses).toConstantValue(outside.addresses);
  c.bind(T.trustProxy).toConstantValue(outside.trustProxy);
  c.bind(T.checkHealth).toConstantValue(outside.checkHealth);
  c.bind(T.isDraining).toConstantValue(outside.isDraining);
  c.bind(T.observe).toConstantValue(outside.observe);
  c.bind(T.clock).toConstantValue(outside.clock);
  c.bind<Ids>(T.ids).toConstantValue(createUuidV7());
  c.bind(T.secrets).toConstantValue(createSecrets(outside.signInCodeSecret));
  c.bind(T.cursors).toConstantValue(createCursors(outside.cursorSecret));
  c.bind(T.mailer).toConstantValue(outside.mailer);
  c.bind(T.notifier).toConstantValue(outside.notifier);
  c.bind(T.pushKey).toConstantValue(outside.pushKey);
  c.bind(T.uow).toConstantValue(outside.stores.unitOfWork);
  c.bind(T.firmReads).toConstantValue(outside.stores.firmReads);
  c.bind(T.appReads).toConstantValue(outside.stores.appReads);
  c.bind(T.operatorReads).toConstantValue(outside.stores.operatorReads);
  c.bind(T.jobReads).toConstantValue(outside.stores.jobReads);
  c.bind(T.requestLogs).toConstantValue(outside.stores.requestLog);
  c.bind(T.credentials).toConstantValue(outside.stores.credentials);
  c.bind(T.rateLimiter).toConstantValue(outside.rateLimiter);
  c.bind(T.twins).toConstantValue(outside.twins);
  c.bind(T.edgeLimiter).toConstantValue(outside.edgeLimiter);

  c.bind(T.keyRing).toResolvedValue(
    (credentials, secrets, clock) => createApiKeyAuthenticator({ credentials, secrets, clock }),
    [T.credentials, T.secrets, T.clock],
  );
  c.bind(T.sessionGate).toResolvedValue(
    (credentials, secrets, clock) => createSessionAuthenticator({ credentials, secrets, clock }),
    [T.credentials, T.secrets, T.clock],
  );
  c.bind(T.runJob).toResolvedValue(
    (uow, reads, firmReads, notifier, clock) => makeRunJob({ uow, reads, firmReads, notifier, clock }),
    [T.uow, T.jobReads, T.firmReads, T.notifier, T.clock],
  );

  c.bind(T.createFirm).toResolvedValue(
    (uow, secrets, clock, ids) => makeCreateFirm({ uow, secrets, clock, ids }),
    [T.uow, T.secrets, T.clock, T.ids],
  );
  c.bind(T.createFirstFirm).toResolvedValue(
    (uow, secrets, clock, ids) => makeCreateFirstFirm({ uow, secrets, clock, ids }),
    [T.uow, T.secrets, T.clock, T.ids],
  );
  c.bind(T.setPlan).toResolvedValue((uow, keyRing) => makeSetPlan({ uow, keyRing }), [T.uow, T.keyRing]);
  c.bind(T.setLimits).toResolvedValue((uow, keyRing) => makeSetLimits({ uow, keyRing }), [T.uow, T.keyRing]);
  const keyDeps = [T.uow, T.secrets, T.clock, T.ids, T.keyRing] as const;
  c.bind(T.createKey).toResolvedValue(
    (uow, secrets, clock, ids, keyRing) => makeCreateKey({ uow, secrets, clock, ids, keyRing }),
    [...keyDeps],
  );
  c.bind(T.revokeKey).toResolvedValue(
    (uow, secrets, clock, ids, keyRing) => makeRevokeKey({ uow, secrets, clock, ids, keyRing }),
    [...keyDeps],
  );
  c.bind(T.rollKey).toResolvedValue(
    (uow, secrets, clock, ids, keyRing) => makeRollKey({ uow, secrets, clock, ids, keyRing }),
    [...keyDeps],
  );
  const adjusterDeps = [T.uow, T.secrets, T.clock] as const;
  c.bind(T.createAdjuster).toResolvedValue(
    (uow, secrets, clock) => makeCreateAdjuster({ uow, secrets, clock }),
    [...adjusterDeps],
  );
  c.bind(T.openSession).toResolvedValue(
    (uow, secrets, clock) => makeOpenSession({ uow, secrets, clock }),
    [...adjusterDeps],
  );
  c.bind(T.addMember).toResolvedValue(
    (uow, secrets, clock) => makeAddMember({ uow, secrets, clock }),
    [...adjusterDeps],
  );
  c.bind(T.setMember).toResolvedValue(
    (uow, secrets, clock) => makeSetMember({ uow, secrets, clock }),
    [...adjusterDeps],
  );
  c.bind(T.closeClaim).toResolvedValue(
    (uow, clock) => makeCloseClaimAsOperator({ uow, clock }),
    [T.uow, T.clock],
  );

  c.bind(T.firmRouteDeps).toResolvedValue(
    (uow, twins, reads, clock, ids, cursors, checkHealth) => ({
      sendClaim: makeSendClaim({ uow, twins, reads, clock, ids }),
      offerClaim: makeOfferClaim({ uow, twins, reads, clock }),
      inviteAdjuster: makeInviteAdjuster({ uow, clock }),
      withdrawInvitation: makeWithdrawInvitation({ uow, clock }),
      reads,
      cursors,
      clock,
      checkHealth,
    }),
    [T.uow, T.twins, T.firmReads, T.clock, T.ids, T.cursors, T.checkHealth],
  );
  c.bind(T.appRouteDeps).toResolvedValue(
    (uow, reads, jobReads, clock, secrets, mailer, cursors) => ({
      requestSignInCode: makeRequestSignInCode({ uow, secrets, mailer, clock, networkOf }),
      signIn: makeSignIn({ uow, secrets, clock, networkOf }),
      signOut: makeSignOut({ uow }),
      readProfile: makeReadProfile({ reads }),
      updateProfile: makeUpdateProfile({ uow, reads }),
      acceptInvitation: makeAcceptInvitation({ uow, reads, clock }),
      declineInvitation: makeDeclineInvitation({ uow, reads, clock }),
      setAcceptingAssignments: makeSetAcceptingAssignments({ uow, reads, clock }),
      leaveFirm: makeLeaveFirm({ uow, reads, clock }),
      readClaim: makeReadAppClaim({ reads }),
      acceptOffer: makeAcceptClaim({ uow, clock }),
      rejectOffer: makeRejectClaim({ uow, clock }),
      recordWork: makeRecordWork({ uow, clock }),
      closeClaim: makeCloseAcceptedClaim({ uow, clock }),
      putDevice: makePutDevice({ uow }),
      removeDevice: makeRemoveDevice({ uow }),
      firmName: (firmId: Parameters<JobReads['firmName']>[0]) => jobReads.firmName(firmId),
      reads,
      cursors,
      clock,
    }),
    [T.uow, T.appReads, T.jobReads, T.clock, T.secrets, T.mailer, T.cursors],
  );
  c.bind(T.pageRouteDeps).toResolvedValue(
    (uow, secrets, clock, addresses) => ({
      signIn: makeSignIn({ uow, secrets, clock, networkOf }),
      signOut: makeSignOut({ uow }),
      signOutEverywhere: makeSignOutEverywhere({ uow }),
      addresses,
    }),
    [T.uow, T.secrets, T.clock, T.addresses],
  );
  c.bind(T.adjusterPage).toResolvedValue(
    (reads, sessionGate, addresses, pushKey, isDraining) =>
      adjusterAppHandler({
        sessionGate,
        live: createLiveUpdates({ editions: (svcIds) => reads.revisions(svcIds), isDraining }),
        addresses,
        pushKey,
        isDraining,
      }),
    [T.appReads, T.sessionGate, T.addresses, T.pushKey, T.isDraining],
  );
  c.bind(T.routes).toResolvedValue(
    (firm, app, page) => [...firmRoutes(firm), ...appRoutes(app), ...pageRoutes(page)],
    [T.firmRouteDeps, T.appRouteDeps, T.pageRouteDeps],
  );
  c.bind(T.app).toResolvedValue(
    (
      routes,
      keyRing,
      sessionGate,
      rateLimiter,
      edgeLimiter,
      adjusterPage,
      trustProxy,
      addresses,
      log,
      isDraining,
      observe,
    ) =>
      createApp({
        routes,
        keyRing,
        sessionGate,
        rateLimiter,
        edgeLimiter,
        adjusterPage,
        trustProxy,
        addresses,
        log,
        isDraining,
        observe,
      }),
    [
      T.routes,
      T.keyRing,
      T.sessionGate,
      T.rateLimiter,
      T.edgeLimiter,
      T.adjusterPage,
      T.trustProxy,
      T.addresses,
      T.log,
      T.isDraining,
      T.observe,
    ],
  );
  return c;
}
