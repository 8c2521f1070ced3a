import type { Profile } from '@svc/contract';
import { isAway } from '@svc/domain';

/** Why an adjuster gets no new offers, and what to say about it. */
export interface Pause {
  readonly by: 'all' | 'away' | 'full' | 'firms';
  /** `away`: the last day. `full`: the number of offers. `firms`: their names. */
  readonly detail: string;
}

/** The first reason that holds; null: offers of every firm are taken. */
export function pausedBy({ availability, firms }: Profile, openOffers: number, now: number): Pause | null {
  const { accepting_assignments, away, max_open_offers } = availability;
  if (!accepting_assignments) return { by: 'all', detail: '' };
  const period = away.find(({ first_day, last_day, time_zone }) =>
    isAway({ firstDay: first_day, lastDay: last_day, timeZone: time_zone }, now),
  );
  if (period !== undefined) return { by: 'away', detail: period.last_day };
  if (max_open_offers !== null && openOffers >= max_open_offers)
    return { by: 'full', detail: String(max_open_offers) };
  const paused = firms.filter((firm) => !firm.accepting_assignments);
  return paused.length === 0
    ? null
    : { by: 'firms', detail: paused.map(({ firm_name }) => firm_name).join(', ') };
}
