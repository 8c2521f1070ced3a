import { DAY, type Instant } from '@svc/domain';

const twoDigits = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'));
const threeDigits = Array.from({ length: 1000 }, (_, n) => String(n).padStart(3, '0'));

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
  const ms = instant - itsDay * DAY;
  const seconds = Math.floor(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  return `${date}T${twoDigits[hours]}:${twoDigits[minutes - hours * 60]}:${twoDigits[seconds - minutes * 60]}.${threeDigits[ms - seconds * 1000]}Z`;
}

export const toDateTimeOrNull = (instant: Instant | null): string | null =>
  instant === null ? null : toDateTime(instant);
