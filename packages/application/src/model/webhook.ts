import type {
  Environment,
  FirmId,
  Instant,
  WebhookError,
  WebhookPauseReason,
  WebhookStatus,
  WebhookType,
} from '@svc/domain';

/** Where a firm gets signals of its changes in one environment. */
export interface WebhookEndpoint {
  readonly firmId: FirmId;
  /** A UUID. */
  readonly id: string;
  readonly environment: Environment;
  readonly url: string;
  /** Null: active. */
  readonly paused: WebhookPauseReason | null;
  /** `whsec_` and base64, as the Standard Webhooks specification writes it. */
  readonly secret: string;
  /** After the secret was rolled, until this time deliveries are signed with the one before too. */
  readonly previousSecret: string | null;
  readonly previousSecretUntil: Instant | null;
  /** When the firm's admins were last mailed that it was paused. */
  readonly pauseMailedAt: Instant | null;
  readonly createdAt: Instant;
}

export interface WebhookAttempt {
  readonly at: Instant;
  /** Null: no response. */
  readonly status: number | null;
  /** Why there was no response. */
  readonly error: WebhookError | null;
  readonly durationMs: number;
}

export interface WebhookDelivery {
  readonly firmId: FirmId;
  /** A UUID: `webhook-id`, the same in every attempt. */
  readonly id: string;
  readonly endpointId: string;
  readonly type: WebhookType;
  readonly createdAt: Instant;
  /** The changes it signals are later in the firm's feed than this. Null: it signals none. */
  readonly changesAfter: Instant | null;
  /** And not later than this. */
  readonly changesUntil: Instant | null;
  readonly status: WebhookStatus;
  /** When it is tried next; null unless it is pending. */
  readonly nextAttemptAt: Instant | null;
  readonly attemptCount: number;
  /** The latest ones, oldest first. */
  readonly attempts: readonly WebhookAttempt[];
}

/** A test or repetition by hand, with what the endpoint responded: that is shown once and not stored. */
export interface AttemptedWebhook extends WebhookDelivery {
  /** Null: there was no response. */
  readonly responseBody: string | null;
}

/** The first one tells when it began, the latest ones what it is now. */
export const WEBHOOK_ATTEMPTS_KEPT = 20;

export function withWebhookAttempt(delivery: WebhookDelivery, attempt: WebhookAttempt): WebhookDelivery {
  const attempts = [...delivery.attempts, attempt];
  if (attempts.length > WEBHOOK_ATTEMPTS_KEPT) attempts.splice(1, 1);
  return { ...delivery, attempts, attemptCount: delivery.attemptCount + 1 };
}

/** What is sent, as the HTTP request has it. */
export interface WebhookMessage {
  readonly url: string;
  readonly id: string;
  /** In the order of the signatures. */
  readonly secrets: readonly string[];
  readonly body: string;
}

/** What came back; `retryAfterMs` where the endpoint asked for it. */
export type WebhookResult =
  | {
      readonly status: number;
      readonly retryAfterMs: number | null;
      /** Its start, printable. */
      readonly body: string;
    }
  | { readonly error: WebhookError };

/** What became of one attempt: 410 pauses its endpoint, and so does the last failure of three days. */
export const WEBHOOK_OUTCOMES = ['delivered', 'retried', 'gone', 'failed'] as const;
export type WebhookOutcome = (typeof WEBHOOK_OUTCOMES)[number];
