import type { Instant } from '@svc/domain';
import pg from 'pg';

const EARLIEST = Date.parse('0001-01-01T00:00:00.000Z');
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');

/** An instant as PostgreSQL reads it. Filters may name the year 0 or 10000, which it does not know: the nearest counts. */
export const timestamp = (at: Instant): string =>
  new Date(Math.min(Math.max(at, EARLIEST), LATEST)).toISOString();

export const timestampOrNull = (at: Instant | null): string | null => (at === null ? null : timestamp(at));

const DAY_LENGTH = '2026-03-01'.length;
const ZERO = 48;
const digit = (text: string, at: number): number => text.charCodeAt(at) - ZERO;
const twoDigits = (text: string, at: number): number => digit(text, at) * 10 + digit(text, at + 1);

/** The day that was read last, and when it began: the times of a page are of few days. */
let day = '';
let dayBegan = Number.NaN;

/** `2026-03-01 14:05:09.123+00`; the offset is that of the session's time zone, in the distant past with seconds. */
function instant(text: string): Instant {
  if (!text.endsWith('+00')) return instantElsewhere(text);
  const itsDay = text.slice(0, DAY_LENGTH);
  if (itsDay !== day) {
    dayBegan = Date.parse(`${itsDay}T00:00:00Z`);
    day = itsDay;
  }
  const seconds = (twoDigits(text, 11) * 60 + twoDigits(text, 14)) * 60 + twoDigits(text, 17);
  let ms = 0;
  // PostgreSQL leaves out zeros at the end.
  for (let at = 20, worth = 100; worth >= 1 && at < text.length - 3; at += 1, worth /= 10) {
    ms += digit(text, at) * worth;
  }
  return dayBegan + seconds * 1000 + ms;
}

function instantElsewhere(text: string): Instant {
  const found = /^(\S+) ([\d:.]+)([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?$/.exec(text);
  if (found === null) return Number.NaN;
  const [, date, time, sign, hours, minutes = '0', seconds = '0'] = found;
  const offset = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
  return Date.parse(`${date}T${time}Z`) - (sign === '-' ? -offset : offset);
}

const asText = (text: string): string => text;

const TIMESTAMPTZ = 1184;
/** Left as text: a date belongs to no time zone, JSON is passed through to the letter, bigints are no numbers. */
const TEXTS = new Set<number>([pg.types.builtins.DATE, pg.types.builtins.JSON, pg.types.builtins.INT8]);

/** How columns arrive here. Handed to our own connections only; the driver's global registry stays as it is. */
export const columnTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (format !== 'binary') {
      if (oid === TIMESTAMPTZ) return instant;
      if (TEXTS.has(oid)) return asText;
    }
    return pg.types.getTypeParser(oid, format as 'text');
  }) as pg.CustomTypesConfig['getTypeParser'],
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** What is no uuid is the id of nothing; PostgreSQL would call it an error. */
export const isUuid = (text: string): boolean => UUID.test(text);
