import { DAY, HOUR, type Instant, SECOND } from '@svc/domain';
import { BY_SERVICE, recordAction, webhookObject } from '../audit/events.ts';
import type {
  WebhookAttempt,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookOutcome,
  WebhookPauseReason,
  WebhookResult,
} from '../model/webhook.ts';
import type { Tx, UnitOfWork } from '../ports/unit-of-work.ts';

/** Between two signals of an endpoint. */
export const WEBHOOK_INTERVAL_MS = SECOND;
/** How long a delivery is tried. */
export const WEBHOOK_RETRY_MS = 3 * DAY;
/** Deliveries are kept this long, and of each endpoint so many. */
export const WEBHOOK_DELIVERIES_KEPT_MS = 14 * DAY;
export const WEBHOOK_DELIVERIES_KEPT = 500;

const FIRST_RETRY_MS = 2 * SECOND;
const MAX_RETRY_DELAY_MS = HOUR;
/** The first ones tell when it began, the last ones what it is now. */
const MAX_ATTEMPTS_KEPT = 20;

/** Twice as long after each attempt, and up to a quarter more, so that endpoints that failed together are tried apart. */
const backoffMs = (attempts: number): number =>
  Math.round(Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), MAX_RETRY_DELAY_MS) * (1 + Math.random() / 4));

export const isDelivered = (result: WebhookResult): boolean =>
  'status' in result && result.status >= 200 && result.status < 300;

export const isGone = (result: WebhookResult): boolean => 'status' in result && result.status === 410;

/** The delivery with one more attempt. */
export function withAttempt(delivery: WebhookDelivery, result: WebhookResult, at: Instant): WebhookDelivery {
  const attempt: WebhookAttempt =
    'status' in result
      ? { at, status: result.status, error: null }
      : { at, status: null, error: result.error };
  const attempts = [...delivery.attempts, attempt];
  if (attempts.length > MAX_ATTEMPTS_KEPT) attempts.splice(1, attempts.length - MAX_ATTEMPTS_KEPT);
  return { ...delivery, attempts, attemptCount: delivery.attemptCount + 1 };
}

/** What follows from an attempt of the schedule, and the delivery as it is to be stored. */
export function scheduled(
  delivery: WebhookDelivery,
  result: WebhookResult,
  at: Instant,
  now: Instant,
): { readonly outcome: WebhookOutcome; readonly delivery: WebhookDelivery } {
  const attempted = withAttempt(delivery, result, at);
  const ended = (status: 'delivered' | 'failed') => ({ ...attempted, status, nextAttemptAt: null });
  if (isDelivered(result)) return { outcome: 'delivered', delivery: ended('delivered') };
  if (isGone(result)) return { outcome: 'gone', delivery: ended('failed') };
  const end = delivery.createdAt + WEBHOOK_RETRY_MS;
  if (now >= end) return { outcome: 'failed', delivery: ended('failed') };
  const askedMs = 'status' in result ? (result.retryAfterMs ?? 0) : 0;
  const delayMs = Math.max(backoffMs(attempted.attemptCount), Math.min(askedMs, MAX_RETRY_DELAY_MS));
  return { outcome: 'retried', delivery: { ...attempted, nextAttemptAt: Math.min(now + delayMs, end) } };
}

/** Pauses an endpoint that is active, and queues the notice about it. */
export async function pauseWebhook(
  tx: Tx,
  endpoint: WebhookEndpoint,
  reason: WebhookPauseReason,
  at: Instant,
): Promise<void> {
  if (endpoint.paused !== null) return;
  const { firmId, id } = endpoint;
  await tx.webhooks.save({ ...endpoint, paused: reason });
  await recordAction(tx, firmId, BY_SERVICE, {
    at,
    action: 'webhook.pause',
    object: webhookObject(id),
    changes: { paused: { from: null, to: reason } },
  });
  await tx.outbox.add({ kind: 'mail_webhook_paused', firmId, endpointId: id });
}

/** Stores a delivery that has ended in failure, and pauses its endpoint. */
export const endInFailure = (
  uow: UnitOfWork,
  delivery: WebhookDelivery,
  reason: WebhookPauseReason,
  at: Instant,
): Promise<void> =>
  uow.run(async (tx) => {
    const endpoint = await tx.webhooks.lock(delivery.firmId, delivery.endpointId);
    if (endpoint === null) return;
    await tx.webhooks.putDelivery(delivery);
    await pauseWebhook(tx, endpoint, reason, at);
  });
