import type { FirmId, Instant } from '@svc/domain';
import type { KeysetPosition } from '../model/page.ts';
import type {
  WebhookAttempt,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookMessage,
  WebhookResult,
} from '../model/webhook.ts';

/** Endpoints and their deliveries within a transaction. */
export interface Webhooks {
  /** Its first signal covers the changes after this moment. */
  add(endpoint: WebhookEndpoint): Promise<void>;
  lock(firmId: FirmId, id: string): Promise<WebhookEndpoint | null>;
  /** Of the firm; the firm's row is locked. */
  of(firmId: FirmId): Promise<readonly WebhookEndpoint[]>;
  /** Secrets, state and the time of its mail. A pause ends what is pending: the signal after it starts where the last delivered one ended. */
  save(endpoint: WebhookEndpoint): Promise<void>;
  /** With its deliveries. */
  remove(firmId: FirmId, id: string): Promise<void>;
  /**
   * Adds the attempt, and the delivery if there is none with this id. What was delivered stays delivered; otherwise the
   * delivery gets this status, unless that is `pending`: then it keeps its own, and a new one has failed. The endpoint is
   * locked.
   */
  recordAttempt(delivery: WebhookDelivery, attempt: WebhookAttempt): Promise<void>;
}

export interface WebhookReads {
  /** By the time of their creation. */
  endpoints(firmId: FirmId): Promise<readonly WebhookEndpoint[]>;
  /** Latest first; after `before`, exclusive. */
  deliveries(
    firmId: FirmId,
    endpointId: string,
    before: KeysetPosition | null,
    limit: number,
  ): Promise<readonly WebhookDelivery[]>;
  delivery(firmId: FirmId, id: string): Promise<WebhookDelivery | null>;
}

/** A delivery that this process has taken, with its endpoint as it was then. */
export interface DueWebhook {
  readonly endpoint: WebhookEndpoint;
  readonly delivery: WebhookDelivery;
}

/** How many deliveries a process has room for. */
export interface WebhookRoom {
  readonly limit: number;
  /** At most so many of one firm, with those that run already. */
  readonly perFirm: number;
  /** The firm of each one that runs. */
  readonly running: readonly FirmId[];
}

/** What the deliveries of all firms are worked off by. Any number of processes may do so. */
export interface WebhookQueue {
  /**
   * Adds a delivery for each active endpoint whose firm's feed has changes of its environment after the last delivered
   * signal. An endpoint has at most one pending delivery, and none within `WEBHOOK_INTERVAL_MS` of the one before.
   */
  signalChanges(now: Instant): Promise<void>;
  /**
   * Takes due deliveries, oldest first: no process takes one again before `until`, by when it has been recorded, or
   * the process that took it was killed.
   * @param kind first attempts, or retries.
   */
  take(
    kind: 'first' | 'retry',
    now: Instant,
    until: Instant,
    room: WebhookRoom,
  ): Promise<readonly DueWebhook[]>;
  /** The signal counts as delivered; the next one follows at `nextSignalAt` at the earliest. */
  recordDelivered(delivery: WebhookDelivery, attempt: WebhookAttempt, nextSignalAt: Instant): Promise<void>;
  /** It stays pending, unless something else has ended it. */
  recordRetry(delivery: WebhookDelivery, attempt: WebhookAttempt, nextAttemptAt: Instant): Promise<void>;
}

export interface WebhookSender {
  /** What is wrong with the address of an endpoint; null: nothing. Never sends anything, and resolves no name. */
  problemOf(url: string): string | null;
  /** Signs and sends it once; follows no redirect. Never throws. */
  send(message: WebhookMessage, at: Instant, timeoutMs: number): Promise<WebhookResult>;
}

/** Awaits a system of others without holding what other callers need. */
export type WhileWaiting = <T>(work: Promise<T>) => Promise<T>;

/** Tells the firm's admins and the operator, outside of the failing endpoint. */
export interface WebhookNotices {
  /** Nothing is sent if it is active again. Throws when a retry may succeed. */
  paused(firmId: FirmId, endpointId: string): Promise<void>;
}
