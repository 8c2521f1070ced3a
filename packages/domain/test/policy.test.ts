import { describe, expect, test } from '@jest/globals';
import { checkPolicyTerm } from '../src/index.ts';

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
});
