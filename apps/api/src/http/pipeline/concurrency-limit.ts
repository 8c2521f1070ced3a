import { Unavailable } from '@svc/application';
import { asHttpProblem, type HttpProblem } from '../problems/http-problem.ts';

/** Bursts are worked off. A queue that is never empty for this long does not end by itself. */
const MAX_STANDING_MS = 1000;
const MAX_WAIT_MS = 2000;
const MAX_WAITING_PER_PLACE = 10;
/** After an overload, requests may wait again when none was rejected for this long: more than `Retry-After`. */
const CALM_MS = 2000;

/** The right of one request to be worked on. */
export interface Place {
  /** Idempotent. */
  leave(): void;
  /** Gives the place to others while the client is awaited, and takes one again without waiting. */
  outside<T>(work: Promise<T>): Promise<T>;
}

export interface ConcurrencyLimit {
  /**
   * A promise if the request has to wait.
   * @throws HttpProblem `service_unavailable` at once while more requests arrive than can be processed.
   */
  enter(): Place | Promise<Place>;
}

interface Options {
  /** Requests that are worked on at the same time; more than keep the bottleneck busy only delay each other. */
  readonly places: number;
  /** Called when an overload begins and ends. */
  readonly changed?: (overload: { readonly isOver: boolean; readonly rejected: number }) => void;
  /** Milliseconds. */
  readonly now?: () => number;
  /** @returns a function that cancels it. */
  readonly after?: (ms: number, run: () => void) => () => void;
}

const afterTimeout: NonNullable<Options['after']> = (ms, run) => {
  const timer = setTimeout(run, ms).unref();
  return () => clearTimeout(timer);
};

/** Created once: the stack of an error is a tenth of what a rejection costs. */
const OVERLOADED = asHttpProblem(new Unavailable('More requests arrive than can be processed.', 'overload'));

/**
 * Limits how many requests are worked on. Further ones wait in order of arrival. When some have waited for a second
 * without a break, the queue only makes all of them late: from then on what finds no place is rejected at once.
 */
export function createConcurrencyLimit({
  places,
  changed = () => {},
  now = () => performance.now(),
  after = afterTimeout,
}: Options): ConcurrencyLimit {
  let taken = 0;
  /** Oldest first. */
  const waiting = new Set<() => void>();
  /** When the first of those that wait without a break began to. */
  let standingSince = 0;
  let isOverloaded = false;
  let rejected = 0;
  let rejectedAt = 0;

  function free(): void {
    const [next] = waiting;
    if (next === undefined || taken > places) taken -= 1;
    else next();
  }

  function newPlace(): Place {
    let isHeld = true;
    const leave = (): void => {
      if (!isHeld) return;
      isHeld = false;
      free();
    };
    return {
      leave,
      async outside(work) {
        leave();
        try {
          return await work;
        } finally {
          taken += 1;
          isHeld = true;
        }
      },
    };
  }

  function reject(at: number): HttpProblem {
    rejected += 1;
    rejectedAt = at;
    return OVERLOADED;
  }

  function begin(): void {
    isOverloaded = true;
    rejected = 0;
    changed({ isOver: false, rejected });
    const endIfCalm = (): void => {
      const calmMs = now() - rejectedAt;
      if (calmMs < CALM_MS) {
        after(CALM_MS - calmMs, endIfCalm);
        return;
      }
      isOverloaded = false;
      changed({ isOver: true, rejected });
    };
    after(CALM_MS, endIfCalm);
  }

  return {
    enter() {
      if (taken < places) {
        taken += 1;
        return newPlace();
      }
      const at = now();
      if (waiting.size === 0) standingSince = at;
      else if (!isOverloaded && at - standingSince >= MAX_STANDING_MS) begin();
      if (isOverloaded || waiting.size >= MAX_WAITING_PER_PLACE * places) throw reject(at);
      return new Promise((resolve, rejectWaiting) => {
        const cancel = after(MAX_WAIT_MS, () => {
          waiting.delete(admit);
          rejectWaiting(reject(now()));
        });
        const admit = (): void => {
          waiting.delete(admit);
          cancel();
          resolve(newPlace());
        };
        waiting.add(admit);
      });
    },
  };
}
