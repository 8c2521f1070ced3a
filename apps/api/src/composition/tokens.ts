import type {
  ApiKeyAuthenticator,
  AppReads,
  Clock,
  CredentialStore,
  FirmReads,
  Ids,
  JobReads,
  Mailer,
  makeAddMember,
  makeCloseClaimAsOperator,
  makeCreateAdjuster,
  makeCreateFirm,
  makeCreateFirstFirm,
  makeCreateKey,
  makeOpenSession,
  makeRevokeKey,
  makeRollKey,
  makeRunJob,
  makeSetLimits,
  makeSetMember,
  makeSetPlan,
  Notifier,
  OperatorReads,
  RateLimiter,
  RequestLogStore,
  Secrets,
  SessionAuthenticator,
  SingleFlight,
  UnitOfWork,
} from '@svc/application';
import type { Express, RequestHandler } from 'express';
import type { ServiceIdentifier } from 'inversify';
import type { EdgeLimiter, Observe } from '../http/app.ts';
import type { ProblemAddresses } from '../http/problems/http-problem.ts';
import type { AppRouteDeps } from '../http/routes/app-routes.ts';
import type { PageRouteDeps } from '../http/routes/browser-session-routes.ts';
import type { FirmRouteDeps } from '../http/routes/firm-routes.ts';
import type { Route } from '../http/routes/route.ts';
import type { Cursors } from '../http/serialization/cursor.ts';
import type { Log } from '../logging.ts';

/** A name of our own: the declarations of this file could not spell the defaults of Express'. */
export interface Middleware extends RequestHandler {}

const token = <T>(name: string): ServiceIdentifier<T> => Symbol(name) as ServiceIdentifier<T>;

/** What the container knows things by. */
export const TOKENS = {
  log: token<Log>('log'),
  addresses: token<ProblemAddresses>('addresses'),
  trustProxy: token<boolean | number | string>('trust proxy'),
  isDraining: token<() => boolean>('is draining'),
  observe: token<Observe>('observer of answers'),
  checkHealth: token<() => Promise<void>>('health check'),

  clock: token<Clock>('clock'),
  ids: token<Ids>('ids'),
  secrets: token<Secrets>('secrets'),
  cursors: token<Cursors>('cursors'),
  mailer: token<Mailer>('mailer'),
  notifier: token<Notifier>('notifier'),

  uow: token<UnitOfWork>('unit of work'),
  firmReads: token<FirmReads>('firm reads'),
  appReads: token<AppReads>('app reads'),
  operatorReads: token<OperatorReads>('operator reads'),
  jobReads: token<JobReads>('job reads'),
  requestLogs: token<RequestLogStore>('request log'),
  credentials: token<CredentialStore>('credentials'),
  rateLimiter: token<RateLimiter>('rate limiter'),
  twins: token<SingleFlight>('twins'),
  edgeLimiter: token<EdgeLimiter>('edge limiter'),

  keyRing: token<ApiKeyAuthenticator>('key ring'),
  sessionGate: token<SessionAuthenticator>('session gate'),
  runJob: token<ReturnType<typeof makeRunJob>>('run job'),

  createFirm: token<ReturnType<typeof makeCreateFirm>>('create firm'),
  createFirstFirm: token<ReturnType<typeof makeCreateFirstFirm>>('create first firm'),
  setPlan: token<ReturnType<typeof makeSetPlan>>('set plan'),
  setLimits: token<ReturnType<typeof makeSetLimits>>('set limits'),
  createKey: token<ReturnType<typeof makeCreateKey>>('create key'),
  revokeKey: token<ReturnType<typeof makeRevokeKey>>('revoke key'),
  rollKey: token<ReturnType<typeof makeRollKey>>('roll key'),
  createAdjuster: token<ReturnType<typeof makeCreateAdjuster>>('create adjuster'),
  openSession: token<ReturnType<typeof makeOpenSession>>('open session'),
  addMember: token<ReturnType<typeof makeAddMember>>('add member'),
  setMember: token<ReturnType<typeof makeSetMember>>('set member'),
  closeClaim: token<ReturnType<typeof makeCloseClaimAsOperator>>('close claim'),

  firmRouteDeps: token<FirmRouteDeps>('what firm routes need'),
  appRouteDeps: token<AppRouteDeps>('what app routes need'),
  pageRouteDeps: token<PageRouteDeps>('what page routes need'),
  adjusterPage: token<Middleware>("adjuster's page"),
  pushKey: token<() => string>('push key'),
  routes: token<readonly Route[]>('routes'),
  app: token<Express>('app'),
} as const;

/** What the rest of the host sees of the container. */
export interface Services {
  get<T>(token: ServiceIdentifier<T>): T;
}
