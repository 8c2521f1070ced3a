import { toDateTime } from '@svc/application';
import type { Instant } from '@svc/domain';
import pg from 'pg';

const EARLIEST = Date.parse('0001-01-01T00:00:00.000Z');
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');

/** Clamped: filters may name the year 0 or 10000, which PostgreSQL rejects. */
export const timestamp = (at: Instant): string => toDateTime(Math.min(Math.max(at, EARLIEST), LATEST));

export const timestampOrNull = (at: Instant | null): string | null => (at === null ? null : timestamp(at));

/** An array of values that need no quotes. Faster than an array of the driver, which checks each element for that. */
export const arrayOf = (values: readonly (string | null)[]): string =>
  `{${values.map((value) => value ?? 'NULL').join(',')}}`;

const ZERO = '0'.charCodeAt(0);
const digit = (text: string, at: number): number => text.charCodeAt(at) - ZERO;
const twoDigits = (text: string, at: number): number => digit(text, at) * 10 + digit(text, at + 1);

/**
 * `2026-03-01 14:05:09.123+00`, as PostgreSQL writes a timestamptz(3) in a UTC session. Reading the digits takes 0.4 µs,
 * `Date.parse` 0.9 µs; a page of 200 claims has some 800 of them.
 */
function parseTimestamp(text: string): Instant {
  // `Date.UTC` takes the years 0 to 99 for 1900 to 1999.
  if (!text.endsWith('+00') || text.startsWith('00')) return parseTimestampWithOffset(text);
  let ms = 0;
  // PostgreSQL omits trailing zeros of the fraction.
  for (let at = 20, unit = 100; at < text.length - 3; at += 1, unit /= 10) {
    ms += digit(text, at) * unit;
  }
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  return Date.UTC(
    year,
    month - 1,
    twoDigits(text, 8),
    twoDigits(text, 11),
    twoDigits(text, 14),
    twoDigits(text, 17),
    ms,
  );
}

/** Any session time zone; the offset of a date in the distant past has seconds. */
function parseTimestampWithOffset(text: string): Instant {
  const match = /^(\S+) ([\d:.]+)([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?$/.exec(text);
  if (match === null) return Number.NaN;
  const [, date, time, sign, hours, minutes = '0', seconds = '0'] = match;
  const offsetMs = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
  return Date.parse(`${date}T${time}Z`) - (sign === '-' ? -offsetMs : offsetMs);
}

const asText = (text: string): string => text;

const TIMESTAMPTZ = 1184;
/** Kept as text: a date has no time zone, JSON is returned as it was stored, a bigint may exceed a number. */
const TEXT_TYPES = new Set<number>([pg.types.builtins.DATE, pg.types.builtins.JSON, pg.types.builtins.INT8]);

/** Parsers of column values for the connections of this package; the driver's global ones stay unchanged. */
export const columnTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (format !== 'binary') {
      if (oid === TIMESTAMPTZ) return parseTimestamp;
      if (TEXT_TYPES.has(oid)) return asText;
    }
    return pg.types.getTypeParser(oid, format as 'text');
  }) as pg.CustomTypesConfig['getTypeParser'],
};

export const NIL_UUID = '00000000-0000-0000-0000-000000000000';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Checked before a query: PostgreSQL reports an error for a text that is not a UUID, where nothing is found. */
export const isUuid = (text: string): boolean => UUID.test(text);
