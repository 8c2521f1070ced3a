// Generates fictional claims: invented people and streets in real cities, with phone numbers reserved for fiction and
// example.com addresses.
import {
  FLOOD_ZONES,
  type FloodZone,
  type LossCause,
  NON_RESIDENTIAL_BUILDING_TYPES,
  NON_RESIDENTIAL_OCCUPANCY_TYPES,
  type OccupancyType,
  RESIDENTIAL_BUILDING_TYPES,
  type SendClaimBody,
} from '@svc/contract';
import { dateOf, dayOf } from './calendar-days.ts';
import { CARRIERS } from './carriers.ts';
import { AGENCIES, COMPANY_KINDS, FIRST_NAMES, LAST_NAMES, LENDERS, ROLES } from './people.ts';
import { MAILING_PLACES, PLACES, type Place, STREETS } from './places.ts';
import { type Random, randomAt, weighted } from './random.ts';

type Building = NonNullable<SendClaimBody['building']>;
type BuildingType = NonNullable<Building['building_type']>;
type Holder = SendClaimBody['policyholder'];

/** Not an account; name an adjuster of the firm to send the claims. */
export const SAMPLE_ADJUSTER = 'SVC-0000-Sample';

/** Causes by their share of NFIP claims since 1978; the remaining 8% are distributed evenly. */
const cause = weighted<LossCause>([
  ['rainfall_snowmelt_accumulation', 45],
  ['tidal_water_overflow', 26],
  ['stream_river_lake_overflow', 21],
  ['other', 5],
  ['earth_movement', 1.2],
  ['alluvial_fan_overflow', 1],
  ['closed_basin_lake', 0.8],
]);

const occupancy = weighted<OccupancyType>([
  ['single_family_home', 68],
  ['residential_unit', 8],
  ['two_to_four_family_building', 6],
  ['residential_condominium_building', 4],
  ['residential_manufactured_home', 4],
  ['other_residential_building', 2],
  ['non_residential_building', 6],
  ['non_residential_unit', 1.5],
  ['non_residential_manufactured_building', 0.5],
]);

const zone = weighted<FloodZone | 'any' | null>([
  ['AE', 48],
  ['X', 22],
  ['VE', 8],
  ['A', 4],
  ['AO', 2],
  ['AH', 2],
  ['D', 1],
  ['any', 11],
  // Often missing in older files.
  [null, 2],
]);

const usualBuilding: Partial<Record<OccupancyType, readonly BuildingType[]>> = {
  single_family_home: ['main_dwelling', 'main_dwelling', 'main_dwelling', 'townhouse_rowhouse'],
  residential_manufactured_home: ['main_dwelling'],
  residential_unit: ['condominium_unit', 'apartment_unit', 'cooperative_unit'],
  residential_condominium_building: ['condominium_building'],
  non_residential_manufactured_building: ['manufactured_home', 'travel_trailer'],
};

/** Flood events shared by many claims; other losses have no event. */
const EVENTS = [
  { day: dayOf('2024-08-05'), cat: '2441', fico: '698', name: 'a landfalling hurricane' },
  { day: dayOf('2024-09-26'), cat: '2447', fico: '701', name: 'a landfalling hurricane' },
  { day: dayOf('2024-10-09'), cat: '2451', fico: '702', name: 'a landfalling hurricane' },
  { day: dayOf('2025-04-04'), cat: '2518', fico: '705', name: 'days of heavy rain' },
  { day: dayOf('2025-07-04'), cat: '2533', fico: '707', name: 'a flash flood' },
  { day: dayOf('2025-08-30'), cat: '2541', fico: '709', name: 'a tropical storm' },
  { day: dayOf('2025-10-12'), cat: '2549', fico: '710', name: 'a nor’easter' },
  { day: dayOf('2026-08-27'), cat: '2643', fico: '712', name: 'a landfalling hurricane' },
] as const;
const FIRST_DAY = dayOf('2024-01-01');
const LAST_DAY = dayOf('2026-08-31');
const FIRST_MAPS = dayOf('1970-07-01');
const LAST_FIRST_MAPS = dayOf('1992-06-30');

const WHERE_THE_WATER_CAME_FROM: Readonly<Record<LossCause, string>> = {
  rainfall_snowmelt_accumulation: 'Rain stood in the street and came in under the doors',
  tidal_water_overflow: 'Storm surge came up through the garage',
  stream_river_lake_overflow: 'The river left its banks overnight',
  earth_movement: 'The slope behind the house slid after the rain',
  alluvial_fan_overflow: 'A debris flow came down the fan',
  closed_basin_lake: 'The lake rose and has not gone down',
  other: 'Water entered the ground floor',
};

