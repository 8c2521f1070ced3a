/** The nine occupancies of FEMA's Risk Rating 2.0, by class. */
export const OCCUPANCY_CLASSES = {
  single_family_home: 'residential',
  residential_manufactured_home: 'residential',
  residential_unit: 'residential',
  two_to_four_family_building: 'residential',
  other_residential_building: 'residential',
  residential_condominium_building: 'residential',
  non_residential_building: 'non_residential',
  non_residential_manufactured_building: 'non_residential',
  non_residential_unit: 'non_residential',
} as const satisfies Record<string, BuildingClass>;

/** OpenFEMA's building description codes by class; "other" is split in two. */
export const BUILDING_TYPE_CLASSES = {
  main_dwelling: 'residential',
  detached_guest_house: 'residential',
  apartment_building: 'residential',
  apartment_unit: 'residential',
  cooperative_building: 'residential',
  cooperative_unit: 'residential',
  condominium_building: 'residential',
  condominium_unit: 'residential',
  townhouse_rowhouse: 'residential',
  other_residential: 'residential',
  detached_garage: 'non_residential',
  agricultural_building: 'non_residential',
  warehouse: 'non_residential',
  recreation_building: 'non_residential',
  storage_shed: 'non_residential',
  barn: 'non_residential',
  commercial_building: 'non_residential',
  house_of_worship: 'non_residential',
  manufactured_home: 'non_residential',
  travel_trailer: 'non_residential',
  other_non_residential: 'non_residential',
} as const satisfies Record<string, BuildingClass>;

export type BuildingClass = 'residential' | 'non_residential';
export type OccupancyType = keyof typeof OCCUPANCY_CLASSES;
export type BuildingType = keyof typeof BUILDING_TYPE_CLASSES;

/**
 * A building type must be of its occupancy's class, and residential when no occupancy was sent.
 *
 * @returns null when the pair is valid, else an error message for the sender.
 */
export function checkBuildingPair(
  occupancy: OccupancyType | undefined,
  buildingType: BuildingType | undefined,
): string | null {
  if (buildingType === undefined) return null;
  const required = occupancy === undefined ? 'residential' : OCCUPANCY_CLASSES[occupancy];
  if (BUILDING_TYPE_CLASSES[buildingType] === required) return null;
  const allowed = Object.entries(BUILDING_TYPE_CLASSES)
    .filter(([, buildingClass]) => buildingClass === required)
    .map(([type]) => type)
    .join(', ');
  const reason =
    occupancy === undefined
      ? 'no occupancy_type was sent, so the building type must be a residential one'
      : `occupancy_type ${occupancy} requires a ${required === 'residential' ? 'residential' : 'non-residential'} building type`;
  // In the form's vocabulary the type "manufactured_home" is non-residential, which most senders do not expect.
  const hint =
    buildingType === 'manufactured_home'
      ? ' For a residential manufactured home, send residential_manufactured_home with main_dwelling.'
      : '';
  return `${buildingType} does not match this occupancy: ${reason} (${allowed}).${hint}`;
}
