import { Unavailable } from '@svc/application';

/** How long a request may take over everything but the sending of its body. */
export const ANSWER_WITHIN_MS = 5000;
/** A timer of the usual length costs next to nothing, so what is left is rounded up to this. */
const STEP_MS = 100;

export interface Deadline {
  /**
   * What the work comes to, or `Unavailable` once the time is up. The work itself goes on: it ends by the stores' own
   * limits, and a client that asks again with its Idempotency-Key learns what became of it.
   */
  within<T>(work: Promise<T>): Promise<T>;
}

/** Time counts only while some work is waited for. */
export function createDeadline(withinMs: number = ANSWER_WITHIN_MS): Deadline {
  let spent = 0;
  return {
    within<T>(work: Promise<T>): Promise<T> {
      const begun = performance.now();
      return new Promise<T>((resolve, reject) => {
        const left = Math.max(0, withinMs - Math.floor(spent / STEP_MS) * STEP_MS);
        const late = setTimeout(() => reject(new Unavailable('The answer took too long.')), left);
        const arrived = (): void => {
          clearTimeout(late);
          spent += performance.now() - begun;
        };
        work.then(
          (value) => {
            arrived();
            resolve(value);
          },
          (error: unknown) => {
            arrived();
            reject(error);
          },
        );
      });
    },
  };
}
