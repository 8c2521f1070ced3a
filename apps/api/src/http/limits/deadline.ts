import { Unavailable } from '@svc/application';

/** How long a request may take, not counting the time to receive its body. */
export const REQUEST_DEADLINE_MS = 5000;

/** Rounded up, since timers of the same length share a list in node: a request may take this much longer. */
const TIMER_STEP_MS = 50;

export interface Deadline {
  /**
   * Settles like the work, or rejects with `Unavailable` when the time is up. The work itself continues: it ends by the
   * limits of the stores, and a retry with the same Idempotency-Key returns its result.
   */
  within<T>(work: Promise<T>): Promise<T>;
  /** Whether the request has ended by it. */
  isOver(): boolean;
}

/** The deadline of one request, which counts only while work is awaited. */
export function createDeadline(timeoutMs: number = REQUEST_DEADLINE_MS): Deadline {
  let leftMs = timeoutMs;
  let isOver = false;
  return {
    isOver: () => isOver,
    within<T>(work: Promise<T>): Promise<T> {
      const startedAt = performance.now();
      return new Promise((resolve, reject) => {
        const expire = (): void => {
          leftMs = 0;
          isOver = true;
          reject(new Unavailable('The request exceeded its deadline.', 'deadline'));
        };
        const timer = setTimeout(expire, Math.ceil(leftMs / TIMER_STEP_MS) * TIMER_STEP_MS);
        const settled =
          <V>(settle: (value: V) => void) =>
          (value: V): void => {
            clearTimeout(timer);
            leftMs -= performance.now() - startedAt;
            settle(value);
          };
        work.then(settled(resolve), settled(reject));
      });
    },
  };
}
