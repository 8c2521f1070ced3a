// FEMA's code lists, from the field descriptions that OpenFEMA publishes with the NFIP claims data set
// (https://www.fema.gov/api/open/v1/OpenFemaDataSetFields), and the API's values for them.
import type { BuildingType, LossCause, OccupancyType } from '@svc/contract';

/** One digit before Risk Rating 2.0, two digits since; both in one column. */
export const OCCUPANCIES: Readonly<Record<string, OccupancyType>> = {
  1: 'single_family_home',
  2: 'two_to_four_family_building',
  3: 'other_residential_building',
  4: 'non_residential_building',
  // A business, which the API does not distinguish from other non-residential buildings.
  6: 'non_residential_building',
  11: 'single_family_home',
  12: 'two_to_four_family_building',
  13: 'other_residential_building',
  14: 'residential_manufactured_home',
  15: 'residential_condominium_building',
  16: 'residential_unit',
  17: 'non_residential_manufactured_building',
  18: 'non_residential_building',
  19: 'non_residential_unit',
};

export const BUILDINGS: Readonly<Record<string, BuildingType | 'other'>> = {
  1: 'main_dwelling',
  2: 'detached_guest_house',
  3: 'detached_garage',
  4: 'agricultural_building',
  5: 'warehouse',
  6: 'recreation_building',
  7: 'storage_shed',
  8: 'other',
  9: 'barn',
  10: 'apartment_building',
  11: 'apartment_unit',
  12: 'cooperative_building',
  13: 'cooperative_unit',
  14: 'commercial_building',
  15: 'condominium_building',
  16: 'condominium_unit',
  17: 'house_of_worship',
  18: 'manufactured_home',
  19: 'travel_trailer',
  20: 'townhouse_rowhouse',
};

interface Cause {
  readonly words: string;
  /** Null for codes that describe claim handling. */
  readonly cause: LossCause | null;
  /** Whether the API's value has the same meaning. */
  readonly exact: boolean;
}

const cause = (words: string, name: LossCause, exact = true): Cause => ({ words, cause: name, exact });
const handling = (words: string): Cause => ({ words, cause: null, exact: false });

/** One character each; a claim can carry several, such as `2D`. */
export const CAUSES: Readonly<Record<string, Cause>> = {
  0: cause('other causes', 'other'),
  1: cause('tidal water overflow', 'tidal_water_overflow'),
  2: cause('stream, river or lake overflow', 'stream_river_lake_overflow'),
  3: cause('alluvial fan overflow', 'alluvial_fan_overflow'),
  4: cause('accumulation of rainfall or snowmelt', 'rainfall_snowmelt_accumulation'),
  // Both only for losses before September 23, 1995.
  7: cause('erosion: demolition', 'other', false),
  8: cause('erosion: removal', 'other', false),
  9: cause('earth movement, landslide, land subsidence, sinkholes', 'earth_movement'),
  A: cause('closed basin lake', 'closed_basin_lake'),
  B: handling('expedited handling without site inspection'),
  C: handling('expedited handling with a later site inspection'),
  D: handling('expedited handling by remote adjustment'),
};

/** US dollars. */
export const DEDUCTIBLES: Readonly<Record<string, number>> = {
  0: 500,
  1: 1000,
  2: 2000,
  3: 3000,
  4: 4000,
  5: 5000,
  9: 750,
  A: 10_000,
  B: 15_000,
  C: 20_000,
  D: 25_000,
  E: 50_000,
  F: 1250,
  G: 1500,
  H: 200,
};
