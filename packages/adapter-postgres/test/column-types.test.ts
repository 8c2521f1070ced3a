import { expect, test } from '@jest/globals';
import { arrayOf, columnTypes, isUuid, timestamp } from '../src/driver/column-types.ts';

const TIMESTAMPTZ = 1184;
const parse = columnTypes.getTypeParser(TIMESTAMPTZ, 'text') as (text: string) => number;

test.each([
  ['2026-03-01 14:05:09.123+00', '2026-03-01T14:05:09.123Z'],
  ['2026-03-02 00:00:00+00', '2026-03-02T00:00:00.000Z'],
  ['2024-02-29 23:59:59.5+00', '2024-02-29T23:59:59.500Z'],
  ['2026-03-01 14:05:09.01+00', '2026-03-01T14:05:09.010Z'],
  ['0001-01-01 00:00:00+00', '0001-01-01T00:00:00.000Z'],
  ['0099-12-31 23:59:59.999+00', '0099-12-31T23:59:59.999Z'],
  ['9999-12-31 23:59:59.999+00', '9999-12-31T23:59:59.999Z'],
  ['2026-03-01 16:05:09.123+02', '2026-03-01T14:05:09.123Z'],
  ['2026-03-01 08:35:09.123-05:30', '2026-03-01T14:05:09.123Z'],
  ['1880-01-01 00:53:28+00:53:28', '1880-01-01T00:00:00.000Z'],
])('the timestamp %s is read as %s', (text, iso) => {
  expect(new Date(parse(text)).toISOString()).toBe(iso);
});

test('a filter outside the years of PostgreSQL is clamped to them', () => {
  expect(timestamp(Date.parse('0000-06-01T00:00:00Z'))).toBe('0001-01-01T00:00:00.000Z');
  expect(timestamp(Date.parse('+010000-06-01T00:00:00Z'))).toBe('9999-12-31T23:59:59.999Z');
});

test.each([
  ['a date', 1082, '2026-03-01', '2026-03-01'],
  ['JSON', 114, '{"a": 1.10}', '{"a": 1.10}'],
  ['a bigint', 20, '9223372036854775807', '9223372036854775807'],
  ['an integer', 23, '7', 7],
  ['a boolean', 16, 't', true],
])('%s is read without losing anything', (_, oid, text, expected) => {
  expect(columnTypes.getTypeParser(oid, 'text')(text)).toBe(expected);
});

test('an array has its nulls, and only a UUID is looked up as one', () => {
  expect(arrayOf(['a', null, 'b'])).toBe('{a,NULL,b}');
  const id = '0123abcd-4567-89ef-ABCD-0123456789ab';
  const others = [`${id}0`, `0${id}`, id.replace('-', ''), id.replace('a', 'g'), `${id}\n`, ''];
  expect([id, ...others].map(isUuid)).toEqual([true, ...others.map(() => false)]);
});
