import { Unavailable } from '@svc/application';

/** How long a request may take, not counting the time to receive its body. */
export const REQUEST_DEADLINE_MS = 5000;
const CHECK_INTERVAL_MS = 100;

interface Deadline {
  /**
   * Settles like the work, or rejects with `Unavailable` when the time is up. The work itself continues: it ends by the
   * limits of the stores, and a retry with the same Idempotency-Key returns its result.
   */
  within<T>(work: Promise<T>): Promise<T>;
}

interface PendingWork {
  readonly expiresAt: number;
  expire(): void;
}

/**
 * Creates a deadline per request, which counts only while work is awaited. One interval serves all of them, since a timer
 * for each step of each request would cost more than the step.
 */
export function createDeadlines(timeoutMs: number = REQUEST_DEADLINE_MS): () => Deadline {
  const pending = new Set<PendingWork>();
  let interval: NodeJS.Timeout | undefined;

  const check = (): void => {
    if (pending.size === 0) {
      clearInterval(interval);
      interval = undefined;
      return;
    }
    const now = performance.now();
    for (const work of pending) if (work.expiresAt <= now) work.expire();
  };

  return () => {
    let usedMs = 0;
    return {
      within<T>(work: Promise<T>): Promise<T> {
        const startedAt = performance.now();
        interval ??= setInterval(check, CHECK_INTERVAL_MS).unref();
        return new Promise<T>((resolve, reject) => {
          const entry: PendingWork = {
            expiresAt: startedAt + timeoutMs - usedMs,
            expire() {
              pending.delete(entry);
              reject(new Unavailable('The request exceeded its deadline.'));
            },
          };
          pending.add(entry);
          const settled = (): void => {
            pending.delete(entry);
            usedMs += performance.now() - startedAt;
          };
          work.then(
            (value) => {
              settled();
              resolve(value);
            },
            (error: unknown) => {
              settled();
              reject(error);
            },
          );
        });
      },
    };
  };
}
