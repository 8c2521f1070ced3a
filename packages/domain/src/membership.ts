import { PLAN_RETENTION, type Plan } from './access.ts';
import { type Adjuster, fullName, missingProfileFields } from './adjuster.ts';
import { ALWAYS_AVAILABLE, takesOffers } from './availability.ts';
import { DomainError } from './errors.ts';
import { DAY, type FirmId, HOUR, type Instant, type Svcid } from './ids.ts';
import { INVITATION_LIFETIME_DAYS, INVITATION_REMINDER_HOURS } from './limits.ts';
import { ADJUSTER_STATUSES, type AdjusterStatus, type Environment } from './vocabulary.ts';

/** `left`: the adjuster left the firm, which no longer sees the record. */
export type MembershipStatus = AdjusterStatus | 'left';
export const MEMBERSHIP_STATUSES = [
  ...ADJUSTER_STATUSES,
  'left',
] as const satisfies readonly MembershipStatus[];

/** The firm's notes on an invitation; not checked against the account. */
export interface InvitationNotes {
  readonly invitedAs: string | null;
  readonly invitedBy: string | null;
  readonly purpose: string | null;
  readonly note: string | null;
}

export const NO_NOTES: InvitationNotes = { invitedAs: null, invitedBy: null, purpose: null, note: null };
export const INVITATION_LIFETIME_MS = INVITATION_LIFETIME_DAYS * DAY;
export const INVITATION_REMINDER_MS = INVITATION_REMINDER_HOURS * HOUR;

/** What an adjuster lets a firm see, by consent: nothing at first, and nothing once the membership has ended. */
export interface Sharing {
  /** When the adjuster reached the policyholder and inspected the property. */
  readonly clocks: boolean;
  readonly credentials: boolean;
  /** The ZIP code in which the adjuster works. */
  readonly workArea: boolean;
}

export const SHARES_NOTHING: Sharing = { clocks: false, credentials: false, workArea: false };

/** One record per firm and adjuster: invited, member, or former. */
export interface Membership {
  readonly firmId: FirmId;
  readonly svcId: Svcid;
  /** `expired` is never stored; {@link statusAt} derives it from `expiresAt`. */
  readonly status: Exclude<MembershipStatus, 'expired'>;
  /** When the record was created; sorts the firm's list of adjusters and never changes. */
  readonly firstKnownAt: Instant;
  readonly invitedAt: Instant | null;
  /** Exclusive end of a pending invitation. */
  readonly expiresAt: Instant | null;
  readonly respondedAt: Instant | null;
  /** When the adjuster's app first got the invitation. */
  readonly seenAt: Instant | null;
  /** When the adjuster was reminded of the invitation. */
  readonly remindedAt: Instant | null;
  readonly notes: InvitationNotes;
  readonly canAcceptClaims: boolean;
  readonly acceptingAssignments: boolean;
  /** Exclusive end of the time in which a former member reads accepted claims; null: no such end. */
  readonly readableUntil: Instant | null;
  readonly sharing: Sharing;
}

/**
 * A pending invitation is `expired` from the instant it ends, after `INVITATION_LIFETIME_MS`, 7 days. That is computed, so
 * no background task has to store it.
 */
export function statusAt(membership: Membership, now: Instant): MembershipStatus {
  const over =
    membership.status === 'pending' && membership.expiresAt !== null && now >= membership.expiresAt;
  return over ? 'expired' : membership.status;
}

/**
 * A pending invitation that the adjuster's app has not got; after `INVITATION_REMINDER_MS`, 48 hours, the adjuster is
 * reminded once.
 */
export const isUnseenInvitation = (membership: Membership, invitedAt: Instant, now: Instant): boolean =>
  membership.invitedAt === invitedAt && membership.seenAt === null && statusAt(membership, now) === 'pending';

export const MEMBERSHIP_ACTIONS = ['invite', 'accept', 'decline', 'withdraw', 'leave'] as const;
export type MembershipAction = (typeof MEMBERSHIP_ACTIONS)[number];

type TransitionError = 'already_member' | 'invitation_pending' | 'not_found';
export type MembershipStep =
  | { readonly to: Exclude<MembershipStatus, 'expired'> }
  | { readonly error: TransitionError };

