import {
  type AttemptLimit,
  type Attempts,
  attemptsAt,
  type Instant,
  remainingPauseMs,
  withAttempt,
} from '@svc/domain';
import type { Tx } from '../ports/unit-of-work.ts';

export interface Counter {
  readonly limit: AttemptLimit;
  readonly subject: string;
}

/**
 * Locks counters, those shared with other clients last, and returns the longest remaining pause. Call `count` to count
 * the attempt.
 */
export async function lockCounters(
  tx: Tx,
  now: Instant,
  own: readonly Counter[],
  shared: readonly Counter[] = [],
) {
  const statesOf = (counters: readonly Counter[], stored: readonly (Attempts | null)[]) =>
    counters.map((counter, n) => ({ ...counter, attempts: attemptsAt(stored[n] ?? null, now) }));
  const longestPause = (of: ReturnType<typeof statesOf>): number =>
    Math.max(...of.map(({ limit, attempts }) => remainingPauseMs(limit, attempts, now)));
  const all = [...own, ...shared];
  const subjectsOfAll = all.map(({ subject }) => subject);
  // Requests over a limit must not wait for its lock: each would hold a database connection.
  let states = statesOf(all, await tx.signInAttempts.find(subjectsOfAll));
  for (const group of [own, shared]) {
    if (longestPause(states) > 0 || group.length === 0) break;
    const stored = await tx.signInAttempts.lock(group.map(({ subject }) => subject));
    const locked = statesOf(group, stored);
    states = states.map((state) => locked.find(({ subject }) => subject === state.subject) ?? state);
  }
  return {
    pauseMs: longestPause(states),
    /** Whether a shared one has used its free attempts. */
    sharedFreeUsedUp: states.slice(own.length).some(({ limit, attempts }) => attempts.count >= limit.free),
    count: (): Promise<void> =>
      tx.signInAttempts.put(
        states.map(({ subject, attempts }) => ({ subject, ...withAttempt(attempts, now) })),
      ),
  };
}

/** Counts an attempt unless a limit requires a pause. @returns the remaining pause; 0: it was counted. */
export async function countAttempt(tx: Tx, now: Instant, counters: readonly Counter[]): Promise<number> {
  const { pauseMs, count } = await lockCounters(tx, now, counters);
  if (pauseMs === 0) await count();
  return pauseMs;
}
