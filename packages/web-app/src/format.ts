import type { ReadonlySignal } from '@preact/signals';
import { durationText } from './duration.ts';
import type { CommonTexts } from './texts/en.ts';
import { type Language, localeOf } from './texts/languages.ts';

/** Values in the language that is shown. */
export function createFormat(
  texts: ReadonlySignal<CommonTexts>,
  language: ReadonlySignal<Language>,
  now: ReadonlySignal<number>,
) {
  // Creating one takes 77 µs, its use 1; a list has one for each row.
  const formatters = new Map<string, Intl.DateTimeFormat | Intl.NumberFormat>();

  function formatter<T extends Intl.DateTimeFormat | Intl.NumberFormat>(
    kind: string,
    make: (locale: string) => T,
  ): T {
    const key = `${kind} ${language.value}`;
    const found = (formatters.get(key) as T | undefined) ?? make(localeOf(language.value));
    formatters.set(key, found);
    return found;
  }
  const clock = (kind: string, timeZone?: string) =>
    formatter(kind, (locale) => new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone }));

  const clockTime = (instant: string | number): string => clock('clock').format(new Date(instant));
  const dayOf = (instant: string | number): string => {
    const at = new Date(instant);
    return texts.value.day(at.getFullYear(), at.getMonth(), at.getDate());
  };
  const withDay = (instant: string | number, time: string): string =>
    [dayOf(instant), time].map((part) => part.replaceAll(' ', '\u00a0')).join(', ');
  const duration = (ms: number): string | null => durationText(ms, texts.value.duration);

  return {
    clockTime,
    duration,
    /** The day of an instant where the device is. */
    dayOf,
    /** In one unit, for rows. */
    roughDuration: (ms: number): string | null => durationText(ms, texts.value.duration, true),
    /** A calendar date, which has no time zone. Creating an Intl format for it would delay the first list. */
    day(date: string): string {
      const [year = 0, month = 0, dayOfMonth = 0] = date.split('-').map(Number);
      return texts.value.day(year, month - 1, dayOfMonth);
    },
    /** A date and time in the device's time zone; a line may break only between the two. */
    dateTime: (instant: string | number): string => withDay(instant, clockTime(instant)),
    /** With seconds, to be found in a log. */
    dateTimeSeconds(instant: string | number): string {
      const clock = formatter(
        'seconds',
        (locale) => new Intl.DateTimeFormat(locale, { timeStyle: 'medium' }),
      );
      return withDay(instant, clock.format(new Date(instant)));
    },
    /** A time of day without a time zone, such as `04:30`. */
    timeOfDay: (time: string): string => clock('timeOfDay', 'UTC').format(new Date(`1970-01-01T${time}:00Z`)),
    numbers: (kind: string, options: Intl.NumberFormatOptions) =>
      formatter(kind, (locale) => new Intl.NumberFormat(locale, options)),
    /** How long ago; null for less than a minute. */
    since: (instant: string): string | null => duration(now.value - Date.parse(instant)),
    today(): string {
      const date = new Date(now.value);
      const twoDigits = (value: number): string => String(value).padStart(2, '0');
      return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
    },
  };
}
