import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkPolicyTerm } from '../src/index.ts';

const day = fc
  .date({ min: new Date('1968-08-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

describe('the policy term', () => {
  test.each([
    ['2026-01-01', '2027-01-01', true],
    ['2026-01-01', '2026-01-01', true],
    ['2026-01-01', '2025-12-31', false],
    ['2025-12-31', '2026-01-01', true],
    ['2024-02-29', '2024-02-28', false],
    [undefined, '2020-01-01', true],
    ['2026-01-01', undefined, true],
    [undefined, undefined, true],
  ])('from %s to %s is valid: %s', (effective, expiration, valid) => {
    expect(checkPolicyTerm(effective, expiration) === null).toBe(valid);
  });

  test('is rejected with both dates', () => {
    const error = checkPolicyTerm('2026-01-01', '2025-12-31');
    expect(error).toBe('The policy would expire on 2025-12-31, before it takes effect on 2026-01-01.');
  });

  test('is compared in calendar order', () => {
    fc.assert(
      fc.property(day, day, (effective, expiration) => {
        const valid = Date.parse(expiration) >= Date.parse(effective);
        expect(checkPolicyTerm(effective, expiration) === null).toBe(valid);
      }),
    );
  });
});
