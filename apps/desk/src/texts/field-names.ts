import type { Language } from '@svc/web-app/texts/languages';
import { fieldNamesEs } from './fields-es.ts';

/** Parts of the paths of fields whose names are others than their words. */
const fieldNamesEn = {
  external_id: 'your id of the claim',
  adjuster_svc_id: 'adjuster (SVCID, name or email)',
  cat_code: 'CAT code',
  fico_number: 'FICO number',
  exterior_water_depth_inches: 'water depth outside (inches)',
  interior_water_depth_inches: 'water depth inside (inches)',
  water_duration_hours: 'hours of water',
  form_type: 'form',
  program_type: 'program',
  naic_number: 'NAIC number',
  zip: 'ZIP code',
  street2: 'apartment or unit',
  alternate_phone: 'other phone',
  reported_date: 'reported on',
  contact_date: 'contacted on',
  inspection_date: 'inspected on',
  occupancy_type: 'occupancy',
  building_type: 'type',
  firm_status: 'before or after the FIRM',
  firm_date: 'date of the FIRM',
  construction_date: 'date of construction',
  construction_type: 'kind of construction',
  first_floor_height_feet: 'height of the first floor (feet)',
  first_floor_height_inches: 'height of the first floor (inches)',
  flood_opening_count: 'flood openings',
  special_limits_cap: 'cap of special limits',
  icc_limit: 'ICC limit',
  last_first_name: 'whole name, such as REYES, ANA',
};

/** Not among the texts, which are part of the first load: only screens that are loaded later show them. */
export const FIELD_NAMES: Readonly<Record<Language, Readonly<Record<string, string>>>> = {
  en: fieldNamesEn,
  es: fieldNamesEs,
};

/** The path of a field in words, such as "Loss location: ZIP code". */
export function fieldLabel(
  path: readonly string[],
  names: Readonly<Record<string, string>>,
  separator = ': ',
): string {
  const text = path.map((part) => names[part] ?? part.replaceAll('_', ' ')).join(separator);
  return text.charAt(0).toUpperCase() + text.slice(1);
}
