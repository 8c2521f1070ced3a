import type { AppClaim } from '@svc/contract';
import { townOf } from '@svc/web-app/names';

/** An offer that is over. It holds nothing of the policyholder, since the adjuster may no longer see the claim. */
export interface PastOffer {
  readonly claimId: string;
  readonly claimNumber: string;
  readonly firm: string;
  readonly city: string;
  readonly state: string;
  readonly offeredAt: string;
  readonly endedAt: number;
  /** `late`: answered after it was over. */
  readonly result: 'accepted' | 'rejected' | 'late' | 'withdrawn';
  /** Only for a rejection. */
  readonly reason?: string;
}

/** Which offer it is, without names. */
export const offerLabel = (offer: PastOffer): string => `${townOf(offer)} · ${offer.claimNumber}`;

const MAX_PAST_OFFERS = 300;

export const pastOffer = (
  { id, claim_number, firm, loss_location: { city, state }, offered_at }: AppClaim,
  result: PastOffer['result'],
  endedAt: number,
  reason?: string,
): PastOffer => ({
  claimId: id,
  claimNumber: claim_number,
  firm: firm.name,
  city,
  state,
  offeredAt: offered_at,
  endedAt,
  result,
  ...(reason !== undefined && { reason }),
});

/** Newest first; an offer is listed once, by its claim and the time it was made. What came of an answer is not replaced. */
export function withPastOffers(known: readonly PastOffer[], added: readonly PastOffer[]): PastOffer[] {
  const keyOf = ({ claimId, offeredAt }: PastOffer): string => `${claimId} ${offeredAt}`;
  const byKey = new Map(known.map((offer) => [keyOf(offer), offer]));
  for (const offer of added) {
    const known = byKey.get(keyOf(offer))?.result ?? 'withdrawn';
    if (known === 'withdrawn') byKey.set(keyOf(offer), offer);
  }
  return [...byKey.values()].sort((a, b) => b.endedAt - a.endedAt).slice(0, MAX_PAST_OFFERS);
}
