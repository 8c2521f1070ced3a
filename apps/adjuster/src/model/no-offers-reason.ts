import type { Profile } from '@svc/contract';
import { isAway } from '@svc/domain';

/** Why an adjuster gets no new offers, and what to say about it. */
interface NoOffersReason {
  readonly kind: 'all' | 'away' | 'full' | 'firms';
  /** `away`: the last day. `full`: the number of offers. `firms`: their names. */
  readonly detail: string;
}

/** The first reason that applies; null if every firm may send offers. */
export function noOffersReason(
  { availability, firms }: Profile,
  openOffers: number,
  now: number,
): NoOffersReason | null {
  const { accepting_assignments, away, max_open_offers } = availability;
  if (!accepting_assignments) return { kind: 'all', detail: '' };
  const period = away.find(({ first_day, last_day, time_zone }) =>
    isAway({ firstDay: first_day, lastDay: last_day, timeZone: time_zone }, now),
  );
  if (period !== undefined) return { kind: 'away', detail: period.last_day };
  if (max_open_offers !== null && openOffers >= max_open_offers)
    return { kind: 'full', detail: String(max_open_offers) };
  const pausedFirms = firms.filter((firm) => !firm.accepting_assignments);
  return pausedFirms.length === 0
    ? null
    : { kind: 'firms', detail: pausedFirms.map(({ firm_name }) => firm_name).join(', ') };
}
