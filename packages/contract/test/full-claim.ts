const address = { street: '200 Harbor Plaza', city: 'Tampa', state: 'FL', zip: '33602' };
const contact = {
  first_name: 'Ray',
  last_name: 'Okafor',
  company_name: 'Gulf Shore Rentals LLC',
  phone: '239-555-0121',
  email: 'ray@example.com',
  address,
};

/** A claim with every field. */
const FULL_CLAIM = JSON.stringify({
  external_id: 'CMS-1',
  claim_number: 'FL-1',
  adjuster_svc_id: 'SVC-1',
  loss: {
    date: '2024-09-26',
    peril: 'flood',
    time: '04:30',
    description: 'Storm surge entered through the garage.',
    cause: 'tidal_water_overflow',
    cat_code: '2643',
    fico_number: '712',
    exterior_water_depth_inches: 38,
    interior_water_depth_inches: 14,
    water_duration_hours: 9,
  },
  policy: {
    number: '87-4410029316-2025',
    effective_date: '2024-03-14',
    expiration_date: '2025-03-14',
    original_effective_date: '2019-03-14',
    form_type: 'dwelling',
    program_type: 'regular',
    naic_number: '10064',
  },
  carrier: { name: 'Palmetto Mutual', phone: '813-555-0100', email: 'claims@palmetto.example', address },
  loss_location: {
    street: '1420 Seagrape Lane',
    street2: 'Unit B',
    city: 'Fort Myers Beach',
    county: 'Lee',
    state: 'FL',
    zip: '33931-4207',
  },
  policyholder: { ...contact, mailing_address: address, alternate_phone: '239-555-0188' },
  file_number: 'FN-88213',
  instructions: 'Gate code 4471.',
  reported_date: '2024-09-28',
  contact_date: '2024-09-29',
  inspection_date: '2024-10-01',
  additional_contacts: [{ ...contact, role: 'Tenant' }],
  agent: { ...contact, agency_number: 'A-20417' },
  mortgagee: { ...contact, loan_number: '0048812237' },
  building: {
    occupancy_type: 'single_family_home',
    building_type: 'main_dwelling',
    firm_status: 'post_firm',
    firm_date: '1984-09-19',
    construction_date: '1996-05-01',
    flood_zone: 'AE',
    community_number: '120673',
    map_panel_number: '12071C0554G',
    construction_type: 'masonry',
    number_of_units: 1,
    first_floor_height_feet: 1,
    first_floor_height_inches: 6,
    flood_opening_count: 4,
  },
  coverages: {
    special_limits_cap: 2500,
    building_limit: 250000,
    contents_limit: 100000,
    building_deductible: 2000,
    contents_deductible: 2000,
    building_reserve: 45000,
    contents_reserve: 12500,
    building_advance_payment: 5000,
    contents_advance_payment: 1500,
    icc_limit: 30000,
    building_replacement_cost: 312480.55,
    building_actual_cash_value: 268900.4,
    contents_replacement_cost: 84200,
    contents_actual_cash_value: 51730.25,
    building_settlement_basis: 'replacement_cost',
  },
  estimate: {
    contents_tax_rate: 0.065,
    building_tax_rate: 0.07,
    overhead_rate: 0.1,
    profit_rate: 0.1,
    depreciation_rate: 0.15,
    price_list: 'FLFM8X_AUG26',
  },
});

type Body = Record<string, unknown>;

export const fullClaim = (): Body => JSON.parse(FULL_CLAIM) as Body;

/** The full claim with one value replaced at the pointer; undefined removes the field. */
export function fullWith(pointer: string, value: unknown): Body {
  const body = fullClaim();
  const names = pointer.slice(1).split('/');
  const last = names.pop() ?? '';
  const parent = names.reduce<Body>((at, name) => at[name] as Body, body);
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return body;
}
