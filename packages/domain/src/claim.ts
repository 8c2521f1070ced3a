import { type Assignment, assignmentAfter, newOffer } from './assignment.ts';
import { type BuildingType, checkBuildingPair, type OccupancyType } from './building.ts';
import type { CarrierDetails } from './carrier.ts';
import { DomainError } from './errors.ts';
import type { CalendarDate, ClaimId, Environment, FirmId, Instant, Svcid } from './ids.ts';
import { type Membership, mayAcceptOffers } from './membership.ts';
import { checkPolicyTerm } from './policy.ts';

declare const asSent: unique symbol;
/**
 * The claim's content as the JSON text the firm sent, stored unchanged. Rules use the fields in {@link ClaimFacts}.
 */
export type ClaimAsSent = string & { readonly [asSent]: true };

/** The fields of a claim's content that rules use. */
export interface ClaimFacts {
  /** The firm's own id: permanently unique within the firm and environment. */
  readonly externalId: string;
  /** The carrier's claim number: unique among the firm's open claims of the environment. */
  readonly claimNumber: string;
  readonly carrier: CarrierDetails;
  readonly occupancyType?: OccupancyType | undefined;
  readonly buildingType?: BuildingType | undefined;
  readonly policyEffective?: CalendarDate | undefined;
  readonly policyExpiration?: CalendarDate | undefined;
}

/** The adjuster's edits; the firm's fields stay as sent. */
export interface ClaimWork {
  readonly contactDate: CalendarDate | null;
  readonly inspectionDate: CalendarDate | null;
  readonly notes: string | null;
}

export interface Claim {
  readonly id: ClaimId;
  readonly firmId: FirmId;
  /** `test`: sent with a test key to a test account and never billed. Never changes. */
  readonly environment: Environment;
  readonly externalId: string;
  readonly claimNumber: string;
  readonly carrier: CarrierDetails;
  readonly asSent: ClaimAsSent;
  readonly assignment: Assignment;
  readonly work: ClaimWork;
  readonly createdAt: Instant;
  /** Set by the store when something the firm can see changes: creation, an offer, its response or its lapse. */
  readonly updatedAt: Instant;
  readonly closedAt: Instant | null;
}

const NO_WORK: ClaimWork = { contactDate: null, inspectionDate: null, notes: null };

/** Creates a claim as an offer to one adjuster; the caller has run `checkAddressee`. */
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
 * Throws unless a key of `environment` may offer this claim again, to any adjuster. A test key cannot see a live
 * claim, so the mismatch is always a live key with a test claim.
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

/** Offers the claim again and drops the earlier response; the caller has run `checkAddressee`. */
export function offerClaim(claim: Claim, offer: { adjuster: Svcid; at: Instant }): Claim {
  assignmentAfter(claim.assignment.status, 'offer');
  return { ...claim, assignment: newOffer(offer.adjuster, offer.at) };
}

/** Only the adjuster of the latest offer can respond, while the claim is open. */
function withResponse(
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
  withResponse(claim, 'accept', by, at, null);

/** Accepts the offer, or makes it `unassigned` when the adjuster lost the permission after it was made. */
export function acceptOrLapse(
  claim: Claim,
  membership: Membership | null,
  response: { by: Svcid; at: Instant },
): Claim {
  const accepted = acceptClaim(claim, response);
  return mayAcceptOffers(membership) ? accepted : (unassignPendingOffer(claim) ?? claim);
}

export const rejectClaim = (
  claim: Claim,
  { by, at, reason }: { by: Svcid; at: Instant; reason: string | null },
): Claim => withResponse(claim, 'reject', by, at, reason);

/**
 * For an adjuster who leaves the firm, or loses the permission to accept its claims: a pending offer of an open claim
 * becomes `unassigned`. Null: nothing changed.
 */
export function unassignPendingOffer(claim: Claim): Claim | null {
  if (claim.closedAt !== null) return null;
  const status = assignmentAfter(claim.assignment.status, 'adjuster_leaves');
  return status === null ? null : { ...claim, assignment: { ...claim.assignment, status } };
}

/** Whether the latest offer went to this adjuster and is pending or accepted. */
export const isShownTo = ({ assignment }: Pick<Claim, 'assignment'>, adjuster: Svcid): boolean =>
  assignment.adjuster === adjuster &&
  (assignment.status === 'pending_acceptance' || assignment.status === 'accepted');

/**
 * Whether this adjuster may read the claim, including the policyholder's name and phone. A member of the firm reads
 * claims shown to them; a former member only those accepted before leaving, until closed or until the time that the
 * firm's plan allows is over.
 *
 * In SQL, over the adjuster's `memberships m`: `c.adjuster_svc_id = m.svc_id AND (m.status = 'active' AND c.status IN
 * ('pending_acceptance', 'accepted') OR c.status = 'accepted' AND c.closed_at IS NULL AND (m.readable_until IS NULL OR
 * m.readable_until > now))`.
 */
export function isReadableBy(
  claim: Pick<Claim, 'assignment' | 'closedAt'>,
  adjuster: Svcid,
  membership: Membership | null,
  now: Instant,
): boolean {
  if (!isShownTo(claim, adjuster)) return false;
  if (membership?.status === 'active') return true;
  const readableUntil = membership?.readableUntil ?? null;
  return (
    claim.assignment.status === 'accepted' &&
    claim.closedAt === null &&
    (readableUntil === null || now < readableUntil)
  );
}

function checkAcceptedBy(claim: Claim, by: Svcid): void {
  if (!isShownTo(claim, by)) throw new DomainError('not_found', 'No such claim.');
  if (claim.assignment.status !== 'accepted' || claim.closedAt !== null) {
    throw new DomainError('offer_not_pending', 'You can only edit an open claim that you accepted.');
  }
}

/** Records the adjuster's dates and notes. A missing field is unchanged; null clears it. */
export function recordWork(
  claim: Claim,
  membership: Membership | null,
  { by, at, edits }: { by: Svcid; at: Instant; edits: Partial<ClaimWork> },
): Claim {
  if (!isReadableBy(claim, by, membership, at)) throw new DomainError('not_found', 'No such claim.');
  checkAcceptedBy(claim, by);
  return { ...claim, work: { ...claim.work, ...edits } };
}

/** Closes a claim for the adjuster who accepted it. Frees the claim number; not visible to the firm. */
export function closeAcceptedClaim(
  claim: Claim,
  membership: Membership | null,
  { by, at }: { by: Svcid; at: Instant },
): Claim {
  if (!isReadableBy(claim, by, membership, at)) throw new DomainError('not_found', 'No such claim.');
  if (claim.assignment.status === 'accepted' && claim.closedAt !== null) return claim;
  checkAcceptedBy(claim, by);
  return { ...claim, closedAt: at };
}

/** The operator may close any claim, whatever its assignment status. */
export const closeClaimAsOperator = (claim: Claim, at: Instant): Claim =>
  claim.closedAt === null ? { ...claim, closedAt: at } : claim;
