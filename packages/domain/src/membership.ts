import type { Adjuster } from './adjuster.ts';
import { missingProfileFields } from './adjuster.ts';
import { DomainError } from './errors.ts';
import { DAY, type Environment, type FirmId, type Instant, type Svcid } from './ids.ts';

/** What a firm can see of an invitation or membership. */
const ADJUSTER_STATUSES = ['pending', 'active', 'declined', 'expired', 'withdrawn'] as const;
export type AdjusterStatus = (typeof ADJUSTER_STATUSES)[number];

/** `left`: the adjuster left the firm; the firm no longer sees a record under any status. */
export type MembershipStatus = AdjusterStatus | 'left';
export const MEMBERSHIP_STATUSES = [
  ...ADJUSTER_STATUSES,
  'left',
] as const satisfies readonly MembershipStatus[];

/** The firm's own notes on an invitation; nothing is checked against the account. */
export interface InvitationNotes {
  readonly invitedAs: string | null;
  readonly invitedBy: string | null;
  readonly purpose: string | null;
  readonly note: string | null;
}

export const NO_NOTES: InvitationNotes = { invitedAs: null, invitedBy: null, purpose: null, note: null };
export const INVITATION_LIFETIME = 7 * DAY;

/** An adjuster in a firm: invited, member, or neither any more. One for each firm and adjuster. */
export interface Membership {
  readonly firmId: FirmId;
  readonly svcId: Svcid;
  /** `expired` is never stored: it is what {@link statusAt} makes of a pending record whose time is over. */
  readonly status: Exclude<MembershipStatus, 'expired'>;
  /** When the firm first knew the adjuster: the order of its list. Never changes. */
  readonly firstKnownAt: Instant;
  readonly invitedAt: Instant | null;
  /** End of the invitation (exclusive); meaningful while pending. */
  readonly expiresAt: Instant | null;
  readonly respondedAt: Instant | null;
  readonly notes: InvitationNotes;
  readonly canAcceptClaims: boolean;
  readonly acceptingAssignments: boolean;
}

/** The status as every reader and writer sees it at `now`: expiry is a fact of the clock, not of a sweeper. */
export function statusAt(membership: Membership, now: Instant): MembershipStatus {
  const over =
    membership.status === 'pending' && membership.expiresAt !== null && now >= membership.expiresAt;
  return over ? 'expired' : membership.status;
}

export const MEMBERSHIP_ACTIONS = ['invite', 'accept', 'decline', 'withdraw', 'leave'] as const;
export type MembershipAction = (typeof MEMBERSHIP_ACTIONS)[number];

type Refusal = 'already_member' | 'invitation_pending' | 'not_found';
export type MembershipStep =
  | { readonly to: Exclude<MembershipStatus, 'expired'> }
  | { readonly refused: Refusal };

const to = (status: Exclude<MembershipStatus, 'expired'>): MembershipStep => ({ to: status });
const refused = (code: Refusal): MembershipStep => ({ refused: code });
const NOT_PENDING = {
  accept: refused('not_found'),
  decline: refused('not_found'),
  withdraw: refused('not_found'),
} as const;

/** Every status × every action: the only place that knows which moves exist. */
export const MEMBERSHIP_TRANSITIONS: Readonly<
  Record<MembershipStatus, Readonly<Record<MembershipAction, MembershipStep>>>
> = {
  pending: {
    invite: refused('invitation_pending'),
    accept: to('active'),
    decline: to('declined'),
    withdraw: to('withdrawn'),
    leave: refused('not_found'),
  },
  active: { ...NOT_PENDING, invite: refused('already_member'), leave: to('left') },
  declined: { ...NOT_PENDING, invite: to('pending'), leave: refused('not_found') },
  expired: { ...NOT_PENDING, invite: to('pending'), leave: refused('not_found') },
  withdrawn: { ...NOT_PENDING, invite: to('pending'), leave: refused('not_found') },
  left: { ...NOT_PENDING, invite: to('pending'), leave: refused('not_found') },
};

const REFUSAL_DETAILS: Record<Refusal, string> = {
  already_member: 'This adjuster is already a member of the firm.',
  invitation_pending: 'This adjuster already has an invitation that waits for an answer.',
  not_found: 'No invitation waits for an answer here.',
};

function after(membership: Membership, action: MembershipAction, now: Instant): Membership['status'] {
  const step = MEMBERSHIP_TRANSITIONS[statusAt(membership, now)][action];
  if ('to' in step) return step.to;
  const detail = action === 'leave' ? 'You are not a member of this firm.' : REFUSAL_DETAILS[step.refused];
  throw new DomainError(step.refused, detail);
}

