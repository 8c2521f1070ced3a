import { DomainError } from './errors.ts';
import type { Instant, Svcid } from './ids.ts';

export const ASSIGNMENT_STATUSES = ['pending_acceptance', 'accepted', 'rejected', 'unassigned'] as const;
export type AssignmentStatus = (typeof ASSIGNMENT_STATUSES)[number];

/** The latest offer of a claim; an earlier offer's response is gone once the claim is offered again. */
export interface Assignment {
  readonly status: AssignmentStatus;
  readonly adjuster: Svcid;
  readonly offeredAt: Instant;
  readonly respondedAt: Instant | null;
  readonly rejectionReason: string | null;
}

/**
 * What can happen to an assignment. `adjuster_leaves`: the adjuster leaves the firm, or loses the permission to accept
 * its claims, while the offer waits.
 */
export const ASSIGNMENT_ACTIONS = ['offer', 'accept', 'reject', 'adjuster_leaves'] as const;
export type AssignmentAction = (typeof ASSIGNMENT_ACTIONS)[number];

type Refusal = 'claim_already_accepted' | 'offer_not_pending';
export type AssignmentStep =
  | { readonly to: AssignmentStatus }
  | { readonly refused: Refusal }
  | { readonly stays: true };

const to = (status: AssignmentStatus): AssignmentStep => ({ to: status });
const refused = (code: Refusal): AssignmentStep => ({ refused: code });
const stays: AssignmentStep = { stays: true };

/** Every status × every action: the only place that knows which moves exist. */
export const ASSIGNMENT_TRANSITIONS: Readonly<
  Record<AssignmentStatus, Readonly<Record<AssignmentAction, AssignmentStep>>>
> = {
  pending_acceptance: {
    offer: to('pending_acceptance'),
    accept: to('accepted'),
    reject: to('rejected'),
    adjuster_leaves: to('unassigned'),
  },
  accepted: {
    offer: refused('claim_already_accepted'),
    accept: refused('offer_not_pending'),
    reject: refused('offer_not_pending'),
    adjuster_leaves: stays,
  },
  rejected: {
    offer: to('pending_acceptance'),
    accept: refused('offer_not_pending'),
    reject: refused('offer_not_pending'),
    adjuster_leaves: stays,
  },
  unassigned: {
    offer: to('pending_acceptance'),
    accept: refused('offer_not_pending'),
    reject: refused('offer_not_pending'),
    adjuster_leaves: stays,
  },
};

const REFUSAL_DETAILS: Record<Refusal, string> = {
  claim_already_accepted: 'An adjuster has accepted this claim; it cannot be offered to another one.',
  offer_not_pending: 'This offer is no longer waiting for an answer.',
};

/** The status after `action`, or null when the action leaves the assignment as it is; throws when it is refused. */
export function assignmentAfter(status: AssignmentStatus, action: AssignmentAction): AssignmentStatus | null {
  const step = ASSIGNMENT_TRANSITIONS[status][action];
  if ('refused' in step) throw new DomainError(step.refused, REFUSAL_DETAILS[step.refused]);
  return 'to' in step ? step.to : null;
}

/** A new offer: nobody has answered it. */
export const newOffer = (adjuster: Svcid, at: Instant): Assignment => ({
  status: 'pending_acceptance',
  adjuster,
  offeredAt: at,
  respondedAt: null,
  rejectionReason: null,
});