const to = (status: Exclude<MembershipStatus, 'expired'>): MembershipStep => ({ to: status });
const fails = (code: TransitionError): MembershipStep => ({ error: code });
const NOT_PENDING = {
  accept: fails('not_found'),
  decline: fails('not_found'),
  withdraw: fails('not_found'),
} as const;

/** The only definition of the transitions: every status × every action. */
export const MEMBERSHIP_TRANSITIONS: Readonly<
  Record<MembershipStatus, Readonly<Record<MembershipAction, MembershipStep>>>
> = {
  pending: {
    invite: fails('invitation_pending'),
    accept: to('active'),
    decline: to('declined'),
    withdraw: to('withdrawn'),
    leave: fails('not_found'),
  },
  active: { ...NOT_PENDING, invite: fails('already_member'), leave: to('left') },
  declined: { ...NOT_PENDING, invite: to('pending'), leave: fails('not_found') },
  expired: { ...NOT_PENDING, invite: to('pending'), leave: fails('not_found') },
  withdrawn: { ...NOT_PENDING, invite: to('pending'), leave: fails('not_found') },
  left: { ...NOT_PENDING, invite: to('pending'), leave: fails('not_found') },
};

const ERROR_DETAILS: Record<TransitionError, string> = {
  already_member: 'This adjuster is already a member of the firm.',
  invitation_pending: 'This adjuster already has a pending invitation.',
  not_found: 'There is no pending invitation.',
};

function statusAfter(membership: Membership, action: MembershipAction, now: Instant): Membership['status'] {
  const step = MEMBERSHIP_TRANSITIONS[statusAt(membership, now)][action];
  if ('to' in step) return step.to;
  const detail = action === 'leave' ? 'You are not a member of this firm.' : ERROR_DETAILS[step.error];
  throw new DomainError(step.error, detail);
}

/**
 * A live key may invite any real adjuster, a test key only the firm's test accounts.
 * @throws `unknown_svcid`, `environment_mismatch`
 */
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

/**
 * Invites, or invites again after a decline, expiry, withdrawal or departure; the new notes replace all earlier ones.
 * @throws `already_member`, `invitation_pending`
 */
export function invite(
  current: Membership | null,
  invitation: { firmId: FirmId; svcId: Svcid; notes: InvitationNotes; at: Instant },
): Membership {
  const { firmId, svcId, notes, at } = invitation;
  return {
    firmId,
    svcId,
    status: current === null ? 'pending' : statusAfter(current, 'invite', at),
    firstKnownAt: current?.firstKnownAt ?? at,
    invitedAt: at,
    expiresAt: at + INVITATION_LIFETIME_MS,
    respondedAt: null,
    seenAt: null,
    remindedAt: null,
    notes,
    canAcceptClaims: current?.canAcceptClaims ?? true,
    acceptingAssignments: true,
    readableUntil: current?.readableUntil ?? null,
    sharing: SHARES_NOTHING,
  };
}

/**
 * A pending invitation can be accepted once first name, last name and email are in the profile.
 * @throws `not_found`, `profile_incomplete`
 */
export function acceptInvitation(membership: Membership, adjuster: Adjuster, at: Instant): Membership {
  const status = statusAfter(membership, 'accept', at);
  const missing = missingProfileFields(adjuster);
  if (missing.length > 0) {
    throw new DomainError('profile_incomplete', `Complete your profile first: ${missing.join(', ')}.`);
  }
  return { ...membership, status, expiresAt: null, respondedAt: at, readableUntil: null };
}

/** A pending invitation can be declined. @throws `not_found` */
export const declineInvitation = (membership: Membership, at: Instant): Membership => ({
  ...membership,
  status: statusAfter(membership, 'decline', at),
  expiresAt: null,
  respondedAt: at,
});

/** A pending invitation can be withdrawn by the firm. @throws `not_found` */
export const withdrawInvitation = (membership: Membership, at: Instant): Membership => ({
  ...membership,
  status: statusAfter(membership, 'withdraw', at),
  expiresAt: null,
});

/** A pending invitation can be ended as if its time had passed; for the sandbox. @throws `not_found` */
export function expireInvitation(membership: Membership, at: Instant): Membership {
  if (statusAt(membership, at) !== 'pending') throw new DomainError('not_found', ERROR_DETAILS.not_found);
  return { ...membership, expiresAt: at };
}

/**
 * An active member can leave; the firm's plan sets how long accepted claims stay readable. The firm sees nothing more
 * that was shared. By the adjuster, or by the operator for them.
 * @throws `not_found`
 */
