import type { Sha256 } from '../audit/chain.ts';
import type { ApiKeyAuthenticator } from '../auth/api-key-authenticator.ts';
import type { AuditCaller, AuditEvent } from '../model/audit.ts';
import type { WriteBuffer } from '../write-buffer.ts';
import type { Clock } from './clock.ts';
import type { DataEncryption } from './encryption.ts';
import type { Ids } from './ids.ts';
import type { Mailer } from './mailer.ts';
import type { Metrics } from './metrics.ts';
import type { Notifier } from './notifier.ts';
import type { OfferEvent } from './offer-history.ts';
import type { PasskeyVerifier } from './passkey-verifier.ts';
import type { RateLimiter } from './rate-limiter.ts';
import type { ReceiptSigner } from './receipt-signer.ts';
import type { Secrets } from './secrets.ts';
import type { SignInMonitor } from './sign-in-monitor.ts';
import type { Stores } from './stores.ts';
import type { UnitOfWork } from './unit-of-work.ts';
import type { UsedKeys } from './used-keys.ts';
import type { WebhookNotices, WebhookSender } from './webhooks.ts';
import type { ZipDistance } from './zip-distance.ts';

/** What the service is connected to or configured with, beside its stores. */
export interface ExternalPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly secrets: Secrets;
  readonly sha256: Sha256;
  readonly mailer: Mailer;
  readonly notifier: Notifier;
  readonly webhookSender: WebhookSender;
  readonly webhookNotices: WebhookNotices;
  readonly receiptSigner: ReceiptSigner;
  readonly passkeyVerifier: PasskeyVerifier;
  /** Whether accounts must sign in with a passkey. */
  readonly passkeysRequired: boolean;
  readonly signInMonitor: SignInMonitor;
  /** The absolute end of a session after it was opened, however often it is used. */
  readonly sessionMaxAgeMs: number;
  readonly encryption: DataEncryption;
  readonly rateLimiter: RateLimiter;
  readonly usedKeys: UsedKeys;
  readonly metrics: Metrics;
  /** Whom the operator's commands of this process are recorded for. */
  readonly operator: AuditCaller;
  /** Groups the addresses of one client, by which limits are counted: one IPv4 address or one IPv6 network. */
  readonly networkOf: (clientAddress: string) => string;
  readonly pause: (ms: number) => Promise<void>;
}

interface Services extends ExternalPorts, Omit<Stores, 'unitOfWork'> {
  readonly uow: UnitOfWork;
  readonly addresses: { readonly baseUrl: string };
  readonly apiKeyAuthenticator: ApiKeyAuthenticator;
  readonly zipDistance: ZipDistance;
  /** Of events that have no transaction, such as failed sign-ins. */
  readonly auditBuffer: Pick<WriteBuffer<AuditEvent>, 'add'>;
  readonly offerBuffer: Pick<WriteBuffer<OfferEvent>, 'add'>;
}

/** What a use case needs: each service has one name everywhere. */
export type Needs<Names extends keyof Services> = Pick<Services, Names>;
