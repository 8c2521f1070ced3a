import { Unavailable } from '@svc/application';

/** How long a request may take, not counting the time to receive its body. */
export const REQUEST_DEADLINE_MS = 5000;

export interface Deadline {
  /**
   * Settles like the work, or rejects with `Unavailable` when the time is up. The work itself continues: it ends by the
   * limits of the stores, and a retry with the same Idempotency-Key returns its result.
   */
  within<T>(work: Promise<T>): Promise<T>;
}

/** The deadline of one request, which counts only while work is awaited. */
export function createDeadline(timeoutMs: number = REQUEST_DEADLINE_MS): Deadline {
  let leftMs = timeoutMs;
  return {
    async within<T>(work: Promise<T>): Promise<T> {
      const startedAt = performance.now();
      let timer: NodeJS.Timeout | undefined;
      const expired = new Promise<never>((_, reject) => {
        timer = setTimeout(
          () => reject(new Unavailable('The request exceeded its deadline.', 'deadline')),
          leftMs,
        );
      });
      try {
        return await Promise.race([work, expired]);
      } finally {
        clearTimeout(timer);
        leftMs -= performance.now() - startedAt;
      }
    },
  };
}
