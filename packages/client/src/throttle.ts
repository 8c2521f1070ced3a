import { ClaimsApiError, type ClaimsError, ClaimsTimeoutError, type ErrorResponse } from './errors.ts';
import { MAX_TIMER_MS, type Platform } from './platform.ts';
import { type Backoff, backoffMs, RETRY_AFTER_JITTER_MS } from './retry.ts';

/** Reads and writes have separate rate limits, so reads do not queue behind writes. */
export type Lane = 'read' | 'write';

interface Admission {
  readonly lane: Lane;
  /** Lower goes first; the retries of a call have the same order. */
  readonly order: number;
  /** No attempt starts after this time. */
  readonly deadlineAt: number;
  /** Attempts made so far. */
  readonly attempts: number;
  readonly signal: AbortSignal | undefined;
}

/** Ends an attempt; `accepted` means that the service did not reject it with 429 or fail. */
type Release = (accepted: boolean) => void;

/** Queues the requests of a client, for its limit of concurrent requests and after a 429. */
export interface Throttle {
  /**
   * Resolves when the attempt may start. Rejects with the last 429, or a timeout without one, if that would be after
   * the deadline, and with the signal's reason if it is aborted.
   */
  acquire(admission: Admission): Promise<Release>;
  /** Pauses all attempts after a 429, before its release; returns the length of the pause in milliseconds. */
  pause(requestedMs: number | null, response: ErrorResponse): number;
}

/**
 * After a pause the window of concurrent requests starts at 1 and grows by 0.5 per accepted request. With a test key,
 * which regains one write per two seconds, this gives about one 429 per accepted request.
 */
const INITIAL_WINDOW = 1;
const WINDOW_GROWTH = 0.5;

/** After this time an attempt no longer counts toward the window, so that a stalled one does not block others. */
const STALLED_AFTER_MS = 5_000;

interface Waiter extends Admission {
  start(): void;
  fail(error: ClaimsError): void;
}

interface LaneState {
  readonly waiting: Waiter[];
  /** Maximum concurrent attempts, without stalled ones: after a 429 lower than `maxConcurrency`. */
  window: number;
  inFlight: number;
  stalled: number;
}

/** @param maxConcurrency maximum concurrent attempts in a lane. */
export function createThrottle(platform: Platform, backoff: Backoff, maxConcurrency: number): Throttle {
  const createLane = (): LaneState => ({ waiting: [], window: maxConcurrency, inFlight: 0, stalled: 0 });
  const lanes: Record<Lane, LaneState> = { read: createLane(), write: createLane() };
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let last429: ErrorResponse | undefined;
  /** Consecutive pauses without an accepted request. */
  let consecutivePauses = 0;
  let cancelTimer = () => {};

  const isOpen = (lane: LaneState): boolean =>
    lane.inFlight < maxConcurrency &&
    lane.inFlight - lane.stalled < Math.floor(lane.window) &&
    platform.now() >= pausedUntil;

  const isPastDeadline = ({ deadlineAt }: Admission): boolean =>
    deadlineAt <= platform.now() || deadlineAt <= pausedUntil;

  function deadlineError({ attempts }: Admission): ClaimsError {
    if (last429 === undefined) {
      return new ClaimsTimeoutError(
        `not sent before its deadline, after other calls: at most ${maxConcurrency} are sent at a time`,
        attempts,
      );
    }
    return new ClaimsApiError(last429, Math.max(0, Math.ceil(pausedUntil - platform.now())), attempts);
  }

  function startAttempt(lane: LaneState): Release {
    lane.inFlight += 1;
    let isStalled = false;
    const cancelStallTimer =
      last429 === undefined
        ? () => {}
        : platform.after(STALLED_AFTER_MS, () => {
            isStalled = true;
            lane.stalled += 1;
            startWaiting();
          });
    return (accepted) => {
      // A request accepted during a pause was sent before it, so it does not show that the limit has room again.
      if (accepted && platform.now() >= pausedUntil) {
        lane.window = Math.min(maxConcurrency, lane.window + WINDOW_GROWTH);
        consecutivePauses = 0;
      }
      cancelStallTimer();
      lane.inFlight -= 1;
      if (isStalled) lane.stalled -= 1;
      startWaiting();
    };
  }

  /** Starts every waiting attempt that may start now, and sets a timer for the next ones. */
  function startWaiting(): void {
    cancelTimer();
    cancelTimer = () => {};
    let wakeAt = Number.POSITIVE_INFINITY;
    for (const lane of Object.values(lanes)) {
      for (const late of lane.waiting.filter(isPastDeadline)) {
        lane.waiting.splice(lane.waiting.indexOf(late), 1);
        late.fail(deadlineError(late));
      }
      while (lane.waiting.length > 0 && isOpen(lane)) lane.waiting.shift()?.start();
      if (lane.waiting.length > 0 && platform.now() < pausedUntil) wakeAt = Math.min(wakeAt, pausedUntil);
      for (const { deadlineAt } of lane.waiting) wakeAt = Math.min(wakeAt, deadlineAt);
    }
    if (wakeAt < Number.POSITIVE_INFINITY) {
      cancelTimer = platform.after(Math.min(wakeAt - platform.now(), MAX_TIMER_MS), startWaiting);
    }
  }

  return {
    async acquire(admission) {
      const { signal, order } = admission;
      const lane = lanes[admission.lane];
      if (isPastDeadline(admission)) throw deadlineError(admission);
      if (lane.waiting.length === 0 && isOpen(lane)) return startAttempt(lane);
      return new Promise<Release>((resolve, reject) => {
        const removeListener = () => signal?.removeEventListener('abort', abort);
        const waiter: Waiter = {
          ...admission,
          start() {
            removeListener();
            resolve(startAttempt(lane));
          },
          fail(error) {
            removeListener();
            reject(error);
          },
        };
        const abort = () => {
          lane.waiting.splice(lane.waiting.indexOf(waiter), 1);
          reject(signal?.reason);
          startWaiting();
        };
        signal?.addEventListener('abort', abort, { once: true });
        const index = lane.waiting.findIndex((other) => other.order > order);
        lane.waiting.splice(index === -1 ? lane.waiting.length : index, 0, waiter);
        startWaiting();
      });
    },

    pause(requestedMs, response) {
      const now = platform.now();
      // Several 429s for requests that were sent together count as one pause.
      if (now >= pausedUntil) consecutivePauses += 1;
      const backoffWaitMs = backoffMs(consecutivePauses, backoff, platform.random);
      const pauseMs =
        requestedMs === null
          ? backoffWaitMs
          : Math.max(backoffWaitMs, requestedMs + platform.random() * RETRY_AFTER_JITTER_MS);
      pausedUntil = Math.max(pausedUntil, now + pauseMs);
      last429 = response;
      for (const lane of Object.values(lanes)) lane.window = INITIAL_WINDOW;
      return pausedUntil - now;
    },
  };
}
