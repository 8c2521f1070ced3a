import { type Assignment, assignmentAfter, newOffer } from './assignment.ts';
import { type BuildingType, checkBuildingPair, type OccupancyType } from './building.ts';
import type { CarrierDetails } from './carrier.ts';
import { DomainError } from './errors.ts';
import type { CalendarDate, ClaimId, Environment, FirmId, Instant, Svcid } from './ids.ts';
import { type Membership, mayAcceptOffers } from './membership.ts';
import { checkPolicyTerm } from './policy.ts';

declare const asSent: unique symbol;
/**
 * The claim's content as the JSON text the firm sent, kept to the letter and never read by a rule: what the rules
 * look at stands beside it in {@link ClaimFacts}.
 */
export type ClaimAsSent = string & { readonly [asSent]: true };

/** What the rules look at in a claim's content. */
export interface ClaimFacts {
  /** The firm's own id: unique for ever within the firm and the environment. */
  readonly externalId: string;
  /** The carrier's claim number: unique among the firm's open claims of the environment. */
  readonly claimNumber: string;
  readonly carrier: CarrierDetails;
  readonly occupancyType?: OccupancyType | undefined;
  readonly buildingType?: BuildingType | undefined;
  readonly policyEffective?: CalendarDate | undefined;
  readonly policyExpiration?: CalendarDate | undefined;
}

/** The adjuster's own edits; the firm's fields stay as they were sent. */
export interface ClaimWork {
  readonly contactDate: CalendarDate | null;
  readonly inspectionDate: CalendarDate | null;
  readonly notes: string | null;
}

export interface Claim {
  readonly id: ClaimId;
  readonly firmId: FirmId;
  /** `test`: sent with a test key to a test account; never changes, never billed. */
  readonly environment: Environment;
  readonly externalId: string;
  readonly claimNumber: string;
  readonly carrier: CarrierDetails;
  readonly asSent: ClaimAsSent;
  readonly assignment: Assignment;
  readonly work: ClaimWork;
  readonly createdAt: Instant;
  /** Moves only with what the firm can see: creation, an offer, an answer, an offer that lapsed. Set by the store. */
  readonly updatedAt: Instant;
  readonly closedAt: Instant | null;
}

const NO_WORK: ClaimWork = { contactDate: null, inspectionDate: null, notes: null };

/** A claim comes into being as an offer to one adjuster, who has already passed `checkAddressee`. */
export function sendClaim(
  facts: ClaimFacts,
  sent: {
    id: ClaimId;
    firmId: FirmId;
    environment: Environment;
    adjuster: Svcid;
    asSent: ClaimAsSent;
    at: Instant;
  },
): Claim {
  const pair = checkBuildingPair(facts.occupancyType, facts.buildingType);
  if (pair !== null) throw new DomainError('building_pair_refused', pair);
  const term = checkPolicyTerm(facts.policyEffective, facts.policyExpiration);
  if (term !== null) throw new DomainError('policy_term_reversed', term);
  return {
    id: sent.id,
    firmId: sent.firmId,
    environment: sent.environment,
    externalId: facts.externalId,
    claimNumber: facts.claimNumber,
    carrier: facts.carrier,
    asSent: sent.asSent,
    assignment: newOffer(sent.adjuster, sent.at),
    work: NO_WORK,
    createdAt: sent.at,
    updatedAt: sent.at,
    closedAt: null,
  };
}

/**
 * Whether a key of `environment` may offer this claim again at all, whoever the adjuster is.
 * A test key never gets here with a live claim: it cannot see one.
 */
export function checkOfferable(claim: Claim, environment: Environment): void {
  if (claim.environment !== environment) {
    throw new DomainError('environment_mismatch', 'A live key cannot offer a test claim; use a test key.');
  }
  assignmentAfter(claim.assignment.status, 'offer');
  if (claim.closedAt !== null) {
    throw new DomainError(
      'claim_closed',
      'This claim was closed before it was accepted and cannot be offered.',
    );
  }
}

/** Offers the claim to another adjuster, who has already passed `checkAddressee`; the earlier answer is gone. */
export function offerClaim(claim: Claim, offer: { adjuster: Svcid; at: Instant }): Claim {
  assignmentAfter(claim.assignment.status, 'offer');
  return { ...claim, assignment: newOffer(offer.adjuster, offer.at) };
}

