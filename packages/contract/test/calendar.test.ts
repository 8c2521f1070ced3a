import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isCalendarDate, readInstant } from '../src/calendar.ts';
import { dateTime } from '../src/fields.ts';

describe('a calendar date', () => {
  it.each(['0001-01-01', '9999-12-31', '2024-02-29', '2000-02-29', '2026-04-30', '2026-12-31'])(
    '%s exists',
    (date) => expect(isCalendarDate(date)).toBe(true),
  );

  it.each([
    ...['0000-01-01', '2023-02-29', '2023-02-30', '1900-02-29', '2026-04-31', '2026-00-10', '2026-13-01'],
    ...['2026-01-00', '2026-1-01', '26-01-01', '2026-01-01T00:00:00Z', ' 2026-01-01', '2026-01-01\n'],
    ...['+2026-01-01', '12026-01-01', '٢٠٢٦-٠١-٠١', ''],
  ])('%j does not', (date) => expect(isCalendarDate(date)).toBe(false));

  it('is valid exactly if the platform calendar has it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9999 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 31 }),
        (year, month, day) => {
          const moment = new Date(0);
          moment.setUTCFullYear(year, month - 1, day);
          const text = `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
          expect(isCalendarDate(text)).toBe(moment.getUTCMonth() === month - 1);
        },
      ),
    );
  });
});

it('a date-time is taken of years that are written with four digits, also in UTC', () => {
  const right = ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59-00:00'];
  const wrong = ['0001-01-01T00:00:00+00:01', '9999-12-31T23:59:59-00:01', '10000-01-01T00:00:00Z', 'now'];
  const field = dateTime({ description: '', example: '' });
  expect([...right, ...wrong].filter((text) => field.safeParse(text).success)).toEqual(right);
});

describe('a date-time', () => {
  it.each([
    ['2026-08-29T14:30:00Z', '2026-08-29T14:30:00.000Z'],
    ['2026-08-29t14:30:00z', '2026-08-29T14:30:00.000Z'],
    ['2026-08-29T10:30:00-04:00', '2026-08-29T14:30:00.000Z'],
    ['2026-08-29T23:59:00+23:59', '2026-08-29T00:00:00.000Z'],
    ['2026-08-29T14:30:00-00:00', '2026-08-29T14:30:00.000Z'],
    ['2026-08-29T14:30:00.5Z', '2026-08-29T14:30:00.500Z'],
    ['2026-08-29T14:30:00.123000000000Z', '2026-08-29T14:30:00.123Z'],
    ['2026-12-31T23:59:60Z', '2027-01-01T00:00:00.000Z'],
    ['2026-12-31T18:59:60-05:00', '2027-01-01T00:00:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
  ])('%s is %s', (sent, expected) => {
    expect(new Date(readInstant(sent) ?? Number.NaN).toISOString()).toBe(expected);
  });

  it('with fractions of a millisecond rounds up, so that "at or after" includes nothing earlier', () => {
    expect(readInstant('2026-08-29T14:30:00.1230001Z')).toBe(Date.parse('2026-08-29T14:30:00.124Z'));
    expect(readInstant('2026-08-29T14:30:00.9999Z')).toBe(Date.parse('2026-08-29T14:30:01.000Z'));
    expect(readInstant('2026-08-29T14:30:00.1239Z', 'down')).toBe(Date.parse('2026-08-29T14:30:00.123Z'));
  });

  const times =
    '14:30Z 14:30:00 24:00:00Z 14:60:00Z 14:30:61Z 14:30:60Z 14:30:00+24:00 14:30:00+02:60 14:30:00+0200 14:30:00.Z';

  it.each([
    ...times.split(' ').map((time) => `2026-08-29T${time}`),
    ...['2026-08-29', '2026-08-29 14:30:00Z', '2026-02-30T00:00:00Z', '2026-08-29T14:30:00Z '],
    ...['1787236200000', 'now', ''],
  ])('%j is none', (sent) => expect(readInstant(sent)).toBeNull());
});
