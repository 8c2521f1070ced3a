import { type FirmId, SECOND } from '@svc/domain';
import type { WebhookAttempt, WebhookDelivery } from '../model/webhook.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Needs } from '../ports/needs.ts';
import type { DueWebhook } from '../ports/webhooks.ts';
import { attemptOf, endInFailure, scheduled, WEBHOOK_INTERVAL_MS } from './attempt.ts';
import { messageOf } from './message.ts';

const ATTEMPT_TIMEOUT_MS = 10 * SECOND;
/** Longer than an attempt and its record: only what a killed process had taken is taken again. */
const TAKEN_MS = 20 * SECOND;
/**
 * Attempts of this process at the same time. Most wait for a slow or dead endpoint, so first attempts and retries have
 * limits of their own, and so has each firm: its dead endpoints delay its own signals, and those of others only when more
 * than 50 firms (of retries: 25) have as many dead ones as the share.
 */
const ROOM = { first: { limit: 200, perFirm: 4 }, retry: { limit: 50, perFirm: 2 } } as const;

export type WebhookDeliveries = ReturnType<typeof createWebhookDeliveries>;

/** Sends signals to the endpoints of all firms. A process may be killed at any line: each step is committed, or repeated. */
export function createWebhookDeliveries(
  deps: Needs<'webhookQueue' | 'webhookSender' | 'uow' | 'clock'> & {
    readonly metrics: Pick<Metrics, 'webhookEnded'>;
    /** From 0 to 1. */
    readonly random: () => number;
    /** The endpoint did not take the delivery, as the attempt says. */
    readonly onFailed: (delivery: WebhookDelivery, attempt: WebhookAttempt) => void;
    /** An attempt could not be recorded; it is made again. */
    readonly onError: (error: unknown) => void;
  },
) {
  const { webhookQueue: queue, webhookSender: sender, uow, metrics, clock, random, onFailed, onError } = deps;
  const running = { first: new Map<Promise<void>, FirmId>(), retry: new Map<Promise<void>, FirmId>() };

  async function deliver({ endpoint, delivery }: DueWebhook): Promise<void> {
    const at = clock.now();
    const result = await sender.send(messageOf(endpoint, delivery, at), at, ATTEMPT_TIMEOUT_MS);
    const now = clock.now();
    const attempt = attemptOf(result, at, now);
    const next = scheduled(delivery, result, now, random());
    metrics.webhookEnded(next.outcome);
    if (next.outcome !== 'delivered') onFailed(delivery, attempt);
    if (next.outcome === 'delivered')
      await queue.recordDelivered(delivery, attempt, now + WEBHOOK_INTERVAL_MS);
    else if (next.outcome === 'retried') await queue.recordRetry(delivery, attempt, next.nextAttemptAt);
    else await endInFailure(uow, delivery, attempt, next.outcome === 'gone' ? 'gone' : 'failing', now);
  }

  return {
    /** Queues signals of new changes, and starts what is due. */
    async start() {
      const now = clock.now();
      await queue.signalChanges(now);
      for (const kind of ['first', 'retry'] as const) {
        const { limit, perFirm } = ROOM[kind];
        const room = { limit: limit - running[kind].size, perFirm, running: [...running[kind].values()] };
        if (room.limit === 0) continue;
        for (const one of await queue.take(kind, now, now + TAKEN_MS, room)) {
          const attempt = deliver(one)
            .catch(onError)
            .finally(() => running[kind].delete(attempt));
          running[kind].set(attempt, one.delivery.firmId);
        }
      }
    },
    /** Waits for the attempts that run. */
    async settled() {
      await Promise.all([...running.first.keys(), ...running.retry.keys()]);
    },
  };
}
