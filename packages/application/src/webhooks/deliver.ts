import { SECOND } from '@svc/domain';
import type { Clock } from '../ports/clock.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { UnitOfWork } from '../ports/unit-of-work.ts';
import type { DueWebhook, WebhookQueue, WebhookSender } from '../ports/webhooks.ts';
import { attemptOf, endInFailure, scheduled, WEBHOOK_INTERVAL_MS } from './attempt.ts';
import { messageOf } from './message.ts';

const ATTEMPT_TIMEOUT_MS = 10 * SECOND;
/** Longer than an attempt and its record: only what a killed process had taken is taken again. */
const TAKEN_MS = 20 * SECOND;
/**
 * Attempts of this process at the same time. Most wait for a slow or dead endpoint, so retries have their own limit:
 * however many endpoints are dead, those that respond are tried at once.
 */
const MAX_RUNNING = { first: 200, retry: 50 } as const;

export interface WebhookDeliveries {
  /** Queues signals of new changes, and starts what is due. */
  start(): Promise<void>;
  /** Waits for the attempts that run. */
  settled(): Promise<void>;
}

/** Sends signals to the endpoints of all firms. A process may be killed at any line: each step is committed, or repeated. */
export function createWebhookDeliveries(deps: {
  readonly webhookQueue: WebhookQueue;
  readonly webhookSender: WebhookSender;
  readonly uow: UnitOfWork;
  readonly metrics: Pick<Metrics, 'webhookEnded'>;
  readonly clock: Clock;
  /** An attempt could not be recorded; it is made again. */
  readonly onError: (error: unknown) => void;
}): WebhookDeliveries {
  const { webhookQueue: queue, webhookSender: sender, uow, metrics, clock, onError } = deps;
  const running = { first: new Set<Promise<void>>(), retry: new Set<Promise<void>>() };

  async function deliver({ endpoint, delivery }: DueWebhook): Promise<void> {
    const at = clock.now();
    const result = await sender.send(messageOf(endpoint, delivery, at), at, ATTEMPT_TIMEOUT_MS);
    const now = clock.now();
    const attempt = attemptOf(result, at);
    const next = scheduled(delivery, result, now);
    metrics.webhookEnded(next.outcome);
    if (next.outcome === 'delivered')
      await queue.recordDelivered(delivery, attempt, now + WEBHOOK_INTERVAL_MS);
    else if (next.outcome === 'retried') await queue.recordRetry(delivery, attempt, next.nextAttemptAt);
    else await endInFailure(uow, delivery, attempt, next.outcome === 'gone' ? 'gone' : 'failing', now);
  }

  return {
    async start() {
      const now = clock.now();
      await queue.signalChanges(now);
      for (const kind of ['first', 'retry'] as const) {
        const limit = MAX_RUNNING[kind] - running[kind].size;
        if (limit === 0) continue;
        for (const one of await queue.take(kind, now, now + TAKEN_MS, limit)) {
          const attempt = deliver(one)
            .catch(onError)
            .finally(() => running[kind].delete(attempt));
          running[kind].add(attempt);
        }
      }
    },
    async settled() {
      await Promise.all([...running.first, ...running.retry]);
    },
  };
}
