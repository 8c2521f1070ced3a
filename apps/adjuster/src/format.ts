import { language, now, texts } from './state.ts';
import { localeOf } from './texts/language.ts';

const made = new Map<string, Intl.DateTimeFormat | Intl.NumberFormat>();

function formatter<T extends Intl.DateTimeFormat | Intl.NumberFormat>(
  kind: string,
  make: (locale: string) => T,
): T {
  const key = `${kind} ${language.value}`;
  const held = (made.get(key) as T | undefined) ?? make(localeOf(language.value));
  made.set(key, held);
  return held;
}

/** A day of the calendar, which is the same day wherever it is read. */
export function day(date: string): string {
  const format = formatter(
    'day',
    (locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }),
  );
  return format.format(new Date(`${date}T00:00:00Z`));
}

/** A moment, by the clock of whoever reads it; on a narrow screen the day and the time stay whole. */
export const moment = (instant: string | number): string =>
  formatter(
    'moment',
    (locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }),
  )
    .formatToParts(new Date(instant))
    .map(({ value }, at, parts) => (parts[at + 1]?.type === 'hour' ? value : value.replaceAll(' ', '\u00a0')))
    .join('');

export const clock = (instant: string | number): string =>
  formatter('clock', (locale) => new Intl.DateTimeFormat(locale, { timeStyle: 'short' })).format(
    new Date(instant),
  );

/** A time of day as it was written, `04:30`. */
export const timeOfDay = (time: string): string =>
  formatter(
    'time',
    (locale) => new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone: 'UTC' }),
  ).format(new Date(`1970-01-01T${time}:00Z`));

export const money = (amount: number): string =>
  formatter(
    'money',
    (locale) => new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD' }),
  ).format(amount);

export const percent = (rate: number): string =>
  formatter(
    'percent',
    (locale) => new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 3 }),
  ).format(rate);

export const inches = (count: number): string =>
  texts.value.height(count, Math.floor(count / 12), count % 12);

/** How long ago, in the two largest units; null for less than a minute. */
export function since(instant: string): string | null {
  const minutes = Math.floor((now.value - Date.parse(instant)) / 60_000);
  const { duration } = texts.value;
  if (minutes < 1) return null;
  if (minutes < 60) return duration.minutes(minutes);
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return duration.hours(hours, minutes % 60);
  return duration.days(Math.floor(hours / 24), hours % 24);
}

export function today(): string {
  const date = new Date(now.value);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

export interface Address {
  readonly street: string;
  readonly street2?: string | undefined;
  readonly city: string;
  readonly state: string;
  readonly zip: string;
}

export const lines = ({ street, street2, city, state, zip }: Address): string[] => [
  street2 === undefined ? street : `${street}, ${street2}`,
  `${city}, ${state} ${zip}`,
];

const onApple = /iPhone|iPad|Macintosh/.test(navigator.userAgent);

/** Opens the map that the device has. */
export function mapLink(address: Address): string {
  const place = encodeURIComponent(lines(address).join(', '));
  return onApple
    ? `https://maps.apple.com/?q=${place}`
    : `https://www.google.com/maps/search/?api=1&query=${place}`;
}

/** A number that can be dialled; letters, dots and extensions confuse telephones. */
export function dialled(phone: string): string {
  const [main = ''] = phone.split(/[x#;,]|ext/i);
  const digits = main.replace(/\D/g, '');
  if (main.trim().startsWith('+')) return `+${digits}`;
  if (digits.length === 10) return `+1${digits}`;
  return digits.length === 11 && digits.startsWith('1') ? `+${digits}` : digits;
}
