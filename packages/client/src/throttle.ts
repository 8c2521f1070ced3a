import { type Answer, ClaimsApiError } from './errors.ts';
import { LONGEST_TIMER_MS, type Platform } from './platform.ts';
import { type Backoff, backoffMs, SPREAD_MS } from './retry.ts';

/** Requests and writes have limits of their own, so reads need not queue behind a batch of writes. */
export type Lane = 'read' | 'write';

interface Admission {
  readonly lane: Lane;
  /** Lower goes first: a retry keeps the place of its call. */
  readonly order: number;
  /** No attempt begins after this time. */
  readonly deadlineAt: number;
  /** How many attempts the call has made. */
  readonly attempts: number;
  readonly signal: AbortSignal | undefined;
}

/** Ends an attempt; `accepted` when the service took the request, whatever it said about its content. */
type Leave = (accepted: boolean) => void;

/** Spreads the requests of one client over time, as the service's 429s demand. */
export interface Throttle {
  /**
   * Resolves when an attempt may be made. Rejects with the 429 that holds the client back when that will not be before
   * the deadline, and with the signal's reason when it is aborted.
   */
  enter(admission: Admission): Promise<Leave>;
  /** Holds back every attempt after a 429, and returns for how many milliseconds. */
  pause(askedMs: number | null, answer: Answer): number;
}

/**
 * After a pause one request goes out, and half a request more at a time with each that is accepted: a test key regains
 * one write in two seconds, and at this rate one request is refused for each that is accepted.
 */
const FIRST_WINDOW = 1;
const WINDOW_GROWTH = 0.5;

/** An attempt that hangs for longer does not hold up the others. */
const HANGING_MS = 5_000;

interface Waiting extends Admission {
  go(): void;
  giveUp(error: ClaimsApiError): void;
}

interface LaneState {
  readonly waiting: Waiting[];
  /** Attempts under way at a time; unlimited until the first 429. */
  window: number;
  inFlight: number;
}

export function createThrottle(platform: Platform, backoff: Backoff): Throttle {
  const lanes: Record<Lane, LaneState> = { read: createLane(), write: createLane() };
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let lastRefusal: Answer | undefined;
  /** Pauses since the last request that was accepted. */
  let pausesInARow = 0;
  let cancelTimer = () => {};

  const isOpen = (lane: LaneState): boolean =>
    lane.inFlight < Math.floor(lane.window) && platform.now() >= pausedUntil;

  const isLate = ({ deadlineAt }: Admission): boolean =>
    deadlineAt <= platform.now() || deadlineAt <= pausedUntil;

  function refusalFor({ attempts }: Admission, answer: Answer): ClaimsApiError {
    return new ClaimsApiError(answer, Math.max(0, Math.ceil(pausedUntil - platform.now())), attempts);
  }

  function occupy(lane: LaneState): Leave {
    lane.inFlight += 1;
    let occupied = true;
    const free = () => {
      if (!occupied) return;
      occupied = false;
      cancelHanging();
      lane.inFlight -= 1;
      admit();
    };
    const cancelHanging = lastRefusal === undefined ? () => {} : platform.after(HANGING_MS, free);
    return (accepted) => {
      // What is accepted during a pause was sent before it, and says nothing of what will be accepted after it.
      if (accepted && platform.now() >= pausedUntil) {
        lane.window += WINDOW_GROWTH;
        pausesInARow = 0;
      }
      free();
    };
  }

  /** Lets everyone go who may go now, and comes back when that changes by itself. */
  function admit(): void {
    cancelTimer();
    cancelTimer = () => {};
    let wakeAt = Number.POSITIVE_INFINITY;
    for (const lane of Object.values(lanes)) {
      for (const late of lane.waiting.filter(isLate)) {
        lane.waiting.splice(lane.waiting.indexOf(late), 1);
        if (lastRefusal !== undefined) late.giveUp(refusalFor(late, lastRefusal));
      }
      while (lane.waiting.length > 0 && isOpen(lane)) lane.waiting.shift()?.go();
      if (lane.waiting.length > 0 && platform.now() < pausedUntil) wakeAt = Math.min(wakeAt, pausedUntil);
      for (const { deadlineAt } of lane.waiting) wakeAt = Math.min(wakeAt, deadlineAt);
    }
    if (wakeAt < Number.POSITIVE_INFINITY) {
      cancelTimer = platform.after(Math.min(wakeAt - platform.now(), LONGEST_TIMER_MS), admit);
    }
  }

  return {
    async enter(admission) {
      const { signal, order } = admission;
      const lane = lanes[admission.lane];
      if (lastRefusal !== undefined && isLate(admission)) throw refusalFor(admission, lastRefusal);
      if (lane.waiting.length === 0 && isOpen(lane)) return occupy(lane);
      return new Promise<Leave>((resolve, reject) => {
        const stop = () => signal?.removeEventListener('abort', abort);
        const waiting: Waiting = {
          ...admission,
          go() {
            stop();
            resolve(occupy(lane));
          },
          giveUp(error) {
            stop();
            reject(error);
          },
        };
        const abort = () => {
          stop();
          lane.waiting.splice(lane.waiting.indexOf(waiting), 1);
          reject(signal?.reason);
          admit();
        };
        signal?.addEventListener('abort', abort, { once: true });
        const place = lane.waiting.findIndex((other) => other.order > order);
        lane.waiting.splice(place === -1 ? lane.waiting.length : place, 0, waiting);
        admit();
      });
    },

    pause(askedMs, answer) {
      const now = platform.now();
      // Refusals of requests that were sent together are one refusal.
      if (now >= pausedUntil) pausesInARow += 1;
      const own = backoffMs(pausesInARow, backoff, platform.random);
      const pauseMs = askedMs === null ? own : Math.max(own, askedMs + platform.random() * SPREAD_MS);
      pausedUntil = Math.max(pausedUntil, now + pauseMs);
      lastRefusal = answer;
      for (const lane of Object.values(lanes)) lane.window = FIRST_WINDOW;
      admit();
      return pausedUntil - now;
    },
  };
}

const createLane = (): LaneState => ({ waiting: [], window: Number.POSITIVE_INFINITY, inFlight: 0 });
