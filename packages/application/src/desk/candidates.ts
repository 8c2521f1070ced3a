import { type AdjusterWarning, type ClaimAsSent, type FormType, hasReachedLimit } from '@svc/domain';
import type { AdjusterView } from '../model/member-views.ts';
import type { AdjusterAvailability } from '../ports/board-reads.ts';
import type { ZipDistance } from '../ports/zip-distance.ts';

/** What is compared with an adjuster before a claim is offered. */
export interface ClaimPlace {
  readonly zip: string;
}

/** What the credentials of an adjuster are compared with. */
export interface ClaimCoverage {
  readonly state: string;
  readonly form: FormType | undefined;
}

export function coverageOf(asSent: ClaimAsSent): ClaimCoverage {
  interface Sent {
    readonly loss_location: { readonly state: string };
    readonly policy: { readonly form_type?: FormType };
  }
  const { loss_location, policy } = JSON.parse(asSent) as Sent;
  return { state: loss_location.state, form: policy.form_type };
}

export interface Candidate extends AdjusterView {
  /** Undefined: they have not changed it. */
  readonly own: AdjusterAvailability | undefined;
}

/** From the claim to where the adjuster works, if the firm may see that; null: not known. */
export function distanceTo(
  { zip }: ClaimPlace,
  { membership, own }: Candidate,
  zipDistance: ZipDistance,
): number | null {
  const from = membership.sharing.workArea ? own?.availability.workZip : null;
  return from == null ? null : zipDistance(zip, from);
}

/** @param added claims that they are going to get besides. */
export function warningsOf({ own }: Candidate, added = 0): AdjusterWarning[] {
  const isFull = own !== undefined && hasReachedLimit(own.availability, own.pendingOffers + added);
  return isFull ? ['limit_reached'] : [];
}
