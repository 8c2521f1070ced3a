import { describe, expect, test } from '@jest/globals';
import {
  BUILDING_TYPES,
  type BuildingType,
  checkBuildingPair,
  OCCUPANCY_TYPES,
  type OccupancyType,
} from '../src/index.ts';

// Listed again by hand to catch a mistake in the tables.
const RESIDENTIAL_OCCUPANCIES =
  'single_family_home residential_manufactured_home residential_unit two_to_four_family_building other_residential_building residential_condominium_building'.split(
    ' ',
  ) as OccupancyType[];
const OTHER_OCCUPANCIES =
  'non_residential_building non_residential_manufactured_building non_residential_unit'.split(
    ' ',
  ) as OccupancyType[];
const RESIDENTIAL_TYPES =
  'main_dwelling detached_guest_house apartment_building apartment_unit cooperative_building cooperative_unit condominium_building condominium_unit townhouse_rowhouse other_residential'.split(
    ' ',
  ) as BuildingType[];
const OTHER_TYPES =
  'detached_garage agricultural_building warehouse recreation_building storage_shed barn commercial_building house_of_worship manufactured_home travel_trailer other_non_residential'.split(
    ' ',
  ) as BuildingType[];

const occupancies = [...RESIDENTIAL_OCCUPANCIES, ...OTHER_OCCUPANCIES];
const types = [...RESIDENTIAL_TYPES, ...OTHER_TYPES];
const isAllowed = (occupancy: OccupancyType | undefined, type: BuildingType): boolean =>
  checkBuildingPair(occupancy, type) === null;

describe('occupancy and building type', () => {
  test('there are nine and twenty-one', () => {
    expect([...OCCUPANCY_TYPES].sort()).toEqual([...occupancies].sort());
    expect([...BUILDING_TYPES].sort()).toEqual([...types].sort());
  });

  test.each(occupancies)('%s allows exactly the building types of its class', (occupancy) => {
    const own = RESIDENTIAL_OCCUPANCIES.includes(occupancy) ? RESIDENTIAL_TYPES : OTHER_TYPES;
    expect(types.filter((type) => isAllowed(occupancy, type)).sort()).toEqual([...own].sort());
  });

  test('a building type alone must be residential', () => {
    expect(types.filter((type) => isAllowed(undefined, type)).sort()).toEqual([...RESIDENTIAL_TYPES].sort());
  });

  test('an occupancy alone, or neither, is allowed', () => {
    for (const occupancy of [...occupancies, undefined]) {
      expect(checkBuildingPair(occupancy, undefined)).toBeNull();
    }
  });

  test('the error for a residential manufactured home names the correct pair', () => {
    for (const occupancy of [undefined, 'residential_manufactured_home'] as const) {
      expect(checkBuildingPair(occupancy, 'manufactured_home')).toContain(
        'residential_manufactured_home with main_dwelling',
      );
    }
    for (const occupancy of OTHER_OCCUPANCIES)
      expect(checkBuildingPair(occupancy, 'manufactured_home')).toBeNull();
    expect(checkBuildingPair('single_family_home', 'barn')).not.toContain(
      'For a residential manufactured home',
    );
  });

  test.each([
    [
      'non_residential_unit',
      'townhouse_rowhouse',
      'occupancy_type non_residential_unit requires a non-residential building type',
      OTHER_TYPES,
    ],
    [
      'residential_unit',
      'barn',
      'occupancy_type residential_unit requires a residential building type',
      RESIDENTIAL_TYPES,
    ],
    [
      undefined,
      'barn',
      'no occupancy_type was sent, so the building type must be a residential one',
      RESIDENTIAL_TYPES,
    ],
  ] as const)(
    'the error gives the reason and the allowed building types: %s with %s',
    (occupancy, type, reason, allowed) => {
      expect(checkBuildingPair(occupancy, type)).toBe(
        `${type} does not match this occupancy: ${reason} (${allowed.join(', ')}).`,
      );
    },
  );
});
