import { DAY, type Instant, MINUTE } from '@svc/domain';

const digits = (n: number, length: number): string => String(n).padStart(length, '0');

/** `T14:05:` of each minute of a day, and `09.123Z` of each millisecond of a minute as far as it has been needed. */
const minutes = Array.from({ length: DAY / MINUTE }, (_, n) => {
  const hour = Math.floor(n / 60);
  return `T${digits(hour, 2)}:${digits(n - hour * 60, 2)}:`;
});
const rests: string[] = new Array(MINUTE).fill('');

/** The day that was written last: the times of a page are of few days. */
let day = Number.NaN;
let date = '';

/** `YYYY-MM-DDTHH:MM:SS.sssZ`. The same as `Date`'s own, at a fraction of its cost: a page has a hundred and fifty. */
export function toDateTime(instant: Instant): string {
  const itsDay = Math.floor(instant / DAY);
  if (itsDay !== day) {
    date = new Date(instant).toISOString().slice(0, -14);
    day = itsDay;
  }
  const minute = Math.floor((instant - itsDay * DAY) / MINUTE);
  const ms = instant - itsDay * DAY - minute * MINUTE;
  rests[ms] ||= `${digits(Math.floor(ms / 1000), 2)}.${digits(ms % 1000, 3)}Z`;
  return date + minutes[minute] + rests[ms];
}

export const toDateTimeOrNull = (instant: Instant | null): string | null =>
  instant === null ? null : toDateTime(instant);
