import { DAY, type Instant, MINUTE } from '@svc/domain';

const digits = (n: number, length: number): string => String(n).padStart(length, '0');

/** `T14:05:` for each minute of a day. */
const minutes = Array.from({ length: DAY / MINUTE }, (_, n) => {
  const hour = Math.floor(n / 60);
  return `T${digits(hour, 2)}:${digits(n - hour * 60, 2)}:`;
});
/** `09.123Z` for each millisecond of a minute, filled on demand. */
const seconds: string[] = new Array(MINUTE).fill('');

/** The last day formatted. */
let cachedDay = Number.NaN;
let date = '';

/** `YYYY-MM-DDTHH:MM:SS.sssZ`, like `Date.toISOString` at a fraction of its cost: a page has 150 times. */
export function toDateTime(instant: Instant): string {
  const day = Math.floor(instant / DAY);
  if (day !== cachedDay) {
    date = new Date(instant).toISOString().slice(0, -14);
    cachedDay = day;
  }
  const minute = Math.floor((instant - day * DAY) / MINUTE);
  const ms = instant - day * DAY - minute * MINUTE;
  seconds[ms] ||= `${digits(Math.floor(ms / 1000), 2)}.${digits(ms % 1000, 3)}Z`;
  return date + minutes[minute] + seconds[ms];
}

export const toDateTimeOrNull = (instant: Instant | null): string | null =>
  instant === null ? null : toDateTime(instant);
