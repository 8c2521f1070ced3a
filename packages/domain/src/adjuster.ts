import type { Availability } from './availability.ts';
import type { AdjusterCredentials } from './credentials.ts';
import type { FirmId, Instant, Svcid } from './ids.ts';
import { isBlank } from './text.ts';
import { PROFILE_FIELDS, type ProfileField } from './vocabulary.ts';

/** What a test account simulates; its SVCID ends in `_` and this word. */
export const TEST_BEHAVIORS = ['manual', 'accepts', 'rejects', 'paused', 'new', 'joins', 'declines'] as const;
export type TestBehavior = (typeof TEST_BEHAVIORS)[number];

/** An account in the adjuster app. */
export interface Adjuster {
  readonly svcId: Svcid;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly email: string | null;
  /** Set once the account has proved, by a code that was sent there, that the address is its own. */
  readonly emailConfirmed?: true;
  /** Set for a test account: the one firm it belongs to and how it responds. */
  readonly testOf: { readonly firmId: FirmId; readonly behavior: TestBehavior } | null;
  /** Set while the operator has disabled the account: it cannot sign in and gets no offers. */
  readonly disabledAt?: Instant;
  /** Absent until the adjuster has changed it. Firms cannot see it. */
  readonly availability?: Availability;
  /** Absent until the adjuster has entered some. Firms see them by consent alone. */
  readonly credentials?: AdjusterCredentials;
}

/**
 * What a profile lacks before an invitation can be accepted: `first_name`, `last_name`, `email`. Blank text is missing.
 */
export function missingProfileFields(adjuster: Adjuster): ProfileField[] {
  const values: Record<ProfileField, string | null> = {
    first_name: adjuster.firstName,
    last_name: adjuster.lastName,
    email: adjuster.email,
  };
  return PROFILE_FIELDS.filter((field) => isBlank(values[field] ?? ''));
}

/** First and last name with a space between them; `null` when either is missing. */
export const fullName = (adjuster: Pick<Adjuster, 'firstName' | 'lastName'>): string | null =>
  adjuster.firstName === null || adjuster.lastName === null
    ? null
    : `${adjuster.firstName} ${adjuster.lastName}`;

interface TestAccount {
  /** Member from the start, without an invitation. */
  readonly member: boolean;
  readonly acceptingAssignments: boolean;
  /** The automatic response; undefined: none. */
  readonly answersInvitation?: 'accept' | 'decline';
  readonly answersOffer?: 'accept' | 'reject';
}

/** How each test account starts and responds. */
export const TEST_ACCOUNTS: Readonly<Record<TestBehavior, TestAccount>> = {
  manual: { member: true, acceptingAssignments: true },
  accepts: { member: true, acceptingAssignments: true, answersOffer: 'accept' },
  rejects: { member: true, acceptingAssignments: true, answersOffer: 'reject' },
  paused: { member: true, acceptingAssignments: false },
  new: { member: false, acceptingAssignments: true },
  joins: { member: false, acceptingAssignments: true, answersInvitation: 'accept', answersOffer: 'accept' },
  declines: { member: false, acceptingAssignments: true, answersInvitation: 'decline' },
};

/** Milliseconds until a test account responds. */
export const TEST_RESPONSE_DELAY_MS = 2000;
export const TEST_REJECTION_REASON = 'Test account: rejects every offer.';
