import { describe, expect, test } from '@jest/globals';
import {
  type Attempts,
  attemptsAt,
  emailKey,
  HOUR,
  MINUTE,
  remainingPauseMs,
  SIGN_IN_CODE_LIFETIME_MS,
  SIGN_IN_CODE_TRIES,
  SIGN_IN_LIMITS,
  SIGN_IN_TICKET_LIFETIME_MS,
  withAttempt,
} from '../src/index.ts';

const limit = { free: 3, firstPauseMs: MINUTE, longestPauseMs: 5 * MINUTE };
const START = 1_000_000;

describe('sign-in attempts', () => {
  test('need no pause at first, then pauses that double up to the longest one', () => {
    let now = START;
    let attempts: Attempts | null = null;
    const pauses: number[] = [];
    for (let n = 0; n < 8; n++) {
      const held = attemptsAt(attempts, now);
      const pause = remainingPauseMs(limit, held, now);
      if (pause > 0) expect(remainingPauseMs(limit, held, now + pause - 1)).toBe(1);
      for (const ms of [0, 1]) expect(remainingPauseMs(limit, held, now + pause + ms)).toBe(0);
      pauses.push(pause / MINUTE);
      now += pause;
      attempts = withAttempt(held, now);
    }
    expect(pauses).toEqual([0, 0, 0, 1, 2, 4, 5, 5]);
  });

  test('stop counting within a day of the first one, regardless of later ones', () => {
    const first = withAttempt(attemptsAt(null, START), START);
    expect(first.endsAt - START).toBe(22 * HOUR);
    const later = withAttempt(attemptsAt(first, first.endsAt - 1), first.endsAt - 1);
    expect(later).toEqual({ count: 2, lastAt: first.endsAt - 1, endsAt: first.endsAt });
    expect(attemptsAt(later, first.endsAt).count).toBe(0);
  });

  test('never need a pause beyond the time at which they stop counting', () => {
    const held = { count: 60, lastAt: START, endsAt: START + 90 };
    expect(remainingPauseMs(limit, held, START)).toBe(90);
  });
});

test('the limits are those whose effect docs/operating/secure.md derives', () => {
  const day = 22 * HOUR;
  expect(SIGN_IN_LIMITS).toEqual({
    codesPerClient: { free: 30, firstPauseMs: 60_000, longestPauseMs: HOUR },
    codesPerClientAndRecipient: { free: 5, firstPauseMs: 60_000, longestPauseMs: day },
    codesPerRecipient: { free: 10, firstPauseMs: 60_000, longestPauseMs: 900_000 },
    invitationsPerFirmAndRecipient: { free: 3, firstPauseMs: 3_600_000, longestPauseMs: day },
    invitationsPerRecipient: { free: 20, firstPauseMs: 3_600_000, longestPauseMs: day },
    noticesPerRecipient: { free: 20, firstPauseMs: 3_600_000, longestPauseMs: day },
    testNotificationsPerDevice: { free: 1, firstPauseMs: 10_000, longestPauseMs: 10_000 },
    testNotificationsPerAccount: { free: 30, firstPauseMs: 10_000, longestPauseMs: 10_000 },
    codesInTotal: { free: 1000, firstPauseMs: 1_000, longestPauseMs: 30_000 },
    guessesPerClient: { free: 20, firstPauseMs: 60_000, longestPauseMs: HOUR },
    strangersGuessesPerAccount: { free: 10, firstPauseMs: 60_000, longestPauseMs: day },
    strangersGuessesInTotal: { free: 500, firstPauseMs: 1_000, longestPauseMs: 30_000 },
  });
  expect([SIGN_IN_CODE_LIFETIME_MS, SIGN_IN_TICKET_LIFETIME_MS, SIGN_IN_CODE_TRIES]).toEqual([
    ...[600_000, 300_000, 5],
  ]);
});

test('email keys ignore only the case of ASCII letters', () => {
  expect(emailKey('Jean.DELACROIX@Example.COM')).toBe('jean.delacroix@example.com');
  // U+212A, dotless and dotted i, sharp s, a full-width letter: none equals the ASCII letter it resembles or folds to.
  for (const other of [
    '\u212Aim@example.com',
    'k\u0131m@example.com',
    'k\u0130m@example.com',
    '\uFF4Bim@example.com',
  ])
    expect(emailKey(other)).toBe(other);
  expect(emailKey('stra\u00DFe@example.com')).not.toBe(emailKey('STRASSE@example.com'));
});
