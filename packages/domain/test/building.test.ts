import { describe, expect, test } from '@jest/globals';
import {
  BUILDING_TYPE_CLASSES,
  type BuildingType,
  checkBuildingPair,
  OCCUPANCY_CLASSES,
  type OccupancyType,
} from '../src/index.ts';

// By hand, so that a slip in the tables shows.
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
const stands = (occupancy: OccupancyType | undefined, type: BuildingType): boolean =>
  checkBuildingPair(occupancy, type) === null;

describe('occupancy and building type', () => {
  test('are nine and twenty-one', () => {
    expect(Object.keys(OCCUPANCY_CLASSES).sort()).toEqual([...occupancies].sort());
    expect(Object.keys(BUILDING_TYPE_CLASSES).sort()).toEqual([...types].sort());
  });

  test.each(occupancies)('%s takes every building type of its class and no other', (occupancy) => {
    const own = RESIDENTIAL_OCCUPANCIES.includes(occupancy) ? RESIDENTIAL_TYPES : OTHER_TYPES;
    expect(types.filter((type) => stands(occupancy, type)).sort()).toEqual([...own].sort());
  });

  test('make 189 pairs: 93 accepted, 96 refused', () => {
    const pairs = occupancies.flatMap((occupancy) => types.map((type) => stands(occupancy, type)));
    expect(pairs).toHaveLength(189);
    expect(pairs.filter(Boolean)).toHaveLength(93);
    expect(pairs.filter((accepted) => !accepted)).toHaveLength(96);
  });

  test('a building type alone must be residential', () => {
    expect(types.filter((type) => stands(undefined, type)).sort()).toEqual([...RESIDENTIAL_TYPES].sort());
  });

  test('an occupancy alone, or neither, stands', () => {
    for (const occupancy of [...occupancies, undefined]) {
      expect(checkBuildingPair(occupancy, undefined)).toBeNull();
    }
  });

  test('the refusal of a lived-in manufactured home names the pair that works', () => {
    for (const occupancy of [undefined, 'residential_manufactured_home'] as const) {
      expect(checkBuildingPair(occupancy, 'manufactured_home')).toContain(
        'residential_manufactured_home with main_dwelling',
      );
    }
    expect(checkBuildingPair('single_family_home', 'barn')).not.toContain('lived in');
  });

  test('a refusal lists what would have been accepted', () => {
    for (const type of OTHER_TYPES) {
      expect(checkBuildingPair('non_residential_unit', 'main_dwelling')).toContain(type);
    }
  });
});
