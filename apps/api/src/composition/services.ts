import type {
  ApiKeyAuthenticator,
  AppUseCases,
  AuditEvent,
  BoardUseCases,
  Clock,
  DataEncryption,
  DeskImportUseCases,
  DeskUseCases,
  EdgeLimiter,
  FirmUseCases,
  Ids,
  Job,
  Mailer,
  Metrics,
  Notifier,
  OfferEvent,
  Operator,
  OperatorUseCases,
  PasskeyVerifier,
  RateLimiter,
  ReceiptSigner,
  Secrets,
  SessionAuthenticator,
  Sha256,
  SignInMonitor,
  Stores,
  UnitOfWork,
  UsedKeys,
  WebhookDeliveries,
  WebhookNotices,
  WebhookSender,
  WebhookUseCases,
  WriteBuffer,
} from '@svc/application';
import type { ReportErrorBody } from '@svc/contract';
import type { FirmId, Svcid } from '@svc/domain';
import type { DocsAddresses } from '../http/docs/files.ts';
import type { HttpApplication } from '../http/http-application.ts';
import type { ConcurrencyLimit } from '../http/limits/concurrency-limit.ts';
import type { RejectionPace } from '../http/limits/rejection-pace.ts';
import type { StreamLimit } from '../http/limits/stream-limit.ts';
import type { LiveUpdates } from '../http/live-updates.ts';
import type { SessionLimiter } from '../http/pipeline/request-pipeline.ts';
import type { Observe, RequestTracing } from '../http/request-log.ts';
import type { PageRoute } from '../http/routes/page-route.ts';
import type { Route } from '../http/routes/route.ts';
import type { Cursors } from '../http/serialization/cursor.ts';
import type { StatusMonitor } from '../http/status/status.ts';
import type { Log } from '../logging.ts';

/** What exists before the container: connected, configured or generated outside. */
export interface ExternalServices extends Stores {
  readonly log: Log;
  readonly addresses: DocsAddresses;
  readonly trustProxy: boolean | number | string;
  readonly isDraining: () => boolean;
  readonly observe: Observe;
  readonly tracing: RequestTracing | null;
  readonly status: StatusMonitor;
  readonly readLimit: ConcurrencyLimit;
  readonly writeLimit: ConcurrencyLimit;
  readonly streamLimit: StreamLimit;
  readonly checkHealth: () => Promise<void>;
  /** The part of a client's address that limits are counted by. */
  readonly networkOf: (clientAddress: string) => string;
  readonly pushKey: () => string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly secrets: Secrets;
  readonly sha256: Sha256;
  readonly cursors: Cursors;
  readonly mailer: Mailer;
  readonly signInMonitor: SignInMonitor;
  readonly notifier: Notifier;
  readonly receiptSigner: ReceiptSigner;
  readonly webhookSender: WebhookSender;
  readonly webhookNotices: WebhookNotices;
  readonly metrics: Metrics;
  /** Whom the operator's commands of this process are recorded for. */
  readonly operator: Operator;
  readonly sessionMaxAgeMs: number;
  readonly passkeyVerifier: PasskeyVerifier;
  readonly passkeysRequired: boolean;
  readonly sessionLimiter: SessionLimiter;
  readonly encryption: DataEncryption;
  readonly rateLimiter: RateLimiter;
  readonly usedKeys: UsedKeys;
  readonly edgeLimiter: EdgeLimiter;
  readonly pause: (ms: number) => Promise<void>;
}

/** Every service of the container, by name. */
export interface Services extends Omit<ExternalServices, 'unitOfWork'> {
  readonly rejectionPace: RejectionPace;
  readonly apiKeyAuthenticator: ApiKeyAuthenticator;
  readonly sessionAuthenticator: SessionAuthenticator;
  /** The `unitOfWork` from outside, dropping cached sessions that a transaction ended. */
  readonly uow: UnitOfWork;
  readonly auditBuffer: WriteBuffer<AuditEvent>;
  readonly offerBuffer: WriteBuffer<OfferEvent>;
  readonly runJob: (job: Job) => Promise<void>;

  readonly firmUseCases: FirmUseCases;
  readonly appUseCases: AppUseCases;
  readonly deskUseCases: DeskUseCases;
  readonly deskImportUseCases: DeskImportUseCases;
  readonly boardUseCases: BoardUseCases;
  readonly operatorUseCases: OperatorUseCases;
  readonly webhookUseCases: WebhookUseCases;
  readonly webhookDeliveries: WebhookDeliveries;

  readonly firmRoutes: readonly Route[];
  readonly sandboxRoutes: readonly Route[];
  readonly appRoutes: readonly Route[];
  readonly accountRoutes: readonly Route[];
  readonly deskImportRoutes: readonly Route[];
  readonly deskReadinessRoutes: readonly Route[];
  readonly deskStaffRoutes: readonly Route[];
  readonly deskDeveloperRoutes: readonly Route[];
  readonly deskAuditRoutes: readonly Route[];
  readonly deskBoardRoutes: readonly Route[];
  readonly deskWebhookRoutes: readonly Route[];
  readonly mcpRoute: Route;
  readonly routes: readonly Route[];
  readonly reportAppError: (report: ReportErrorBody) => void;
  readonly liveUpdates: LiveUpdates<Svcid>;
  readonly boardUpdates: LiveUpdates<FirmId>;
  readonly pages: readonly PageRoute[];
  readonly httpApplication: HttpApplication;
}

/** Creates a service, with those it needs, when it is first asked for. */
export interface ServiceContainer {
  get<Name extends keyof Services>(name: Name): Services[Name];
}
