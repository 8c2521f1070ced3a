import type { FirmId, Svcid } from './ids.ts';
import { isBlank } from './text.ts';

/** What a test account does by itself; its SVCID ends in `_` and this word. */
export const TEST_BEHAVIORS = ['manual', 'accepts', 'rejects', 'paused', 'new', 'joins', 'declines'] as const;
export type TestBehavior = (typeof TEST_BEHAVIORS)[number];

/** An account in the adjuster app. */
export interface Adjuster {
  readonly svcId: Svcid;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly email: string | null;
  /** Set for a test account: it exists for one firm alone, and answers as its behaviour says. */
  readonly testOf: { readonly firmId: FirmId; readonly behavior: TestBehavior } | null;
}

const PROFILE_FIELDS = ['first_name', 'last_name', 'email'] as const;
export type ProfileField = (typeof PROFILE_FIELDS)[number];

/** What the profile lacks before an invitation can be accepted. Blank text counts as nothing. */
export function missingProfileFields(adjuster: Adjuster): ProfileField[] {
  const held: Record<ProfileField, string | null> = {
    first_name: adjuster.firstName,
    last_name: adjuster.lastName,
    email: adjuster.email,
  };
  return PROFILE_FIELDS.filter((field) => isBlank(held[field] ?? ''));
}

/** The account's own name, as the firm sees it once the adjuster has joined. */
export const fullName = (adjuster: Pick<Adjuster, 'firstName' | 'lastName'>): string | null =>
  adjuster.firstName === null || adjuster.lastName === null
    ? null
    : `${adjuster.firstName} ${adjuster.lastName}`;

interface TestAccountAtBirth {
  /** Member from the start, without an invitation record. */
  readonly member: boolean;
  readonly acceptingAssignments: boolean;
  /** What it answers by itself; undefined: by hand only. */
  readonly answersInvitation?: 'accept' | 'decline';
  readonly answersOffer?: 'accept' | 'reject';
}

/** How each test account starts and what it answers by itself. */
export const TEST_ACCOUNTS: Readonly<Record<TestBehavior, TestAccountAtBirth>> = {
  manual: { member: true, acceptingAssignments: true },
  accepts: { member: true, acceptingAssignments: true, answersOffer: 'accept' },
  rejects: { member: true, acceptingAssignments: true, answersOffer: 'reject' },
  paused: { member: true, acceptingAssignments: false },
  new: { member: false, acceptingAssignments: true },
  joins: { member: false, acceptingAssignments: true, answersInvitation: 'accept', answersOffer: 'accept' },
  declines: { member: false, acceptingAssignments: true, answersInvitation: 'decline' },
};

/** How long a test account waits before it answers by itself, in milliseconds. */
export const TEST_ANSWER_DELAY = 2000;
export const TEST_REJECTION_REASON = 'Test account: rejects every offer.';
