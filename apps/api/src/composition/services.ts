import type {
  AuditCaller,
  Clock,
  DataEncryption,
  EdgeLimiter,
  Ids,
  Mailer,
  Metrics,
  Notifier,
  PasskeyVerifier,
  RateLimiter,
  ReceiptSigner,
  Secrets,
  Sha256,
  SignInMonitor,
  Stores,
  UsedKeys,
  WebhookNotices,
  WebhookSender,
} from '@svc/application';
import type { DocsAddresses } from '../http/docs/files.ts';
import type { ConcurrencyLimit } from '../http/limits/concurrency-limit.ts';
import type { StreamLimit } from '../http/limits/stream-limit.ts';
import type { SessionLimiter } from '../http/pipeline/request-pipeline.ts';
import type { Observe, RequestTracing } from '../http/request-log.ts';
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
  readonly operator: AuditCaller;
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

/** Those that services get: for transactions they have `uow`. */
export type Ports = Omit<ExternalServices, 'unitOfWork'>;
