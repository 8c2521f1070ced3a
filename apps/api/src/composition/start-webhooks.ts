import { setTimeout as sleep } from 'node:timers/promises';
import type { WebhookDeliveries } from '@svc/application';
import type { Log } from '../logging.ts';

/** Two queries, which find nothing most of the time. */
const INTERVAL_MS = 500;
const STOP_TIMEOUT_MS = 1000;
/** While the database does not respond, which is reported elsewhere. */
const RETRY_MS = 5000;

/** Sends signals until stopped. Any number of processes may do so. */
export function startWebhooks(deliveries: WebhookDeliveries, log: Log, retryMs = RETRY_MS) {
  const stopping = new AbortController();
  const { signal } = stopping;
  const wait = (ms: number): Promise<void> => sleep(ms, undefined, { signal, ref: false }).catch(() => {});
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      await wait(INTERVAL_MS);
      if (signal.aborted) return;
      try {
        await deliveries.start();
      } catch (error) {
        log.warn('signals could not be queued, which will be retried', { error: (error as Error).name });
        await wait(retryMs);
      }
    }
  };
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
      // What a slow endpoint has not answered by then is sent again by another process.
      await Promise.race([deliveries.settled(), sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
    },
  };
}
