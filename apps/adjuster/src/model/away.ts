import type { Availability } from '@svc/contract';

type Away = Availability['away'];

/** The days away with a period more; why it is none. Without a last day it is one day. */
export function awayWith(
  away: Away,
  first_day: string,
  lastDay: string,
  today: string,
): Away | 'reversed' | 'over' {
  const last_day = lastDay === '' ? first_day : lastDay;
  if (last_day < first_day) return 'reversed';
  if (last_day < today) return 'over';
  const { timeZone: time_zone } = Intl.DateTimeFormat().resolvedOptions();
  // Periods that are over make room for new ones.
  const current = away.filter((period) => period.last_day >= today);
  return [...current, { first_day, last_day, time_zone }].sort((a, b) =>
    a.first_day < b.first_day ? -1 : 1,
  );
}
