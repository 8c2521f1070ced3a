import {
  type AdjusterWarning,
  type CalendarDate,
  type ClaimAsSent,
  credentialWarnings,
  type EnteredCredentials,
  type FirmId,
  type FormType,
  hasReachedLimit,
  type Instant,
  localTime,
} from '@svc/domain';
import type { AdjusterView } from '../model/member-views.ts';
import type { AdjusterAvailability, BoardReads } from '../ports/board-reads.ts';
import type { ZipDistance } from '../ports/zip-distance.ts';

export type ClaimPlace = ReturnType<typeof placeOf>;

interface SentContent {
  readonly loss_location: { readonly zip: string; readonly state: string };
  readonly policy?: { readonly form_type?: FormType };
}

/** What is compared with an adjuster before a claim is offered, with the form of the policy. */
export function placeOf(asSent: ClaimAsSent) {
  const { loss_location, policy = {} } = JSON.parse(asSent) as SentContent;
  return { zip: loss_location.zip, state: loss_location.state, form: policy.form_type };
}

export interface Candidate extends AdjusterView {
  /** Undefined: they have not changed it. */
  readonly own: AdjusterAvailability | undefined;
  /** Undefined: they have entered none, or do not share them. */
  readonly credentials: EnteredCredentials | undefined;
}

export async function readCandidates(
  boardReads: Pick<BoardReads, 'availability' | 'sharedCredentials'>,
  firmId: FirmId,
  views: readonly AdjusterView[],
): Promise<Candidate[]> {
  const svcIds = views.map(({ adjuster }) => adjuster.svcId);
  const [availability, credentials] = await Promise.all([
    boardReads.availability(firmId, svcIds),
    boardReads.sharedCredentials(firmId, svcIds),
  ]);
  return views.map((view) => {
    const { svcId } = view.adjuster;
    return { ...view, own: availability.get(svcId), credentials: credentials.get(svcId) };
  });
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

/** A day on which licenses end. */
export const dayOf = (now: Instant): CalendarDate => localTime(now, 'UTC').date;

/** @param added claims that they are going to get besides. */
export function warningsOf(
  claim: ClaimPlace,
  { own, credentials }: Candidate,
  today: CalendarDate,
  added = 0,
): AdjusterWarning[] {
  const isFull = own !== undefined && hasReachedLimit(own.availability, own.pendingOffers + added);
  return [...credentialWarnings(credentials, claim, today), ...(isFull ? (['limit_reached'] as const) : [])];
}
