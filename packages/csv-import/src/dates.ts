import { type DATE_ORDERS, isCalendarDate } from '@svc/contract';

export type DateOrder = (typeof DATE_ORDERS)[number];

/** How the dates of a column are written, as far as it shows. */
export interface ColumnDates {
  readonly order: DateOrder | 'unclear';
  /** Years of two digits are certain. */
  readonly hasShortYears: boolean;
  /** Each date is the number of a day, as spreadsheets keep it. */
  readonly hasSerials: boolean;
}

interface DateValue {
  readonly value?: string;
  readonly detail?: string;
}

const ISO_DATE = /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ]00:00(?::00(?:\.0+)?)?(?:[Zz]|[+-]\d{2}:\d{2})?)?$/;
/** As mainframes, databases and people write a day whose parts are certain. */
const COMPACT_DATE = /^(19\d{2}|20\d{2})(?:(\d{2})(\d{2})|\/(\d{1,2})\/(\d{1,2}))$/;
const DAY_MONTH_YEAR = /^(\d{1,2})[ -]?([a-z]{3,9})\.?[ -]?(\d{4}|\d{2})$/i;
const MONTH_DAY_YEAR = /^([a-z]{3,9})\.? (\d{1,2}),? (\d{4})$/i;
const MONTHS = [
  ...['january', 'february', 'march', 'april', 'may', 'june', 'july'],
  ...['august', 'september', 'october', 'november', 'december'],
];
const MIDNIGHT = '(?: 0?0:00(?::00)?(?: ?[AP]M)?| 12:00(?::00)? ?AM)?';
const SLASH_DATE = new RegExp(`^(\\d{1,2})[/.-](\\d{1,2})[/.-](\\d{4}|\\d{2})${MIDNIGHT}$`, 'i');
/** From 1982 to 2064. */
const SERIAL = /^([3-5]\d{4})(?:\.0)?$/;
const DAY_MS = 86_400_000;
/** Day 0 of spreadsheets, which have a day too many in 1900. */
const FIRST_DAY = Date.UTC(1899, 11, 30);

/** Buildings may be older, so that a year of two digits may be of either century. */
const OLD_DATES = new Set(['building.construction_date', 'building.firm_date']);

/** As text, so that no time zone can move a date. A time of day is left out only if it is midnight. */
export function dateOf(text: string, dates: ColumnDates): DateValue {
  const iso = ISO_DATE.exec(text);
  if (iso !== null) return { value: `${iso[1]}-${iso[2]}-${iso[3]}` };
  const named = namedDate(text, dates.hasShortYears);
  if (named !== null) return { value: named };
  const serial = SERIAL.exec(text);
  if (serial !== null && dates.hasSerials)
    return { value: new Date(FIRST_DAY + Number(serial[1]) * DAY_MS).toISOString().slice(0, 10) };
  const parts = SLASH_DATE.exec(text);
  // The API's check names what is meant.
  if (parts === null || (parts[3]?.length === 2 && !dates.hasShortYears)) return { value: text };
  const [, one = '', other = '', written = ''] = parts;
  const year = written.length === 2 ? `20${written}` : written;
  const { order } = dates;
  if (order === 'unclear')
    return {
      detail: `In this column the month may be first or second: choose month first (mdy) or day first (dmy), or write ${year}-MM-DD.`,
    };
  const [month, day] = order === 'mdy' ? [one, other] : [other, one];
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isCalendarDate(date)
    ? { value: date }
    : { detail: `Is not a date with the ${order === 'mdy' ? 'month' : 'day'} first, as in this column.` };
}

/** A date that shows which of its parts is the month; null: it is another text. */
function namedDate(text: string, hasShortYears: boolean): string | null {
  const isoOf = (year = '', month = '', day = ''): string | null => {
    const date = `${year.length === 2 ? `20${year}` : year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
    return isCalendarDate(date) && (year.length === 4 || hasShortYears) ? date : null;
  };
  const monthOf = (name = ''): string => {
    const lower = name.toLowerCase();
    const isIt = (month: string): boolean =>
      lower === month || lower === month.slice(0, 3) || (lower === 'sept' && month === 'september');
    return String(MONTHS.findIndex(isIt) + 1);
  };
  const [, year, month, day, otherMonth, otherDay] = COMPACT_DATE.exec(text) ?? [];
  if (year !== undefined) return isoOf(year, month ?? otherMonth, day ?? otherDay);
  const first = DAY_MONTH_YEAR.exec(text);
  if (first !== null) return isoOf(first[3], monthOf(first[2]), first[1]);
  const second = MONTH_DAY_YEAR.exec(text);
  return second === null ? null : isoOf(second[3], monthOf(second[1]), second[2]);
}

/**
 * From the dates that can be read one way only. With years of two digits, the day first could be a year first, so only the
 * month first shows; an order that a person has named is certain.
 */
export function datesOf(path: string, cells: readonly string[], named: DateOrder | undefined): ColumnDates {
  const written = cells.filter((cell) => cell !== '');
  const hasSerials = written.length > 0 && written.every((cell) => SERIAL.test(cell));
  let [monthFirst, dayFirst, isShort] = [false, false, false];
  for (const cell of written) {
    const [, one, other, year] = SLASH_DATE.exec(cell) ?? [];
    monthFirst ||= Number(other) > 12;
    dayFirst ||= Number(one) > 12;
    isShort ||= year?.length === 2;
  }
  const shown = monthFirst === dayFirst ? 'unclear' : monthFirst ? 'mdy' : 'dmy';
  const order = named ?? (isShort && shown === 'dmy' ? 'unclear' : shown);
  return { order, hasSerials, hasShortYears: !OLD_DATES.has(path) };
}

/** Spreadsheets make 1900 of a missing date. */
const FIRST_YEAR = 1968;
const PAST = new Set(['loss.date', 'reported_date']);

/** @param today also where it is later already. */
export function implausibleDate(path: string, date: string, today: string | undefined): string | null {
  if (OLD_DATES.has(path) || !isCalendarDate(date)) return null;
  if (Number(date.slice(0, 4)) < FIRST_YEAR)
    return `Is before ${FIRST_YEAR}, when the National Flood Insurance Program began.`;
  return today !== undefined && PAST.has(path) && date > today ? 'Is in the future.' : null;
}
