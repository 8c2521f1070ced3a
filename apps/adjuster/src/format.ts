import { durationText } from './model/duration.ts';
import { now } from './state/clock.ts';
import { language, texts } from './state/language.ts';
import { localeOf } from './texts/language.ts';

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

/** A calendar date, which has no time zone. Creating an Intl format for it would delay the first list. */
export function day(date: string): string {
  const [year = 0, month = 0, dayOfMonth = 0] = date.split('-').map(Number);
  return texts.value.day(year, month - 1, dayOfMonth);
}

/** A date and time in the device's time zone; a line may break only between the two. */
export function dateTime(instant: string | number): string {
  const at = new Date(instant);
  return [texts.value.day(at.getFullYear(), at.getMonth(), at.getDate()), clockTime(instant)]
    .map((part) => part.replaceAll(' ', '\u00a0'))
    .join(', ');
}

export const clockTime = (instant: string | number): string =>
  formatter('clock', (locale) => new Intl.DateTimeFormat(locale, { timeStyle: 'short' })).format(
    new Date(instant),
  );

/** A time of day without a time zone, such as `04:30`. */
export const timeOfDay = (time: string): string =>
  formatter(
    'timeOfDay',
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

/** An amount without cents, for summaries. */
export const wholeMoney = (amount: number): string =>
  formatter(
    'wholeMoney',
    (locale) =>
      new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD', maximumFractionDigits: 0 }),
  ).format(amount);

export const inches = (count: number): string =>
  texts.value.height(count, Math.floor(count / 12), count % 12);

/** A distance in whole miles. */
export const miles = (count: number): string =>
  texts.value.miles(count < 10 ? count.toFixed(1) : count.toFixed(0));

/** How long ago; null for less than a minute. */
export const since = (instant: string): string | null => duration(now.value - Date.parse(instant));

export const duration = (ms: number): string | null => durationText(ms, texts.value.duration);

export function today(): string {
  const date = new Date(now.value);
  const twoDigits = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
}

interface Named {
  readonly first_name?: string | undefined;
  readonly last_name?: string | undefined;
  readonly company_name?: string | undefined;
}

/** A person's name, or the company's where there is none. */
export function nameOf({ first_name, last_name, company_name }: Named): string {
  const person = [first_name, last_name].filter(Boolean).join(' ');
  return person === '' ? (company_name ?? '') : person;
}

export const titleOf = ({ policyholder }: { readonly policyholder: Named }): string => nameOf(policyholder);

export interface Address {
  readonly street: string;
  readonly street2?: string | undefined;
  readonly city: string;
  readonly state: string;
  readonly zip: string;
}

export const addressLines = ({ street, street2, city, state, zip }: Address): string[] => [
  street2 === undefined ? street : `${street}, ${street2}`,
  `${city}, ${state} ${zip}`,
];

export const addressText = (address: Address): string => addressLines(address).join(', ');
