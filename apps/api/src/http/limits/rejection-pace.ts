import { createCountsPerSecond } from './usage.ts';

/** More than the excess of a burst. */
const IMMEDIATE_PER_SECOND = 20;
const DELAY_MS = 250;

export interface RejectionPace {
  /** Resolves when the caller may be sent a rejection. */
  next(caller: string): Promise<void>;
}

/**
 * Clients that repeat rejected requests at once would use up the processor for rejections alone; other firms' requests
 * would wait behind them. Beyond some rejections per second, a caller waits for the next ones.
 */
export function createRejectionPace({
  now,
  pause,
}: {
  /** Milliseconds. */
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<unknown>;
}): RejectionPace {
  const rejectionsOf = createCountsPerSecond(now);
  return {
    async next(caller) {
      if (rejectionsOf(caller) > IMMEDIATE_PER_SECOND) await pause(DELAY_MS * (1 + Math.random()));
    },
  };
}
