import { Unavailable } from '@svc/application';

/** How long a request may take over everything but the sending of its body. */
export const ANSWER_WITHIN_MS = 5000;
/** How often it is looked who has waited too long. */
const LOOK_EVERY_MS = 100;

interface Deadline {
  /**
   * What the work comes to, or `Unavailable` once the time is up. The work itself goes on: it ends by the stores' own
   * limits, and a client that asks again with its Idempotency-Key learns what became of it.
   */
  within<T>(work: Promise<T>): Promise<T>;
}

interface Waiting {
  readonly until: number;
  giveUp(): void;
}

/**
 * A deadline for each request; time counts only while some work is waited for. One clock looks after all of them, since
 * a timer for each step of each request would cost more than the step.
 */
export function createDeadlines(withinMs: number = ANSWER_WITHIN_MS): () => Deadline {
  const waiting = new Set<Waiting>();
  let clock: NodeJS.Timeout | undefined;

  const look = (): void => {
    if (waiting.size === 0) {
      clearInterval(clock);
      clock = undefined;
      return;
    }
    const now = performance.now();
    for (const one of waiting) if (one.until <= now) one.giveUp();
  };

  return () => {
    let spent = 0;
    return {
      within<T>(work: Promise<T>): Promise<T> {
        const begun = performance.now();
        clock ??= setInterval(look, LOOK_EVERY_MS).unref();
        return new Promise<T>((resolve, reject) => {
          const one: Waiting = {
            until: begun + withinMs - spent,
            giveUp() {
              waiting.delete(one);
              reject(new Unavailable('The answer took too long.'));
            },
          };
          waiting.add(one);
          const arrived = (): void => {
            waiting.delete(one);
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
  };
}