/** The adjuster answers; only the latest offer, to this adjuster, of a claim that is still open, can be answered. */
function answered(
  claim: Claim,
  action: 'accept' | 'reject',
  by: Svcid,
  at: Instant,
  reason: string | null,
): Claim {
  if (claim.assignment.adjuster !== by) throw new DomainError('not_found', 'No such claim.');
  if (claim.closedAt !== null) throw new DomainError('offer_not_pending', 'This claim is closed.');
  const status = assignmentAfter(claim.assignment.status, action) ?? claim.assignment.status;
  return { ...claim, assignment: { ...claim.assignment, status, respondedAt: at, rejectionReason: reason } };
}

export const acceptClaim = (claim: Claim, { by, at }: { by: Svcid; at: Instant }): Claim =>
  answered(claim, 'accept', by, at, null);

/** What becomes of an offer that the adjuster accepts: it lapses where the permission is gone since it was made. */
export function acceptOrLapse(
  claim: Claim,
  membership: Membership | null,
  answer: { by: Svcid; at: Instant },
): Claim {
  const accepted = acceptClaim(claim, answer);
  return mayAcceptOffers(membership) ? accepted : (unassignPendingOffer(claim) ?? claim);
}

export const rejectClaim = (
  claim: Claim,
  { by, at, reason }: { by: Svcid; at: Instant; reason: string | null },
): Claim => answered(claim, 'reject', by, at, reason);

/**
 * The adjuster leaves the firm, or loses the permission to accept its claims: a pending offer of an open claim lapses.
 * Null: nothing changed.
 */
export function unassignPendingOffer(claim: Claim): Claim | null {
  if (claim.closedAt !== null) return null;
  const status = assignmentAfter(claim.assignment.status, 'adjuster_leaves');
  return status === null ? null : { ...claim, assignment: { ...claim.assignment, status } };
}

/** Whether the claim is this adjuster's: offered to them last, and neither rejected nor lapsed. */
export const isShownTo = ({ assignment }: Pick<Claim, 'assignment'>, adjuster: Svcid): boolean =>
  assignment.adjuster === adjuster &&
  (assignment.status === 'pending_acceptance' || assignment.status === 'accepted');

/**
 * Whether this adjuster may read the claim, with the policyholder's name and phone, in the app. A member of the firm:
 * what is theirs. Anybody else: only what they accepted before they left, until it is closed.
 *
 * In SQL, over the adjuster's `memberships m`: `c.adjuster_svc_id = m.svc_id AND (m.status = 'active' AND c.status IN
 * ('pending_acceptance', 'accepted') OR c.status = 'accepted' AND c.closed_at IS NULL)`.
 */
export const isReadableBy = (
  claim: Pick<Claim, 'assignment' | 'closedAt'>,
  adjuster: Svcid,
  membership: Membership | null,
): boolean =>
  isShownTo(claim, adjuster) &&
  (membership?.status === 'active' || (claim.assignment.status === 'accepted' && claim.closedAt === null));

function checkAcceptedBy(claim: Claim, by: Svcid): void {
  if (!isShownTo(claim, by)) throw new DomainError('not_found', 'No such claim.');
  if (claim.assignment.status !== 'accepted' || claim.closedAt !== null) {
    throw new DomainError(
      'offer_not_pending',
      'Only a claim that you accepted and that is not closed can be worked on.',
    );
  }
}

/** The adjuster's own dates and notes. A field left out stays; null empties it. */
export function recordWork(claim: Claim, by: Svcid, edits: Partial<ClaimWork>): Claim {
  checkAcceptedBy(claim, by);
  return { ...claim, work: { ...claim.work, ...edits } };
}

/** The adjuster who accepted is done. Closing frees the claim number and is invisible to the firm. */
export function closeAcceptedClaim(claim: Claim, { by, at }: { by: Svcid; at: Instant }): Claim {
  if (isShownTo(claim, by) && claim.closedAt !== null) return claim;
  checkAcceptedBy(claim, by);
  return { ...claim, closedAt: at };
}

/** The operator may close any claim, whatever its assignment. */
export const closeClaimAsOperator = (claim: Claim, at: Instant): Claim =>
  claim.closedAt === null ? { ...claim, closedAt: at } : claim;
