import { LIMITS } from '@svc/contract';

const DAY_MS = 24 * 60 * 60 * 1000;

/** As typed; both days belong to it. */
interface Days {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** The start or the end of a day here. */
const instant = (day: string | undefined, time: '00:00' | '24:00'): string | undefined =>
  day === undefined ? undefined : new Date(`${day}T${time}`).toISOString();
export const periodOf = ({ since, until }: Days) => ({
  since: instant(since, '00:00'),
  until: instant(until, '24:00'),
});

/** The service verifies no longer period, and would not say so. */
export function verifiedPeriod(days: Days, now: number): { since: number; until: number } {
  const period = periodOf(days);
  const until = period.until === undefined ? now : Date.parse(period.until);
  const earliest = until - LIMITS.auditVerificationDays * DAY_MS;
  return { since: Math.max(period.since === undefined ? 0 : Date.parse(period.since), earliest), until };
}

/** Whole days: a period that begins within one would cut it. */
export function startOfDay(now: number, daysAgo: number): string {
  const day = new Date(now);
  day.setHours(0, 0, 0, 0);
  day.setDate(day.getDate() - daysAgo);
  return day.toISOString();
}
