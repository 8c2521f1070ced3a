import type { Instant } from '@svc/domain';
import { toDateTime } from '../model/date-time.ts';
import type { WebhookDelivery, WebhookEndpoint, WebhookMessage } from '../model/webhook.ts';

/** Changes have timestamps in whole milliseconds, and a poll includes its `updated_since`. */
export const updatedSinceOf = ({ changesAfter }: Pick<WebhookDelivery, 'changesAfter'>): string | null =>
  changesAfter === null ? null : toDateTime(changesAfter + 1);

export function messageOf(
  endpoint: WebhookEndpoint,
  delivery: WebhookDelivery,
  now: Instant,
): WebhookMessage {
  const updatedSince = updatedSinceOf(delivery);
  const isOverlap = now < (endpoint.previousSecretUntil ?? 0);
  return {
    url: endpoint.url,
    id: delivery.id,
    secrets: [endpoint.secret, isOverlap ? endpoint.previousSecret : null].filter((one) => one !== null),
    body: JSON.stringify({
      type: delivery.type,
      timestamp: toDateTime(delivery.createdAt),
      data: {
        environment: endpoint.environment,
        ...(updatedSince !== null && { updated_since: updatedSince }),
      },
    }),
  };
}
