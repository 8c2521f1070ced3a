// The wire must not move when a word of the rules does, so each has its own lists. Here is where they meet.
import { expect, test } from '@jest/globals';
import * as wire from '@svc/contract';
import * as rules from '@svc/domain';

test.each([
  ['environments', wire.ENVIRONMENTS, rules.ENVIRONMENTS],
  ['scopes', wire.SCOPES, rules.SCOPES],
  ['statuses of an assignment', wire.ASSIGNMENT_STATUSES, rules.ASSIGNMENT_STATUSES],
  // A firm no longer sees who has left.
  ['statuses of an adjuster', [...wire.ADJUSTER_STATUSES, 'left'], rules.MEMBERSHIP_STATUSES],
] as const)('the wire and the rules know the same %s', (_, sent, known) => {
  expect([...sent].sort()).toEqual([...known].sort());
});

test('the wire and the rules call the same text blank', () => {
  const characters = Array.from({ length: 0x110000 }, (_, point) => String.fromCodePoint(point));
  expect(characters.filter(wire.isBlank)).toEqual(characters.filter(rules.isBlank));
});

test('what the interface document says of limits is what keys are held to', () => {
  expect(rules.DEFAULT_LIMITS).toEqual(wire.RATES);
});

test('the wire and the rules put each building in the same class', () => {
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
