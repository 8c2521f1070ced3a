import type {
  ApiKeyAuthenticator,
  AppReads,
  AuditEvent,
  AuditLog,
  AuditReads,
  Batch,
  Clock,
  CredentialStore,
  DataEncryption,
  FaultStore,
  FirmData,
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
  makeDisableAdjuster,
  makeEnableAdjuster,
  makeEncryptExisting,
  makeEndSessions,
  makeEraseFirm,
  makeExportFirm,
  makeOpenSession,
  makeRemoveCarrier,
  makeRemoveDeadline,
  makeRemoveMember,
  makeRemovePasskeys,
  makeRestampFeeds,
  makeRevokeKey,
  makeRollKey,
  makeRotateEncryption,
  makeRunJob,
  makeSetAcceptingAssignments,
  makeSetCarrier,
  makeSetDeadline,
  makeSetLegalHold,
  makeSetLimits,
  makeSetMember,
  makeSetOfferWait,
  makeSetPlan,
  NewClaims,
  Notifier,
  OfferResponses,
  Operator,
  OperatorReads,
  PasskeyVerifier,
  RateLimiter,
  RequestLogStore,
  Secrets,
  SessionAuthenticator,
  SignInMonitor,
  SingleFlight,
  UnitOfWork,
  UsedKeys,
} from '@svc/application';
import type { RequestHandler } from 'express';
import type { ServiceIdentifier } from 'inversify';
import type { LiveUpdates } from '../http/adjuster-app/live-updates.ts';
import type { EdgeLimiter, HttpApplication, Observe, RequestTracing } from '../http/app.ts';
import type { DocsAddresses } from '../http/docs/files.ts';
import type { ConcurrencyLimit } from '../http/pipeline/concurrency-limit.ts';
import type { RejectionPace } from '../http/pipeline/rejection-pace.ts';
import type { SessionLimiter } from '../http/pipeline/request-pipeline.ts';
import type { Route } from '../http/routes/route.ts';
import type { Cursors } from '../http/serialization/cursor.ts';
import type { StatusMonitor } from '../http/status/status.ts';
import type { Log } from '../logging.ts';

/** Express' own name refers to types that the declarations of this file cannot name. */
interface Middleware extends RequestHandler {}

/** A service of this type, identified by a symbol. */
export type Token<T> = ServiceIdentifier<T>;
const token = <T>(name: string): Token<T> => Symbol(name) as Token<T>;

/** What a factory of the application makes. */
// biome-ignore lint/suspicious/noExplicitAny: any dependencies; only the result matters here
const made = <Make extends (deps: any) => unknown>(name: string): Token<ReturnType<Make>> => token(name);

