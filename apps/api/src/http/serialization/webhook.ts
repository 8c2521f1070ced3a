import {
  toDateTime,
  toDateTimeOrNull,
  updatedSinceOf,
  type WebhookDelivery,
  type WebhookEndpoint,
} from '@svc/application';
import type { WebhookDeliveryResponse, WebhookResponse } from '@svc/contract';

/** Without its secrets. */
export const webhookResponse = (endpoint: WebhookEndpoint): WebhookResponse => ({
  id: endpoint.id,
  url: endpoint.url,
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
  attempts: delivery.attempts.map(({ at, status, error }) => ({ at: toDateTime(at), status, error })),
});
