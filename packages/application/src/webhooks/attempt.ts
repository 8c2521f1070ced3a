import { DAY, HOUR, type Instant, SECOND, type WebhookPauseReason } from '@svc/domain';
import { BY_SERVICE, recordAction, webhookObject } from '../audit/events.ts';
import type {
  WebhookAttempt,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookOutcome,
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
/** However often an endpoint is resumed and paused again. */
const PAUSE_MAIL_INTERVAL_MS = DAY;

/** Twice as long after each attempt, and up to a quarter more, so that endpoints that failed together are tried apart. */
const backoffMs = (attempts: number, random: number): number =>
  Math.round(Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), MAX_RETRY_DELAY_MS) * (1 + random / 4));

export const isDelivered = (result: WebhookResult): boolean =>
  'status' in result && result.status >= 200 && result.status < 300;

export const isGone = (result: WebhookResult): boolean => 'status' in result && result.status === 410;

export const attemptOf = (result: WebhookResult, at: Instant, endedAt: Instant): WebhookAttempt => ({
  at,
  ...('status' in result ? { status: result.status, error: null } : { status: null, error: result.error }),
  durationMs: Math.max(0, endedAt - at),
});

/**
 * What follows from an attempt of the schedule.
 *
 * @param random from 0 to 1.
 */
export function scheduled(
  delivery: WebhookDelivery,
  result: WebhookResult,
  now: Instant,
  random: number,
):
  | { readonly outcome: Exclude<WebhookOutcome, 'retried'> }
  | { readonly outcome: 'retried'; readonly nextAttemptAt: Instant } {
  if (isDelivered(result)) return { outcome: 'delivered' };
  if (isGone(result)) return { outcome: 'gone' };
  const end = delivery.createdAt + WEBHOOK_RETRY_MS;
  if (now >= end) return { outcome: 'failed' };
  const askedMs = 'status' in result ? (result.retryAfterMs ?? 0) : 0;
  const delayMs = Math.max(
    backoffMs(delivery.attemptCount + 1, random),
    Math.min(askedMs, MAX_RETRY_DELAY_MS),
  );
  return { outcome: 'retried', nextAttemptAt: Math.min(now + delayMs, end) };
}

/** Pauses an endpoint that is active, and queues a mail about it, at most one a day. */
export async function pauseWebhook(
  tx: Tx,
  endpoint: WebhookEndpoint,
  reason: WebhookPauseReason,
  at: Instant,
): Promise<void> {
  if (endpoint.paused !== null) return;
  const { firmId, id, pauseMailedAt } = endpoint;
  const isMailed = at >= (pauseMailedAt ?? 0) + PAUSE_MAIL_INTERVAL_MS;
  await tx.webhooks.save({ ...endpoint, paused: reason, ...(isMailed && { pauseMailedAt: at }) });
  await recordAction(tx, firmId, BY_SERVICE, {
    at,
    action: 'webhook.pause',
    object: webhookObject(id),
    changes: { paused: { from: null, to: reason } },
  });
  if (isMailed) await tx.outbox.add({ kind: 'mail_webhook_paused', firmId, endpointId: id });
}

/** Records the last attempt at a delivery, and pauses its endpoint. */
export const endInFailure = (
  uow: UnitOfWork,
  delivery: WebhookDelivery,
  attempt: WebhookAttempt,
  reason: WebhookPauseReason,
  now: Instant,
): Promise<void> =>
  uow.run(async (tx) => {
    const endpoint = await tx.webhooks.lock(delivery.firmId, delivery.endpointId);
    if (endpoint === null) return;
    await tx.webhooks.recordAttempt({ ...delivery, status: 'failed', nextAttemptAt: null }, attempt);
    await pauseWebhook(tx, endpoint, reason, now);
  });
