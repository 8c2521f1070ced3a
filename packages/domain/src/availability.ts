import type { LocalDays } from './deadlines.ts';
import { type CalendarDate, DAY, HOUR, type Instant, MINUTE } from './ids.ts';

/** Days on which an adjuster takes no offers, both included, on the calendar of a time zone. */
export interface AwayPeriod {
  readonly firstDay: CalendarDate;
  readonly lastDay: CalendarDate;
  /** IANA name, such as `America/Chicago`. */
  readonly timeZone: string;
}

/** When an adjuster takes new offers of any firm. Firms see only that an offer is not accepted. */
export interface Availability {
  /** The switch for all firms; each membership also has one. */
  readonly acceptingAssignments: boolean;
  readonly away: readonly AwayPeriod[];
  /** With this many pending offers, of all firms together, there are no new ones; null: no limit. */
  readonly maxOpenOffers: number | null;
  /** The ZIP code in which the adjuster works; null: not said. */
  readonly workZip: string | null;
}

export const ALWAYS_AVAILABLE: Availability = {
  acceptingAssignments: true,
  away: [],
  maxOpenOffers: null,
  workZip: null,
};

/** Hours in which a device gets no notification; they end on the next day when `end` is before `start`. */
export interface QuietHours {
  /** `HH:MM`, inclusive. */
  readonly start: string;
  /** `HH:MM`, exclusive. */
  readonly end: string;
}

const FORMATS = new Map<string, Intl.DateTimeFormat>();
/** Creating one takes 190 µs, its use 8. Each takes 70 kB, and a name is valid in any mix of upper and lower case. */
const MAX_FORMATS = 100;

/** Date and minutes since midnight on a clock in the time zone. */
export function localTime(at: Instant, timeZone: string): { date: CalendarDate; minutes: number } {
  let format = FORMATS.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
    });
    if (FORMATS.size >= MAX_FORMATS) FORMATS.clear();
    FORMATS.set(timeZone, format);
  }
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const part = (name: Intl.DateTimeFormatPartTypes): string => parts.get(name) ?? '';
  return {
    date: `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`,
    minutes: Number(part('hour')) * 60 + Number(part('minute')),
  };
}

const MINUTES_PER_DAY = DAY / MINUTE;
const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/**
 * The next time after `at` at which a clock in the time zone shows `time` (`HH:MM`); an hour later where the clock
 * skips it.
 */
export function nextLocalTime(at: Instant, time: string, timeZone: string): Instant {
  const wanted = minutesOf(time);
  const now = localTime(at, timeZone).minutes;
  const minutes = (wanted - now + MINUTES_PER_DAY) % MINUTES_PER_DAY || MINUTES_PER_DAY;
  const next = at - (at % MINUTE) + minutes * MINUTE;
  const shows = localTime(next, timeZone).minutes;
  if (shows === wanted) return next;
  // The clock was changed in between. A time that it skips has no instant; then an hour later is right enough.
  const candidates = [next - HOUR, next + HOUR];
  return candidates.find((each) => localTime(each, timeZone).minutes === wanted) ?? next;
}

/** When a day ends on a clock in the time zone. */
export function endOfDay(date: CalendarDate, timeZone: string): Instant {
  const noon = Date.parse(`${date}T12:00:00Z`);
  // East of UTC+12 it is already the next day there.
  const within = localTime(noon, timeZone).date > date ? noon - 12 * HOUR : noon;
  return nextLocalTime(within, '00:00', timeZone);
}

/**
 * The same time of day so many days later, on a clock in the time zone; a time that the clock skips is an hour later.
 */
export function daysLater(at: Instant, days: number, timeZone: string): Instant {
  const later = at + days * DAY;
  const shifted = localTime(later, timeZone).minutes - localTime(at, timeZone).minutes;
  const half = MINUTES_PER_DAY / 2;
  // Near midnight, the clock may show the day before or after.
  const minutes = ((shifted + half + MINUTES_PER_DAY) % MINUTES_PER_DAY) - half;
  return later - minutes * MINUTE;
}

/** `endOfDay` and `daysLater` of a time zone, for `deadlinesOf`. */
export const localDays = (timeZone: string): LocalDays => ({
  endOfDay: (date) => endOfDay(date, timeZone),
  daysLater: (at, days) => daysLater(at, days, timeZone),
});

/**
 * When the quiet hours of a device end; `null` outside of them. They end on the next day when the end is earlier than
 * the start, and have no length when both are equal.
 */
export function quietUntil(hours: QuietHours, timeZone: string, at: Instant): Instant | null {
  const [start, end, now] = [
    minutesOf(hours.start),
    minutesOf(hours.end),
    localTime(at, timeZone).minutes,
  ] as const;
  const isQuiet = start <= end ? start <= now && now < end : now >= start || now < end;
  return isQuiet ? nextLocalTime(at, hours.end, timeZone) : null;
}

/** Whether a time is on one of the days of an away period, both included, on the calendar of its time zone. */
export function isAway({ firstDay, lastDay, timeZone }: AwayPeriod, at: Instant): boolean {
  const { date } = localTime(at, timeZone);
  return firstDay <= date && date <= lastDay;
}

/** Whether an adjuster has as many pending offers, of all firms together, as they want. */
export const hasReachedLimit = (
  { maxOpenOffers }: Pick<Availability, 'maxOpenOffers'>,
  pendingOffers: number,
): boolean => maxOpenOffers !== null && pendingOffers >= maxOpenOffers;

/**
 * An adjuster takes new offers unless they paused all firms, are away on that day, or have as many pending offers, of
 * all firms together, as they want.
 */
export function takesOffers(availability: Availability, pendingOffers: number, at: Instant): boolean {
  const { acceptingAssignments, away } = availability;
  if (!acceptingAssignments || hasReachedLimit(availability, pendingOffers)) return false;
  return !away.some((period) => isAway(period, at));
}

/** What an adjuster wants of notifications on one device. */
export interface DevicePreferences {
  /** IANA name of the device's time zone. */
  readonly timeZone: string;
  readonly quietHours: QuietHours | null;
  /** Once a day, when something is due. */
  readonly deadlineReminders: boolean;
}

/** When a device gets its daily reminder of deadlines, on its own clock. */
export const REMINDER_TIME = '08:00';
