import { HOUR, type Instant, MINUTE, SECOND } from './ids.ts';

/** `free` attempts at once; then a pause after each, which doubles up to the longest one. */
export interface AttemptLimit {
  readonly free: number;
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
}

/** Attempts of one subject; none once they have ended. */
export interface Attempts {
  readonly count: number;
  readonly lastAt: Instant;
  /** Exclusive. */
  readonly endsAt: Instant;
}

/** Attempts are counted this long from the first one; with the hourly purge they are gone within a day. */
const ATTEMPT_WINDOW = 22 * HOUR;

export const SIGN_IN_CODE_LIFETIME = 10 * MINUTE;
/** Wrong tries of one client at the code of an address. */
export const SIGN_IN_CODE_TRIES = 5;

/** The figures behind these are worked out in docs/decisions.md; change them together. */
export const SIGN_IN_LIMITS = {
  codesPerClient: { free: 30, firstPauseMs: MINUTE, longestPauseMs: HOUR },
  /** Codes that one client asks for one recipient: alone it cannot keep the recipient from being mailed. */
  codesPerClientAndRecipient: { free: 5, firstPauseMs: MINUTE, longestPauseMs: ATTEMPT_WINDOW },
  codesPerRecipient: { free: 10, firstPauseMs: MINUTE, longestPauseMs: 15 * MINUTE },
  codesInTotal: { free: 1000, firstPauseMs: SECOND, longestPauseMs: 30 * SECOND },
  guessesPerClient: { free: 20, firstPauseMs: MINUTE, longestPauseMs: HOUR },
  /** Wrong guesses by clients that asked for no code of this account. */
  strangersGuessesPerAccount: { free: 10, firstPauseMs: MINUTE, longestPauseMs: ATTEMPT_WINDOW },
  strangersGuessesInTotal: { free: 500, firstPauseMs: SECOND, longestPauseMs: 30 * SECOND },
} as const satisfies Record<string, AttemptLimit>;

/** What counts at `now`. */
export const attemptsAt = (held: Attempts | null, now: Instant): Attempts =>
  held !== null && now < held.endsAt ? held : { count: 0, lastAt: now, endsAt: now + ATTEMPT_WINDOW };

export const withAttempt = (attempts: Attempts, now: Instant): Attempts => ({
  ...attempts,
  count: attempts.count + 1,
  lastAt: now,
});

/** Milliseconds until the next attempt is allowed; 0: now. */
export function pauseLeft(limit: AttemptLimit, { count, lastAt, endsAt }: Attempts, now: Instant): number {
  if (count < limit.free) return 0;
  const pause = Math.min(limit.firstPauseMs * 2 ** (count - limit.free), limit.longestPauseMs);
  return Math.max(0, Math.min(lastAt + pause, endsAt) - now);
}

/**
 * The address as accounts are told apart by it. Only ASCII letters fold: Unicode folding makes addresses equal that
 * are different mailboxes, such as one with U+212A KELVIN SIGN and one with k.
 */
export const emailKey = (email: string): string => email.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
