import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { toDateTime, toDateTimeOrNull } from '../src/index.ts';

describe('a serialized time', () => {
  test('equals Date.toISOString, in any order of calls', () => {
    const instants = fc.integer({
      min: Date.parse('0001-01-01T00:00:00Z'),
      max: Date.parse('9999-12-31T23:59:59.999Z'),
    });
    fc.assert(
      fc.property(instants, (instant) => expect(toDateTime(instant)).toBe(new Date(instant).toISOString())),
    );
  });

  test.each([
    '1969-12-31T23:59:59.999Z',
    '1970-01-01T00:00:00.000Z',
    '2024-02-29T23:59:59.999Z',
    '2024-03-01T00:00:00.000Z',
  ])('is correct at the boundary of a day: %s', (text) => {
    expect(toDateTime(Date.parse(text))).toBe(text);
  });
});

test('a missing time is serialized as null', () => {
  expect(toDateTimeOrNull(null)).toBeNull();
  expect(toDateTimeOrNull(0)).toBe('1970-01-01T00:00:00.000Z');
});