const nonResidential: ReadonlySet<string> = new Set(NON_RESIDENTIAL_OCCUPANCY_TYPES);

/** Names in ASCII, for email addresses. */
const plain = (name: string): string =>
  name
    .replaceAll('ø', 'o')
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z]+/g, '');
const PLAIN_NAMES = new Map([...FIRST_NAMES, ...LAST_NAMES].map((name) => [name, plain(name)]));

/** The claim with this index in the seed's sequence. It depends on nothing else, so claims can be generated in any order. */
export function generateClaim(
  index: number,
  seed: number,
  adjuster: string = SAMPLE_ADJUSTER,
): SendClaimBody {
  if (!Number.isSafeInteger(index) || index < 0) throw new RangeError(`${index} is not a valid claim index`);
  if (!Number.isSafeInteger(seed) || seed < 0) throw new RangeError(`${seed} is not a valid seed`);
  const random = randomAt(seed, index);
  const serial = String(index).padStart(7, '0');
  const where = random.pick(PLACES);
  const use = occupancy(random);
  const company = nonResidential.has(use) || use === 'residential_condominium_building';

  const event = random.chance(0.6) ? random.pick(EVENTS) : null;
  const lossDay = event ? event.day + random.integer(0, 3) : random.integer(FIRST_DAY, LAST_DAY);
  const lossDate = dateOf(lossDay);
  const reportedDay = lossDay + Math.floor(random.next() ** 2 * 30);
  const carrier = random.pick(CARRIERS);

  return {
    external_id: `GEN-${seed}-${serial}`,
    claim_number: `${where.state}${lossDate.slice(2, 4)}-${seed}-${serial}`,
    adjuster_svc_id: adjuster,
    ...(random.chance(0.7) && { file_number: `FN-${random.integer(10_000, 99_999)}` }),
    ...(random.chance(0.35) && { instructions: instructionsAt(random) }),
    reported_date: dateOf(reportedDay),
    ...(random.chance(0.6) && { contact_date: dateOf(reportedDay + random.integer(0, 2)) }),
    ...(random.chance(0.3) && { inspection_date: dateOf(reportedDay + random.integer(2, 12)) }),
    loss: lossAt(random, lossDate, event),
    policy: policyAt(random, lossDay, use, company, carrier.naic),
    carrier: carrierAt(random, carrier),
    loss_location: {
      street: streetAt(random),
      ...(random.chance(0.12) && { street2: `Unit ${random.integer(1, 40)}` }),
      city: where.city,
      ...(random.chance(0.8) && { county: where.county }),
      state: where.state as SendClaimBody['loss_location']['state'],
      zip: zipAt(random, where),
    },
    policyholder: holderAt(random, where, company),
    ...(random.chance(0.15) && {
      additional_contacts: Array.from({ length: random.integer(1, 2) }, () => ({
        ...nameAt(random),
        phone: phoneAt(random, where.area),
        role: random.pick(ROLES),
      })),
    }),
    ...(random.chance(0.45) && {
      agent: {
        company_name: random.pick(AGENCIES),
        phone: phoneAt(random, where.area),
        agency_number: `A-${random.integer(10_000, 99_999)}`,
      },
    }),
    ...(random.chance(0.4) && {
      mortgagee: {
        company_name: random.pick(LENDERS),
        loan_number: String(random.integer(10_000_000, 999_999_999)).padStart(10, '0'),
      },
    }),
    building: buildingAt(random, use),
    coverages: coveragesAt(random, use),
    ...(random.chance(0.25) && {
      estimate: {
        building_tax_rate: random.integer(0, 95) / 1000,
        contents_tax_rate: random.integer(0, 95) / 1000,
        overhead_rate: 0.1,
        profit_rate: 0.1,
        depreciation_rate: random.integer(0, 60) / 100,
        price_list: `${where.state}${random.pick(['CO', 'GU', 'IN'])}8X_${lossDate.slice(2, 4)}Q${random.integer(1, 4)}`,
      },
    }),
  };
}

function lossAt(random: Random, date: string, event: (typeof EVENTS)[number] | null): SendClaimBody['loss'] {
  const from = cause(random);
  const outside = Math.floor(random.next() ** 2 * 96);
  return {
    date,
    peril: 'flood',
    ...(random.chance(0.3) && {
      time: `${String(random.integer(0, 23)).padStart(2, '0')}:${random.pick(['00', '15', '30', '45'])}`,
    }),
    cause: from,
    ...(random.chance(0.4) && {
      description: event
        ? `${WHERE_THE_WATER_CAME_FROM[from]} during ${event.name}.`
        : `${WHERE_THE_WATER_CAME_FROM[from]}.`,
    }),
    ...(event && { cat_code: event.cat, ...(random.chance(0.6) && { fico_number: event.fico }) }),
    ...(random.chance(0.7) && {
      exterior_water_depth_inches: outside,
      interior_water_depth_inches: random.integer(0, outside),
    }),
    ...(random.chance(0.4) && { water_duration_hours: random.integer(1, 120) }),
  };
}

