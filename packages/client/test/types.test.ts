import { expect, it } from '@jest/globals';
import { endpoints, parseRequest, smallestClaim } from '@svc/contract';
import { sendClaimRules } from '../../../apps/api/src/http/routes/send-claim-rules.ts';
import type { BuildingInput, Claim, NewClaim, PolicyholderInput } from '../src/index.ts';

const errorsOf = (claim: NewClaim): readonly (string | undefined)[] => {
  const headers = { 'idempotency-key': 'k' };
  const parsed = parseRequest(endpoints.sendClaim, { headers, body: claim }, sendClaimRules);
  return parsed.ok ? [] : parsed.errors.map((error) => ('pointer' in error ? error.pointer : undefined));
};
const withBuilding = (building: BuildingInput): NewClaim => ({ ...smallestClaim, building });
const withPolicyholder = (policyholder: PolicyholderInput): NewClaim => ({ ...smallestClaim, policyholder });

it('the compiler accepts valid claims', () => {
  const claims: NewClaim[] = [
    smallestClaim,
    withBuilding({}),
    withBuilding({ flood_zone: 'A30', building_type: 'main_dwelling' }),
    withBuilding({ occupancy_type: 'single_family_home' }),
    withBuilding({ occupancy_type: 'single_family_home', building_type: 'main_dwelling' }),
    withBuilding({ occupancy_type: 'non_residential_unit', building_type: 'barn' }),
    withPolicyholder({ first_name: 'Ana', last_name: 'Reyes', phone: '352-555-0142' }),
    withPolicyholder({ company_name: 'Reyes LLC', email: 'ana@example.com' }),
    withPolicyholder({
      ...{ first_name: 'Ana', last_name: 'Reyes', company_name: 'Reyes LLC' },
      ...{ phone: '352-555-0142', email: 'ana@example.com' },
    }),
    { ...smallestClaim, agent: { company_name: 'Estero Bay Insurance' }, file_number: undefined },
  ].map((claim) => JSON.parse(JSON.stringify(claim)));
  expect(claims.map(errorsOf)).toEqual(claims.map(() => []));
});

it('the compiler rejects claims that the service would reject', () => {
  const claims: [NewClaim, string][] = [
    // @ts-expect-error an unknown zone
    [withBuilding({ flood_zone: 'A31' }), '/building/flood_zone'],
    // @ts-expect-error a zone in lowercase
    [withBuilding({ flood_zone: 'ae' }), '/building/flood_zone'],
    // @ts-expect-error an unknown value of an enum
    [withBuilding({ construction_type: 'wood' }), '/building/construction_type'],
    // @ts-expect-error a misspelled field
    [withBuilding({ flood_zones: 'AE' }), '/building/flood_zones'],
    [
      // @ts-expect-error a residential occupancy with a non-residential building
      withBuilding({ occupancy_type: 'single_family_home', building_type: 'barn' }),
      '/building/building_type',
    ],
    // @ts-expect-error a non-residential building without an occupancy
    [withBuilding({ building_type: 'barn' }), '/building/building_type'],
    // @ts-expect-error no way to reach the policyholder
    [withPolicyholder({ company_name: 'Reyes LLC' }), '/policyholder'],
    // @ts-expect-error no name
    [withPolicyholder({ phone: '352-555-0142' }), '/policyholder'],
    // @ts-expect-error half a name
    [withPolicyholder({ first_name: 'Ana', phone: '352-555-0142' }), '/policyholder/last_name'],
    [
      // @ts-expect-error an unknown state
      { ...smallestClaim, loss_location: { ...smallestClaim.loss_location, state: 'Florida' } },
      '/loss_location/state',
    ],
    // @ts-expect-error a number as text
    [{ ...smallestClaim, building: { number_of_units: '2' } }, '/building/number_of_units'],
  ];
  expect(claims.map(([claim]) => errorsOf(claim))).toEqual(claims.map(([, pointer]) => [pointer]));
});

it('responses may have values that were added later', () => {
  const zone: NonNullable<Claim['building']>['flood_zone'] = 'A-NEW';
  const status: Claim['assignment']['status'] = 'expired';
  expect([zone, status]).toEqual(['A-NEW', 'expired']);
});