export const leaveFirm = (membership: Membership, plan: Plan, at: Instant): Membership => ({
  ...membership,
  status: statusAfter(membership, 'leave', at),
  readableUntil: at + PLAN_RETENTION[plan].readableAfterLeavingMs,
  sharing: SHARES_NOTHING,
});

/** Adds a member without an invitation: by the operator, or a test account of a new firm. @throws `already_member` */
export function addMember(
  current: Membership | null,
  member: { firmId: FirmId; svcId: Svcid; at: Instant; acceptingAssignments?: boolean },
): Membership {
  if (current?.status === 'active') throw new DomainError('already_member', ERROR_DETAILS.already_member);
  return {
    firmId: member.firmId,
    svcId: member.svcId,
    status: 'active',
    firstKnownAt: current?.firstKnownAt ?? member.at,
    invitedAt: null,
    expiresAt: null,
    respondedAt: null,
    seenAt: null,
    remindedAt: null,
    notes: NO_NOTES,
    canAcceptClaims: current?.canAcceptClaims ?? true,
    acceptingAssignments: member.acceptingAssignments ?? true,
    readableUntil: null,
    sharing: SHARES_NOTHING,
  };
}

/** A firm sees an adjuster's name and email only while the adjuster is an active member. */
export const contactForFirm = (
  membership: Pick<Membership, 'status'>,
  adjuster: Adjuster,
): { readonly name: string | null; readonly email: string | null } =>
  membership.status === 'active'
    ? { name: fullName(adjuster), email: adjuster.email }
    : { name: null, email: null };

/** What decides whether an adjuster may read and answer the claims of a firm. */
export type ClaimAccess = Pick<Membership, 'status' | 'canAcceptClaims' | 'readableUntil'>;

/** An active member who has the permission may accept offers already made; a pause only blocks new offers. */
export const mayAcceptOffers = (membership: ClaimAccess | null): boolean =>
  membership !== null && membership.status === 'active' && membership.canAcceptClaims;

const unknownSvcid = (): DomainError =>
  new DomainError(
    'unknown_svcid',
    "No adjuster has this SVCID. SVCIDs are case-sensitive; a test key can name only the firm's test accounts.",
  );

/** A live key cannot name a test account. @throws `environment_mismatch` */
export function checkNameable(adjuster: Adjuster, environment: Environment): void {
  if (environment === 'live' && adjuster.testOf !== null) {
    throw new DomainError('environment_mismatch', 'A live key cannot name a test account; use a test key.');
  }
}

/**
 * A claim may be offered to an active member of the firm who may accept claims and takes assignments (`takesOffers`).
 * Live keys name real adjusters only, test keys the firm's test accounts only. Checked in this order.
 * @returns the adjuster.
 * @throws `unknown_svcid`, `environment_mismatch`, `adjuster_not_in_firm`, `adjuster_not_accepting`
 */
export function checkAddressee(offer: {
  adjuster: Adjuster | null;
  membership: Membership | null;
  firmId: FirmId;
  environment: Environment;
  /** Pending offers of all firms to this adjuster; counted only where the adjuster set a limit. */
  pendingOffers: number;
  at: Instant;
}): Adjuster {
  const { adjuster, membership, firmId, environment, pendingOffers, at } = offer;
  if (adjuster === null || (adjuster.testOf !== null && adjuster.testOf.firmId !== firmId))
    throw unknownSvcid();
  checkNameable(adjuster, environment);
  const notInFirm = (detail: string): DomainError => new DomainError('adjuster_not_in_firm', detail);
  if (environment === 'test' && adjuster.testOf === null)
    throw notInFirm("A test key cannot name a real adjuster; use one of the firm's test accounts.");
  if (membership?.status !== 'active')
    throw notInFirm(
      'This adjuster is not an active member of the firm; they must accept an invitation first.',
    );
  const isDisabled = adjuster.disabledAt !== undefined;
  const isAvailable = takesOffers(adjuster.availability ?? ALWAYS_AVAILABLE, pendingOffers, at);
  if (isDisabled || !isAvailable || !membership.canAcceptClaims || !membership.acceptingAssignments) {
    throw new DomainError('adjuster_not_accepting', 'This adjuster is not accepting claims at the moment.');
  }
  return adjuster;
}