function policyAt(
  random: Random,
  lossDay: number,
  use: OccupancyType,
  company: boolean,
  naic: string,
): SendClaimBody['policy'] {
  const firstDay = lossDay - random.integer(0, 364);
  const form =
    use === 'residential_condominium_building' ? 'rcbap' : company ? 'general_property' : 'dwelling';
  return {
    number: `${random.integer(10, 99)}-${random.integer(1_000_000_000, 9_999_999_999)}-${dateOf(firstDay).slice(0, 4)}`,
    ...(random.chance(0.9) && {
      effective_date: dateOf(firstDay),
      expiration_date: dateOf(firstDay + 365),
    }),
    ...(random.chance(0.4) && { original_effective_date: dateOf(firstDay - 365 * random.integer(0, 25)) }),
    ...(random.chance(0.8) && { form_type: form }),
    ...(random.chance(0.5) && { program_type: random.chance(0.98) ? 'regular' : 'emergency' }),
    ...(random.chance(0.5) && { naic_number: naic }),
  } as SendClaimBody['policy'];
}

/** Claims may omit carrier details or write the name in capitals. */
function carrierAt(random: Random, { name, phone, email, address }: (typeof CARRIERS)[number]) {
  const all = random.chance(0.75);
  return {
    name: random.chance(0.03) ? name.toUpperCase() : name,
    ...(phone !== undefined && (all || random.chance(0.5)) && { phone }),
    ...(email !== undefined && (all || random.chance(0.3)) && { email }),
    ...(address !== undefined && (all || random.chance(0.2)) && { address }),
  } as SendClaimBody['carrier'];
}

function holderAt(random: Random, where: Place, company: boolean): Holder {
  const person = nameAt(random);
  const mail = `${PLAIN_NAMES.get(person.first_name)}.${PLAIN_NAMES.get(person.last_name)}${random.integer(1, 999)}@example.com`;
  // At least one of phone and email is required.
  const reach = random.next();
  const away = random.chance(0.12) ? random.pick(MAILING_PLACES) : null;
  return {
    ...((!company || random.chance(0.4)) && person),
    ...(company && {
      company_name: `${random.chance(0.5) ? where.city : person.last_name} ${random.pick(COMPANY_KINDS)}`,
    }),
    ...(reach < 0.9 && { phone: phoneAt(random, (away ?? where).area) }),
    ...(reach > 0.35 && { email: mail }),
    ...(random.chance(0.15) && { alternate_phone: phoneAt(random, where.area) }),
    ...(away && {
      mailing_address: {
        street: streetAt(random),
        city: away.city,
        state: away.state,
        zip: zipAt(random, away),
      },
    }),
  } as Holder;
}

function buildingAt(random: Random, use: OccupancyType): Building {
  const listed = zone(random);
  const floodZone = listed === 'any' ? random.pick(FLOOD_ZONES) : listed;
  const business = nonResidential.has(use);
  const types: readonly BuildingType[] =
    (random.chance(0.85) && usualBuilding[use]) ||
    (business ? NON_RESIDENTIAL_BUILDING_TYPES : RESIDENTIAL_BUILDING_TYPES);
  const firmDay = random.integer(FIRST_MAPS, LAST_FIRST_MAPS);
  const year = 2024 - Math.floor(random.next() ** 1.5 * 134);
  return {
    ...(random.chance(0.96) && {
      occupancy_type: use,
      ...(random.chance(0.8) && { building_type: random.pick(types) }),
    }),
    ...(random.chance(0.85) && {
      firm_status: year <= 1974 || year < Number(dateOf(firmDay).slice(0, 4)) ? 'pre_firm' : 'post_firm',
    }),
    ...(random.chance(0.5) && { firm_date: dateOf(firmDay) }),
    construction_date: `${year}-${String(random.integer(1, 12)).padStart(2, '0')}-01`,
    ...(floodZone !== null && { flood_zone: floodZone }),
    ...(random.chance(0.7) && { community_number: String(random.integer(10_001, 789_999)).padStart(6, '0') }),
    ...(random.chance(0.5) && {
      map_panel_number: `${random.integer(10_000, 78_999)}C${String(random.integer(1, 2000)).padStart(4, '0')}${random.pick(['E', 'F', 'G', 'H'])}`,
    }),
    ...(random.chance(0.6) && { construction_type: random.pick(['framed', 'framed', 'masonry', 'other']) }),
    ...(random.chance(0.5) && { number_of_units: unitsAt(random, use) }),
    ...(random.chance(0.4) && {
      first_floor_height_feet: random.integer(0, 14),
      first_floor_height_inches: random.integer(0, 11),
    }),
    ...(random.chance(0.2) && { flood_opening_count: random.integer(0, 12) }),
  } as Building;
}