/** Who may be invited: anyone with a live key, only the firm's own test accounts with a test key. */
export function checkInvitable(
  adjuster: Adjuster | null,
  firmId: FirmId,
  environment: Environment,
): Adjuster {
  if (adjuster === null || (adjuster.testOf !== null && adjuster.testOf.firmId !== firmId))
    throw unknownSvcid();
  if (environment === 'test' && adjuster.testOf === null) throw unknownSvcid();
  checkNameable(adjuster, environment);
  return adjuster;
}

/** Invites, or invites again: the notes are replaced whole, so that what the new request leaves out is gone. */
export function invite(
  current: Membership | null,
  invitation: { firmId: FirmId; svcId: Svcid; notes: InvitationNotes; at: Instant },
): Membership {
  const { firmId, svcId, notes, at } = invitation;
  if (current !== null) after(current, 'invite', at);
  return {
    firmId,
    svcId,
    status: 'pending',
    firstKnownAt: current?.firstKnownAt ?? at,
    invitedAt: at,
    expiresAt: at + INVITATION_LIFETIME,
    respondedAt: null,
    notes,
    canAcceptClaims: current?.canAcceptClaims ?? true,
    acceptingAssignments: true,
  };
}

export function acceptInvitation(membership: Membership, adjuster: Adjuster, at: Instant): Membership {
  const status = after(membership, 'accept', at);
  const missing = missingProfileFields(adjuster);
  if (missing.length > 0) {
    throw new DomainError('profile_incomplete', `Complete your profile first: ${missing.join(', ')}.`);
  }
  return { ...membership, status, expiresAt: null, respondedAt: at };
}

export const declineInvitation = (membership: Membership, at: Instant): Membership => ({
  ...membership,
  status: after(membership, 'decline', at),
  expiresAt: null,
  respondedAt: at,
});

export const withdrawInvitation = (membership: Membership, at: Instant): Membership => ({
  ...membership,
  status: after(membership, 'withdraw', at),
  expiresAt: null,
});

export const leaveFirm = (membership: Membership, at: Instant): Membership => ({
  ...membership,
  status: after(membership, 'leave', at),
});

/** A member the operator, or the birth of the firm, added without an invitation record. */
export function addMember(
  current: Membership | null,
  member: { firmId: FirmId; svcId: Svcid; at: Instant; acceptingAssignments?: boolean },
): Membership {
  if (current !== null && statusAt(current, member.at) === 'active') {
    throw new DomainError('already_member', REFUSAL_DETAILS.already_member);
  }
  return {
    firmId: member.firmId,
    svcId: member.svcId,
    status: 'active',
    firstKnownAt: current?.firstKnownAt ?? member.at,
    invitedAt: null,
    expiresAt: null,
    respondedAt: null,
    notes: NO_NOTES,
    canAcceptClaims: current?.canAcceptClaims ?? true,
    acceptingAssignments: member.acceptingAssignments ?? true,
  };
}

/** Whether the adjuster may accept an offer of the firm that has been made. Pausing only keeps new offers away. */
export const mayAcceptOffers = (membership: Membership | null): boolean =>
  membership !== null && membership.status === 'active' && membership.canAcceptClaims;

const unknownSvcid = (): DomainError =>
  new DomainError(
    'unknown_svcid',
    "No adjuster has this SVCID. Capital and small letters differ; a test key knows only the firm's test accounts.",
  );

/** A live key names real adjusters alone. */
export function checkNameable(adjuster: Adjuster, environment: Environment): void {
  if (environment === 'live' && adjuster.testOf !== null) {
    throw new DomainError('environment_mismatch', 'A live key cannot name a test account; use a test key.');
  }
}

/**
 * Whether a claim may be offered to this adjuster with a key of `environment`. The order is part of the interface:
 * unknown, wrong environment, not in the firm, not accepting.
 */
export function checkAddressee(offer: {
  adjuster: Adjuster | null;
  membership: Membership | null;
  firmId: FirmId;
  environment: Environment;
  at: Instant;
}): void {
  const { adjuster, membership, firmId, environment, at } = offer;
  if (adjuster === null || (adjuster.testOf !== null && adjuster.testOf.firmId !== firmId))
    throw unknownSvcid();
  checkNameable(adjuster, environment);
  const notInFirm = (detail: string): DomainError => new DomainError('adjuster_not_in_firm', detail);
  if (environment === 'test' && adjuster.testOf === null)
    throw notInFirm("A test key cannot name a real adjuster; use one of the firm's test accounts.");
  if (membership === null || statusAt(membership, at) !== 'active')
    throw notInFirm(
      'This adjuster is not an active member of the firm: an invitation has to be accepted first.',
    );
  if (!membership.canAcceptClaims || !membership.acceptingAssignments) {
    throw new DomainError('adjuster_not_accepting', 'This adjuster does not take claims at the moment.');
  }
}
