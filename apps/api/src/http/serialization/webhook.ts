import {
  type AttemptedWebhook,
  toDateTime,
  toDateTimeOrNull,
  updatedSinceOf,
  type WebhookDelivery,
  type WebhookEndpoint,
} from '@svc/application';
import type { AttemptedWebhookResponse, WebhookDeliveryResponse, WebhookResponse } from '@svc/contract';

/** The query and the user of a URL may be secrets. */
function withoutSecrets(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

/**
 * Without its secrets.
 *
 * @param mayChange whether those who get it may change the endpoint: others do not get the query of its URL.
 */
export const webhookResponse = (endpoint: WebhookEndpoint, mayChange: boolean): WebhookResponse => ({
  id: endpoint.id,
  url: mayChange ? endpoint.url : withoutSecrets(endpoint.url),
  environment: endpoint.environment,
  state: endpoint.paused === null ? 'active' : 'paused',
  paused_reason: endpoint.paused,
  previous_secret_until: toDateTimeOrNull(endpoint.previousSecretUntil),
  created_at: toDateTime(endpoint.createdAt),
});

export const webhookDeliveryResponse = (delivery: WebhookDelivery): WebhookDeliveryResponse => ({
  id: delivery.id,
  type: delivery.type,
  status: delivery.status,
  created_at: toDateTime(delivery.createdAt),
  updated_since: updatedSinceOf(delivery),
  next_attempt_at: toDateTimeOrNull(delivery.nextAttemptAt),
  attempt_count: delivery.attemptCount,
  attempts: delivery.attempts.map(({ at, status, error, durationMs }) => ({
    at: toDateTime(at),
    status,
    error,
    duration_ms: durationMs,
  })),
});

export const attemptedWebhookResponse = (attempted: AttemptedWebhook): AttemptedWebhookResponse => ({
  ...webhookDeliveryResponse(attempted),
  response_body: attempted.responseBody,
});