function unitsAt(random: Random, use: OccupancyType): number {
  if (use === 'two_to_four_family_building') return random.integer(2, 4);
  if (use === 'residential_condominium_building') return random.integer(4, 240);
  return use === 'other_residential_building' ? random.integer(5, 60) : 1;
}

/** The NFIP limit is 250,000 dollars for a house, and per unit for a condominium building. */
function coveragesAt(random: Random, use: OccupancyType): NonNullable<SendClaimBody['coverages']> {
  const most =
    use === 'residential_condominium_building' ? 12_500_000 : nonResidential.has(use) ? 500_000 : 250_000;
  const building = random.chance(0.4) ? most : hundreds(random, most / 10, most);
  const contents = hundreds(random, 0, Math.min(most, 500_000) * 0.4);
  const replacement = cents(random, building * 0.8, building * 2.2);
  const deductible = random.pick([1000, 1250, 1500, 2000, 2000, 5000, 10_000]);
  return {
    building_limit: building,
    contents_limit: contents,
    ...(random.chance(0.9) && { building_deductible: deductible, contents_deductible: deductible }),
    ...(random.chance(0.2) && { special_limits_cap: 2500 }),
    ...(random.chance(0.6) && { building_reserve: hundreds(random, 1000, building * 0.6) }),
    ...(random.chance(0.5) && { contents_reserve: hundreds(random, 0, contents * 0.6) }),
    ...(random.chance(0.15) && { building_advance_payment: random.pick([2500, 5000, 10_000, 20_000]) }),
    ...(random.chance(0.05) && { contents_advance_payment: random.pick([1000, 1500, 2500]) }),
    ...(random.chance(0.7) && { icc_limit: 30_000 }),
    ...(random.chance(0.4) && {
      building_replacement_cost: replacement,
      building_actual_cash_value: cents(random, replacement * 0.5, replacement),
    }),
    ...(random.chance(0.2) && {
      contents_replacement_cost: cents(random, 5000, 150_000),
      contents_actual_cash_value: cents(random, 1000, 90_000),
    }),
    ...(random.chance(0.6) && {
      building_settlement_basis: random.chance(0.7) ? 'replacement_cost' : 'actual_cash_value',
    }),
  } as NonNullable<SendClaimBody['coverages']>;
}

function instructionsAt(random: Random): string {
  return random.pick([
    `Gate code ${random.integer(1000, 9999)}. Call the tenant before you come; the owner lives out of state.`,
    'Power is off in the building. Bring lights.\nThe dog is friendly.',
    'El asegurado prefiere hablar español. Llamar después de las 5 p. m.',
    'Road access by boat until the causeway reopens.',
    'Second loss in three years: compare with the earlier file.',
    'Insured has removed wet carpet and drywall; photographs exist.',
  ]);
}

const hundreds = (random: Random, from: number, to: number): number =>
  random.integer(Math.ceil(from / 100), Math.floor(to / 100)) * 100;

const cents = (random: Random, from: number, to: number): number =>
  random.integer(Math.ceil(from * 100), Math.floor(to * 100)) / 100;

const nameAt = (random: Random): { first_name: string; last_name: string } => ({
  first_name: random.pick(FIRST_NAMES),
  last_name: random.pick(LAST_NAMES),
});

const streetAt = (random: Random): string => `${random.integer(1, 9899)} ${random.pick(STREETS)}`;

const zipAt = (random: Random, { zip }: Place): string =>
  random.chance(0.1) ? `${zip}-${String(random.integer(1, 9999)).padStart(4, '0')}` : zip;

/** 555-0100 to 555-0199 are reserved for fiction; written in several formats. */
function phoneAt(random: Random, area: string): string {
  const line = `01${String(random.integer(0, 99)).padStart(2, '0')}`;
  const style = random.next();
  if (style < 0.7) return `${area}-555-${line}`;
  return style < 0.85
    ? `(${area}) 555-${line}`
    : style < 0.95
      ? `${area}555${line}`
      : `+1 ${area} 555 ${line}`;
}
