import { DomainError } from './errors.ts';
import type { Instant, Svcid } from './ids.ts';
import type { AssignmentStatus } from './vocabulary.ts';

/** The latest offer of a claim; offering again drops the earlier response. */
export interface Assignment {
  readonly status: AssignmentStatus;
  readonly adjuster: Svcid;
  readonly offeredAt: Instant;
  /** Whom the audit trail names for the offer; null: not recorded. */
  readonly offeredBy: string | null;
  readonly respondedAt: Instant | null;
  readonly rejectionReason: string | null;
  /** Whom the audit trail names for the withdrawal; absent: the firm did not withdraw it. */
  readonly withdrawnBy?: string;
}

/**
 * `adjuster_leaves`: the adjuster leaves the firm, or loses the permission to accept its claims, while the offer is
 * pending.
 */
export const ASSIGNMENT_ACTIONS = ['offer', 'accept', 'reject', 'withdraw', 'adjuster_leaves'] as const;
export type AssignmentAction = (typeof ASSIGNMENT_ACTIONS)[number];

type TransitionError = 'claim_already_accepted' | 'offer_not_pending';
export type AssignmentStep =
  | { readonly to: AssignmentStatus }
  | { readonly error: TransitionError }
  | { readonly unchanged: true };

const to = (status: AssignmentStatus): AssignmentStep => ({ to: status });
const fails = (code: TransitionError): AssignmentStep => ({ error: code });
const unchanged: AssignmentStep = { unchanged: true };

/** The only definition of the transitions: every status × every action. */
export const ASSIGNMENT_TRANSITIONS: Readonly<
  Record<AssignmentStatus, Readonly<Record<AssignmentAction, AssignmentStep>>>
> = {
  pending_acceptance: {
    offer: to('pending_acceptance'),
    accept: to('accepted'),
    reject: to('rejected'),
    withdraw: to('unassigned'),
    adjuster_leaves: to('unassigned'),
  },
  accepted: {
    offer: fails('claim_already_accepted'),
    accept: fails('offer_not_pending'),
    reject: fails('offer_not_pending'),
    withdraw: fails('claim_already_accepted'),
    adjuster_leaves: unchanged,
  },
  rejected: {
    offer: to('pending_acceptance'),
    accept: fails('offer_not_pending'),
    reject: fails('offer_not_pending'),
    withdraw: fails('offer_not_pending'),
    adjuster_leaves: unchanged,
  },
  unassigned: {
    offer: to('pending_acceptance'),
    accept: fails('offer_not_pending'),
    reject: fails('offer_not_pending'),
    withdraw: fails('offer_not_pending'),
    adjuster_leaves: unchanged,
  },
};

const ERROR_DETAILS: Record<TransitionError, string> = {
  claim_already_accepted: 'An adjuster has accepted this claim; its offer cannot be replaced or withdrawn.',
  offer_not_pending: 'This offer is no longer pending.',
};

/**
 * The status after an action: a pending offer can be accepted, rejected, replaced by another offer, or become
 * `unassigned` when the adjuster leaves; an accepted claim stays accepted. `null`: nothing changes.
 * @throws `claim_already_accepted`, `offer_not_pending`
 */
export function assignmentAfter(status: AssignmentStatus, action: AssignmentAction): AssignmentStatus | null {
  const step = ASSIGNMENT_TRANSITIONS[status][action];
  if ('error' in step) throw new DomainError(step.error, ERROR_DETAILS[step.error]);
  return 'to' in step ? step.to : null;
}

/** Which rule made the latest offer what it is, with its text for receipts. */
export const DECIDING_RULES = {
  awaiting_answer: 'The adjuster of the latest offer has not answered it.',
  first_answer_while_pending:
    'The first answer of the adjuster counts that the service receives while the offer is pending and the claim is open. When it was given on the device does not count.',
  adjuster_may_not_accept:
    'A pending offer ends when its adjuster leaves the firm or loses the permission to accept its claims.',
  withdrawn_by_firm: 'A pending offer ends when the firm withdraws it, or closes its claim.',
  offered_again: 'A pending offer ends when the firm offers the claim again.',
  claim_closed: 'A pending offer ends when its claim is closed.',
} as const;
export type DecidingRule = keyof typeof DECIDING_RULES;

/** `withdrawn`: the firm ended it, by withdrawing it or by offering the claim again. */
export type OfferStatus = AssignmentStatus | 'withdrawn';

const DECIDED_BY: Readonly<Record<OfferStatus, DecidingRule>> = {
  pending_acceptance: 'awaiting_answer',
  accepted: 'first_answer_while_pending',
  rejected: 'first_answer_while_pending',
  unassigned: 'adjuster_may_not_accept',
  withdrawn: 'offered_again',
};

type OfferState = Pick<Assignment, 'withdrawnBy'> & { readonly status: OfferStatus };

/** What became of an offer: `withdrawn` where the firm withdrew it, else its status. */
export const offerStatus = ({ status, withdrawnBy }: OfferState): OfferStatus =>
  withdrawnBy === undefined ? status : 'withdrawn';

/**
 * The rule that made an offer what it is, with its text for receipts: the first answer that the service receives while
 * the offer is pending counts, whenever it was given.
 */
export const decidingRule = (
  { status, withdrawnBy }: OfferState,
  closedAt: Instant | null,
): { readonly rule: DecidingRule; readonly text: string } => {
  const isClosed = status === 'pending_acceptance' && closedAt !== null;
  const ended = isClosed ? 'claim_closed' : DECIDED_BY[status];
  const rule = withdrawnBy === undefined ? ended : 'withdrawn_by_firm';
  return { rule, text: DECIDING_RULES[rule] };
};

/** A new offer is `pending_acceptance`, with no response and no rejection reason. */
export const newOffer = (adjuster: Svcid, at: Instant, by: string | null = null): Assignment => ({
  status: 'pending_acceptance',
  adjuster,
  offeredAt: at,
  offeredBy: by,
  respondedAt: null,
  rejectionReason: null,
});
