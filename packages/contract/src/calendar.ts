const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:([Zz])|([+-])(\d{2}):(\d{2}))$/;

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

const isLeapYear = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

const daysIn = (year: number, month: number): number =>
  month === 2 && isLeapYear(year) ? 29 : (DAYS[month - 1] ?? 0);

function splitDate(value: string): { year: number; month: number; day: number } | null {
  const match = DATE.exec(value);
  if (!match) return null;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  return day >= 1 && day <= daysIn(year, month) ? { year, month, day } : null;
}

/** Whether the date exists: 2024-02-29 does, 2023-02-29 does not. Years 0001 to 9999. */
export function isCalendarDate(value: string): boolean {
  const date = splitDate(value);
  return date !== null && date.year >= 1;
}

/**
 * Parses an RFC 3339 date-time with any offset to Unix time in milliseconds; null if it is invalid.
 * Fractions of a millisecond round up, so that "at or after" stays exact for times stored in milliseconds, or down.
 * A leap second is read as the next second, as in Unix time.
 */
export function readInstant(value: string, rounding: 'up' | 'down' = 'up'): number | null {
  const match = DATE_TIME.exec(value);
  if (!match) return null;
  const [, datePart = '', hours, minutes, seconds, fraction = '', , sign, offsetHours, offsetMinutes] = match;
  const date = splitDate(datePart);
  if (!date) return null;
  const [hour, minute, second] = [Number(hours), Number(minutes), Number(seconds)];
  const [offsetHour, offsetMinute] = [Number(offsetHours ?? 0), Number(offsetMinutes ?? 0)];
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return null;

  // Not Date.UTC, which treats the years 0 to 99 as 1900 to 1999.
  const midnight = new Date(0).setUTCFullYear(date.year, date.month - 1, date.day);
  const offset = (offsetHour * 60 + offsetMinute) * (sign === '-' ? -1 : 1);
  const minuteOfDay = hour * 60 + minute - offset;
  const lastMinuteInUtc = (minuteOfDay + 1) % 1440 === 0;
  if (second === 60 && !lastMinuteInUtc) return null;

  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, '0'));
  const roundUp = rounding === 'up' && /[1-9]/.test(fraction.slice(3)) ? 1 : 0;
  return midnight + minuteOfDay * 60_000 + second * 1000 + milliseconds + roundUp;
}

/** Other times of day may be on another date where the loss happened. */
const MIDNIGHT = /^(\d{4})-(\d{2})-(\d{2})[Tt ]00:00(:00(\.0+)?)?([Zz]|[+-]\d{2}:\d{2})?$/;

/** The date in another format; null where day and month could be confused. */
export function intendedDate(sent: string): string | null {
  const text = sent.trim();
  const inOrder =
    /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(text) ??
    /^(\d{4})(\d{2})(\d{2})$/.exec(text) ??
    MIDNIGHT.exec(text);
  const [, year, month, day] = inOrder ?? [];
  if (inOrder !== null) return validDate(year, month, day);
  const american = /^(\d{1,2})[/-](\d{1,2})[/-](\d{4})$/.exec(text);
  // With a day after the 12th, only the American order is a date.
  return american !== null && Number(american[2]) > 12
    ? validDate(american[3], american[1], american[2])
    : null;
}

function validDate(year = '', month = '', day = ''): string | null {
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isCalendarDate(date) ? date : null;
}

/** Java leaves out seconds of 0 and adds the zone's name, SQL leaves out the T and minutes of the offset. */
const LOOSE_DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2})(:\d{2}(?:\.\d+)?)?(?:[Zz]| ?UTC| ?([+ -]\d{2}):?(\d{2})?)?(?:\[[^\]]*\])?)?$/;

/** The date-time in another spelling; without an offset, in UTC. A plus sign may have been decoded as a space. */
export function intendedInstant(sent: string): string | null {
  const match = LOOSE_DATE_TIME.exec(sent.trim());
  if (match === null) return null;
  const [, date, time = '00:00', seconds = ':00', hours, minutes = '00'] = match;
  const text = `${date}T${time}${seconds}${hours ? `${hours.replace(' ', '+')}:${minutes}` : 'Z'}`;
  return readInstant(text) === null ? null : text;
}
