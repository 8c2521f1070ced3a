import type { CalendarDate } from './ids.ts';
import {
  BUILDING_TYPES,
  type BuildingType,
  type OccupancyType,
  RESIDENTIAL_BUILDING_TYPES,
  RESIDENTIAL_OCCUPANCY_TYPES,
} from './vocabulary.ts';

type BuildingClass = 'residential' | 'non_residential';

const classOf = <Type extends string>(residential: readonly Type[], type: Type): BuildingClass =>
  residential.includes(type) ? 'residential' : 'non_residential';
const occupancyClass = (type: OccupancyType): BuildingClass =>
  classOf<OccupancyType>(RESIDENTIAL_OCCUPANCY_TYPES, type);
const buildingClass = (type: BuildingType): BuildingClass =>
  classOf<BuildingType>(RESIDENTIAL_BUILDING_TYPES, type);

/**
 * A building type must be of its occupancy's class, residential or not; residential when no occupancy was sent.
 * @returns null when the pair is valid, else an error message for the sender.
 */
export function checkBuildingPair(
  occupancy: OccupancyType | undefined,
  buildingType: BuildingType | undefined,
): string | null {
  if (buildingType === undefined) return null;
  const required = occupancy === undefined ? 'residential' : occupancyClass(occupancy);
  if (buildingClass(buildingType) === required) return null;
  const allowed = BUILDING_TYPES.filter((type) => buildingClass(type) === required).join(', ');
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

/**
 * A policy must not expire before it takes effect; the same day is allowed, and a single date is not checked.
 * @returns null when the term is valid, else an error message for the sender.
 */
export function checkPolicyTerm(
  effective: CalendarDate | undefined,
  expiration: CalendarDate | undefined,
): string | null {
  if (effective === undefined || expiration === undefined || expiration >= effective) return null;
  return `The policy would expire on ${expiration}, before it takes effect on ${effective}.`;
}
