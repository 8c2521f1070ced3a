import { expect, it } from '@jest/globals';
import { endpoints, parseRequest, smallestClaim } from '@svc/contract';
import {
  type ApiResponse,
  type BuildingInput,
  type Claim,
  type Client,
  createClient,
  isCode,
  type ListPage,
  type NewClaim,
  type PolicyholderInput,
} from '../src/index.ts';

const errorsOf = (claim: NewClaim): readonly (string | undefined)[] => {
  const headers = { 'idempotency-key': 'k' };
  const parsed = parseRequest(endpoints.sendClaim, { headers, body: claim });
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

it('a call is awaited for its result, its response or a page, each with its type', () => {
  const uses = async ({ claims, health, invitations }: Client) => {
    const claim: Claim = await claims.get('id');
    const response: ApiResponse<Claim> = await claims.send(smallestClaim).withResponse();
    const page: ListPage<Claim> = await claims.list();
    const next: readonly Claim[] = (await page.getNextPage()).items;
    for await (const { id } of claims.list()) id satisfies string;
    const nothing: ApiResponse<void> = await health().withResponse();
    // @ts-expect-error a page is not an array
    page satisfies readonly Claim[];
    // @ts-expect-error a response is not its result
    response satisfies Claim;
    // @ts-expect-error an id, not an object
    invitations.withdraw({ svc_id: 'A' });
    // @ts-expect-error fields of a request have the names of the API
    claims.offer('id', { adjusterSvcId: 'A' });
    return [claim, next, nothing];
  };
  // @ts-expect-error the platform is replaced in the SDK's own tests only
  const create = () => createClient({}, {});
  expect([uses, create]).toHaveLength(2);
});

it('isCode narrows an error to its code', () => {
  const error: unknown = new Error('other');
  if (isCode(error, 'duplicate_claim')) {
    error.code satisfies 'duplicate_claim';
    error.existingClaimId satisfies string | null;
    // @ts-expect-error another code
    error.code satisfies 'not_found';
  }
  expect(isCode(error, 'duplicate_claim')).toBe(false);
});
