import { HOUR, type Instant, MINUTE, SECOND } from './ids.ts';

/** `free` attempts without a pause; then a pause after each, which doubles up to the longest one. */
export interface AttemptLimit {
  readonly free: number;
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
}

/** Attempts of one subject; they count until `endsAt`. */
export interface Attempts {
  readonly count: number;
  readonly lastAt: Instant;
  /** Exclusive. */
  readonly endsAt: Instant;
}

/** Attempts count this long from the first one; with the hourly purge they are deleted within a day. */
const ATTEMPT_WINDOW = 22 * HOUR;

export const SIGN_IN_CODE_LIFETIME_MS = 10 * MINUTE;
/** Time to choose one of several firms. */
export const SIGN_IN_TICKET_LIFETIME_MS = 5 * MINUTE;
/** Wrong codes that one client may try for one address. */
export const SIGN_IN_CODE_TRIES = 5;

/** Between two test notifications to a device. */
export const TEST_NOTIFICATION_PAUSE_MS = 10 * SECOND;

/** docs/operating/secure.md#sign-in-limits derives what they allow; change both together. */
export const SIGN_IN_LIMITS = {
  codesPerClient: { free: 30, firstPauseMs: MINUTE, longestPauseMs: HOUR },
  /** Keeps one client from using up `codesPerRecipient`, which would block mail to the recipient. */
  codesPerClientAndRecipient: { free: 5, firstPauseMs: MINUTE, longestPauseMs: ATTEMPT_WINDOW },
  codesPerRecipient: { free: 10, firstPauseMs: MINUTE, longestPauseMs: 15 * MINUTE },
  /** Mailed invitations; the adjuster's devices are notified of each. The first keeps one firm from using up the second. */
  invitationsPerFirmAndRecipient: { free: 3, firstPauseMs: HOUR, longestPauseMs: ATTEMPT_WINDOW },
  invitationsPerRecipient: { free: 20, firstPauseMs: HOUR, longestPauseMs: ATTEMPT_WINDOW },
  /** Of changes in how to sign in, to the address of the account. */
  noticesPerRecipient: { free: 20, firstPauseMs: HOUR, longestPauseMs: ATTEMPT_WINDOW },
  /** The second one keeps an account from registering a device anew for each. */
  testNotificationsPerDevice: {
    free: 1,
    firstPauseMs: TEST_NOTIFICATION_PAUSE_MS,
    longestPauseMs: TEST_NOTIFICATION_PAUSE_MS,
  },
  testNotificationsPerAccount: {
    free: 30,
    firstPauseMs: TEST_NOTIFICATION_PAUSE_MS,
    longestPauseMs: TEST_NOTIFICATION_PAUSE_MS,
  },
  codesInTotal: { free: 1000, firstPauseMs: SECOND, longestPauseMs: 30 * SECOND },
  guessesPerClient: { free: 20, firstPauseMs: MINUTE, longestPauseMs: HOUR },
  /** Wrong guesses by clients that did not request a code for this account. */
  strangersGuessesPerAccount: { free: 10, firstPauseMs: MINUTE, longestPauseMs: ATTEMPT_WINDOW },
  strangersGuessesInTotal: { free: 500, firstPauseMs: SECOND, longestPauseMs: 30 * SECOND },
} as const satisfies Record<string, AttemptLimit>;

/** Attempts count for 22 hours from the first one; after that the count starts at zero. */
export const attemptsAt = (stored: Attempts | null, now: Instant): Attempts =>
  stored !== null && now < stored.endsAt ? stored : { count: 0, lastAt: now, endsAt: now + ATTEMPT_WINDOW };

/** The attempts including one more at this time. */
export const withAttempt = (attempts: Attempts, now: Instant): Attempts => ({
  ...attempts,
  count: attempts.count + 1,
  lastAt: now,
});

/** Milliseconds until the next attempt is allowed; `0`: now. A limit requires a pause after each but its free attempts. */
export function remainingPauseMs(
  limit: AttemptLimit,
  { count, lastAt, endsAt }: Attempts,
  now: Instant,
): number {
  if (count < limit.free) return 0;
  const pauseMs = Math.min(limit.firstPauseMs * 2 ** (count - limit.free), limit.longestPauseMs);
  return Math.max(0, Math.min(lastAt + pauseMs, endsAt) - now);
}

/**
 * Key under which an email address identifies an account. Only ASCII letters fold: Unicode case folding would merge
 * different mailboxes, such as one with U+212A KELVIN SIGN and one with k.
 */
export const emailKey = (email: string): string => email.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