/** Every service of the container. */
export const TOKENS = {
  log: token<Log>('log'),
  addresses: token<DocsAddresses>('addresses'),
  trustProxy: token<boolean | number | string>('trustProxy'),
  isDraining: token<() => boolean>('isDraining'),
  observe: token<Observe>('observe'),
  tracing: token<RequestTracing | null>('tracing'),
  status: token<StatusMonitor>('status'),
  readLimit: token<ConcurrencyLimit>('readLimit'),
  writeLimit: token<ConcurrencyLimit>('writeLimit'),
  rejectionPace: token<RejectionPace>('rejectionPace'),
  checkHealth: token<() => Promise<void>>('checkHealth'),
  /** The part of a client's address that limits are counted by. */
  networkOf: token<(clientAddress: string) => string>('networkOf'),
  pushKey: token<() => string>('pushKey'),

  clock: token<Clock>('clock'),
  ids: token<Ids>('ids'),
  secrets: token<Secrets>('secrets'),
  cursors: token<Cursors>('cursors'),
  mailer: token<Mailer>('mailer'),
  signInMonitor: token<SignInMonitor>('signInMonitor'),
  notifier: token<Notifier>('notifier'),

  unitOfWork: token<UnitOfWork>('unitOfWork'),
  newClaims: token<NewClaims>('newClaims'),
  offerResponses: token<OfferResponses>('offerResponses'),
  firmReads: token<FirmReads>('firmReads'),
  appReads: token<AppReads>('appReads'),
  operatorReads: token<OperatorReads>('operatorReads'),
  jobReads: token<JobReads>('jobReads'),
  requestLog: token<RequestLogStore>('requestLog'),
  audit: token<AuditLog>('audit'),
  auditReads: token<AuditReads>('auditReads'),
  firmData: token<FirmData>('firmData'),
  faults: token<FaultStore>('faults'),
  encryption: token<DataEncryption>('encryption'),
  credentials: token<CredentialStore>('credentials'),
  rateLimiter: token<RateLimiter>('rateLimiter'),
  singleFlight: token<SingleFlight>('singleFlight'),
  usedKeys: token<UsedKeys>('usedKeys'),
  /** Whom the operator's commands of this process are recorded for. */
  operator: token<Operator>('operator'),
  sessionMaxAgeMs: token<number>('sessionMaxAgeMs'),
  passkeyVerifier: token<PasskeyVerifier>('passkeyVerifier'),
  passkeysRequired: token<boolean>('passkeysRequired'),
  sessionLimiter: token<SessionLimiter>('sessionLimiter'),
  edgeLimiter: token<EdgeLimiter>('edgeLimiter'),

  apiKeyAuthenticator: token<ApiKeyAuthenticator>('apiKeyAuthenticator'),
  sessionAuthenticator: token<SessionAuthenticator>('sessionAuthenticator'),
  runJob: made<typeof makeRunJob>('runJob'),
  auditBatch: token<Batch<AuditEvent>>('auditBatch'),

  // firm systems

  // the adjuster's app
  setAcceptingAssignments: made<typeof makeSetAcceptingAssignments>('setAcceptingAssignments'),

  // the operator
  createFirm: made<typeof makeCreateFirm>('createFirm'),
  createFirstFirm: made<typeof makeCreateFirstFirm>('createFirstFirm'),
  exportFirm: made<typeof makeExportFirm>('exportFirm'),
  eraseFirm: made<typeof makeEraseFirm>('eraseFirm'),
  setLegalHold: made<typeof makeSetLegalHold>('setLegalHold'),
  rotateEncryption: made<typeof makeRotateEncryption>('rotateEncryption'),
  encryptExisting: made<typeof makeEncryptExisting>('encryptExisting'),
  setPlan: made<typeof makeSetPlan>('setPlan'),
  setLimits: made<typeof makeSetLimits>('setLimits'),
  setOfferWait: made<typeof makeSetOfferWait>('setOfferWait'),
  restampFeeds: made<typeof makeRestampFeeds>('restampFeeds'),
  setCarrier: made<typeof makeSetCarrier>('setCarrier'),
  removeCarrier: made<typeof makeRemoveCarrier>('removeCarrier'),
  setDeadline: made<typeof makeSetDeadline>('setDeadline'),
  removeDeadline: made<typeof makeRemoveDeadline>('removeDeadline'),
  createKey: made<typeof makeCreateKey>('createKey'),
  revokeKey: made<typeof makeRevokeKey>('revokeKey'),
  rollKey: made<typeof makeRollKey>('rollKey'),
  createAdjuster: made<typeof makeCreateAdjuster>('createAdjuster'),
  openSession: made<typeof makeOpenSession>('openSession'),
  addMember: made<typeof makeAddMember>('addMember'),
  setMember: made<typeof makeSetMember>('setMember'),
  removeMember: made<typeof makeRemoveMember>('removeMember'),
  disableAdjuster: made<typeof makeDisableAdjuster>('disableAdjuster'),
  enableAdjuster: made<typeof makeEnableAdjuster>('enableAdjuster'),
  removePasskeys: made<typeof makeRemovePasskeys>('removePasskeys'),
  endSessions: made<typeof makeEndSessions>('endSessions'),
  closeClaimAsOperator: made<typeof makeCloseClaimAsOperator>('closeClaimAsOperator'),

  // HTTP
  firmRoutes: token<readonly Route[]>('firmRoutes'),
  sandboxRoutes: token<readonly Route[]>('sandboxRoutes'),
  appRoutes: token<readonly Route[]>('appRoutes'),
  browserSessionRoutes: token<readonly Route[]>('browserSessionRoutes'),
  mcpRoute: token<Route>('mcpRoute'),
  routes: token<readonly Route[]>('routes'),
  liveUpdates: token<LiveUpdates>('liveUpdates'),
  adjusterApp: token<Middleware>('adjusterApp'),
  app: token<HttpApplication>('app'),
} as const;

/** In brackets: a token is a union, and each of its parts alone would give `unknown`. */
type ServiceOf<T> = [T] extends [Token<infer Service>] ? Service : never;

/** What exists before the container: connected, configured or generated outside. */
export const EXTERNAL = [
  'log',
  'addresses',
  'trustProxy',
  'isDraining',
  'observe',
  'tracing',
  'status',
  'readLimit',
  'writeLimit',
  'checkHealth',
  'networkOf',
  'pushKey',
  'clock',
  'ids',
  'secrets',
  'cursors',
  'mailer',
  'signInMonitor',
  'notifier',
  'unitOfWork',
  'newClaims',
  'offerResponses',
  'firmReads',
  'appReads',
  'operatorReads',
  'jobReads',
  'requestLog',
  'audit',
  'auditReads',
  'firmData',
  'operator',
  'sessionMaxAgeMs',
  'passkeyVerifier',
  'passkeysRequired',
  'sessionLimiter',
  'faults',
  'encryption',
  'credentials',
  'rateLimiter',
  'singleFlight',
  'usedKeys',
  'edgeLimiter',
] as const satisfies readonly (keyof typeof TOKENS)[];

export type ExternalServices = {
  readonly [Name in (typeof EXTERNAL)[number]]: ServiceOf<(typeof TOKENS)[Name]>;
};

/** What the rest of the host sees of the container. */
export interface Services {
  get<T>(token: Token<T>): T;
}
