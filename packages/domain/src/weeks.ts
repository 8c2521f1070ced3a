import { endOfDay, localTime } from './availability.ts';
import { daysAfter } from './deadlines.ts';
import type { CalendarDate, Instant } from './ids.ts';

/** From Monday, on a clock in a time zone. */
export interface Week {
  readonly monday: CalendarDate;
  readonly start: Instant;
  /** Exclusive. */
  readonly end: Instant;
}

/** The weeks of a period, from Monday, on a clock in the time zone. The first and the last one may reach beyond it. */
export function weeksOf(since: Instant, until: Instant, timeZone: string): Week[] {
  const { date } = localTime(since, timeZone);
  const daysSinceMonday = (new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7;
  const startOf = (day: CalendarDate): Instant => endOfDay(daysAfter(day, -1), timeZone);
  const weeks: Week[] = [];
  let monday = daysAfter(date, -daysSinceMonday);
  for (let start = startOf(monday); start < until; ) {
    const next = daysAfter(monday, 7);
    const end = startOf(next);
    weeks.push({ monday, start, end });
    [monday, start] = [next, end];
  }
  return weeks;
}
