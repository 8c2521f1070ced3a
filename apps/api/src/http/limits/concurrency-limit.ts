import { Unavailable } from '@svc/application';
import { asHttpProblem, HttpProblem } from '../problems/http-problem.ts';

/** A burst is processed in less time. A queue that stands for longer only delays every request in it. */
const MAX_STANDING_MS = 1000;
const MAX_WAIT_MS = 2000;
const MAX_WAITING_PER_PERMIT = 10;
/** An overload is over when no request was rejected for this long: more than `Retry-After`. */
const CALM_MS = 2000;

/** Lets one request be processed. */
export interface Permit {
  /** Idempotent, and final also during `releaseWhile`: a request that its deadline ends has work that goes on. */
  release(): void;
  /** Releases the permit until the promise settles, then takes one without waiting, even beyond the limit. */
  releaseWhile<T>(work: Promise<T>): Promise<T>;
}

/** A request in the queue. */
export interface Waiting {
  readonly permit: Promise<Permit>;
  /** Removes it from the queue, or releases the permit that it has got since. */
  cancel(): void;
}

export interface ConcurrencyLimit {
  /** @throws HttpProblem `service_unavailable` while more requests arrive than can be processed. */
  acquire(): Permit | Waiting;
}

interface Options {
  /** Requests that are processed at the same time; more than keep the bottleneck busy only delay each other. */
  readonly permits: number;
  /** Called at the first rejection of an overload, and at its end with how many there were. */
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
/** Ends the request; nobody receives it. */
export const CANCELED = new HttpProblem('malformed_request', {
  detail: 'The connection was closed before the response.',
});

/**
 * Limits how many requests are processed at a time. Further ones wait in order of arrival. When some have waited for a
 * second without a break, the queue only makes all of them late: from then on a request is rejected at once when no
 * permit is free.
 */
export function createConcurrencyLimit({
  permits,
  changed = () => {},
  now = () => performance.now(),
  after = afterTimeout,
}: Options): ConcurrencyLimit {
  let taken = 0;
  /** Oldest first. */
  const waiting = new Set<() => void>();
  /** When the first of those that wait without a break began to. */
  let standingSince = 0;
  let mayWait = true;
  /** Since the overload began; 0 if there is none. */
  let rejected = 0;
  let rejectedAt = 0;

  function free(): void {
    const [next] = waiting;
    if (next === undefined || taken > permits) taken -= 1;
    else next();
  }

  function newPermit(): Permit {
    let isHeld = true;
    let isOver = false;
    const giveUp = (): void => {
      if (!isHeld) return;
      isHeld = false;
      free();
    };
    return {
      release() {
        isOver = true;
        giveUp();
      },
      async releaseWhile(work) {
        if (!isHeld) return work;
        giveUp();
        try {
          return await work;
        } finally {
          if (!isOver) {
            taken += 1;
            isHeld = true;
          }
        }
      },
    };
  }

  function reject(): HttpProblem {
    rejectedAt = now();
    if (rejected === 0) {
      changed({ isOver: false, rejected });
      after(CALM_MS, endIfCalm);
    }
    rejected += 1;
    return OVERLOADED;
  }

  function endIfCalm(): void {
    const calmMs = now() - rejectedAt;
    if (calmMs < CALM_MS) {
      after(CALM_MS - calmMs, endIfCalm);
      return;
    }
    changed({ isOver: true, rejected });
    rejected = 0;
    mayWait = true;
  }

  function wait(): Waiting {
    let granted: Permit | null = null;
    let stop = (): void => {};
    const permit = new Promise<Permit>((resolve, rejectWaiting) => {
      const admit = (): void => {
        leave();
        granted = newPermit();
        resolve(granted);
      };
      const cancelTimeout = after(MAX_WAIT_MS, () => {
        leave();
        rejectWaiting(reject());
      });
      const leave = (): void => {
        waiting.delete(admit);
        cancelTimeout();
      };
      waiting.add(admit);
      stop = () => {
        leave();
        rejectWaiting(CANCELED);
      };
    });
    return {
      permit,
      cancel() {
        if (granted === null) stop();
        else granted.release();
      },
    };
  }

  return {
    acquire() {
      if (taken < permits) {
        taken += 1;
        return newPermit();
      }
      if (waiting.size === 0) standingSince = now();
      else if (now() - standingSince >= MAX_STANDING_MS) mayWait = false;
      if (!mayWait || waiting.size >= MAX_WAITING_PER_PERMIT * permits) throw reject();
      return wait();
    },
  };
}
