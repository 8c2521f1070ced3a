// Contract and domain have separate lists, so that a rename in the domain cannot change the API. These tests compare them.
import { expect, test } from '@jest/globals';
import * as wire from '@svc/contract';
import * as rules from '@svc/domain';

test.each([
  ['environments', wire.ENVIRONMENTS, rules.ENVIRONMENTS],
  ['scopes', wire.SCOPES, rules.SCOPES],
  ['statuses of an assignment', wire.ASSIGNMENT_STATUSES, rules.ASSIGNMENT_STATUSES],
  // Firms do not see adjusters who left.
  ['statuses of an adjuster', [...wire.ADJUSTER_STATUSES, 'left'], rules.MEMBERSHIP_STATUSES],
] as const)('contract and domain have the same %s', (_, sent, known) => {
  expect([...sent].sort()).toEqual([...known].sort());
});

test('contract and domain treat the same characters as blank', () => {
  const characters = Array.from({ length: 0x110000 }, (_, point) => String.fromCodePoint(point));
  expect(characters.filter(wire.isBlank)).toEqual(characters.filter(rules.isBlank));
});

test('the documented rate limits are the default limits of keys', () => {
  expect(rules.DEFAULT_LIMITS).toEqual(wire.RATES);
});

test('contract and domain classify buildings and occupancies in the same way', () => {
  const classed = (residential: readonly string[], nonResidential: readonly string[]): object =>
    Object.fromEntries([
      ...residential.map((name) => [name, 'residential']),
      ...nonResidential.map((name) => [name, 'non_residential']),
    ]);
  expect(rules.BUILDING_TYPE_CLASSES).toEqual(
    classed(wire.RESIDENTIAL_BUILDING_TYPES, wire.NON_RESIDENTIAL_BUILDING_TYPES),
  );
  expect(rules.OCCUPANCY_CLASSES).toEqual(
    classed(wire.RESIDENTIAL_OCCUPANCY_TYPES, wire.NON_RESIDENTIAL_OCCUPANCY_TYPES),
  );
});
