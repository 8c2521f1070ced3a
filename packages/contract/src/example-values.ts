import type { AdjusterResponse } from './adjuster.ts';
import type { ClaimResponse, SendClaimBody } from './claim.ts';

// Values of the examples for the documentation and tests. People, firms and numbers are fictitious.

export const CLAIM_ID = '0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10';
export const FIRM = { id: '5d0c2c1e-9f0d-4c6c-9a2b-6a1f0f4f7b21', name: 'Gulf Adjusting Partners' } as const;

/** The required fields only. */
export const smallestClaim = {
  external_id: 'CMS-2026-004418',
  claim_number: 'FL26-0093185',
  adjuster_svc_id: 'SVC-7F3K-Delacroix',
  loss: { date: '2026-08-27' },
  policy: { number: '87-4410029317-2025' },
  carrier: { name: 'Palmetto Mutual Insurance' },
  loss_location: { street: '88 Mangrove Court', city: 'Sanibel', state: 'FL', zip: '33957' },
  policyholder: { company_name: 'Gulf Shore Rentals LLC', phone: '239-555-0163' },
} as const satisfies SendClaimBody;

/** A storm surge at a house on the coast, with the fields that a firm usually has. */
export const surgeClaim = {
  external_id: 'CMS-2026-004417',
  claim_number: 'FL26-0093184',
  adjuster_svc_id: 'SVC-7F3K-Delacroix',
  file_number: 'FN-88213',
  instructions: 'Gate code 4471. Call the tenant before you come; the owner lives out of state.',
  reported_date: '2026-08-28',
  contact_date: '2026-08-28',
  loss: {
    date: '2026-08-27',
    peril: 'flood',
    time: '04:30',
    cause: 'tidal_water_overflow',
    description: 'Storm surge entered the ground floor through the garage and the lanai doors.',
    cat_code: '2643',
    fico_number: '712',
    exterior_water_depth_inches: 38,
    interior_water_depth_inches: 14,
    water_duration_hours: 9,
  },
  policy: {
    number: '87-4410029316-2025',
    effective_date: '2026-03-14',
    expiration_date: '2027-03-14',
    original_effective_date: '2019-03-14',
    form_type: 'dwelling',
    program_type: 'regular',
    naic_number: '10064',
  },
  carrier: {
    name: 'Palmetto Mutual Insurance',
    phone: '813-555-0100',
    email: 'claims@palmetto.example.com',
    address: { street: '200 Harbor Plaza, Suite 900', city: 'Tampa', state: 'FL', zip: '33602' },
  },
  loss_location: {
    street: '1420 Seagrape Lane',
    city: 'Fort Myers Beach',
    county: 'Lee',
    state: 'FL',
    zip: '33931-4207',
  },
  policyholder: {
    first_name: 'Marisol',
    last_name: 'Delgado',
    phone: '312-555-0142',
    email: 'marisol.delgado@example.com',
    mailing_address: { street: '3310 N Clark St', city: 'Chicago', state: 'IL', zip: '60657' },
  },
  additional_contacts: [{ first_name: 'Ray', last_name: 'Okafor', phone: '239-555-0121', role: 'Tenant' }],
  agent: { company_name: 'Estero Bay Insurance', phone: '239-555-0170', agency_number: 'A-20417' },
  mortgagee: { company_name: 'First Coast Mortgage', loan_number: '0048812237' },
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
    building_replacement_cost: 312480.55,
    building_settlement_basis: 'replacement_cost',
  },
  estimate: { contents_tax_rate: 0.065, overhead_rate: 0.1, profit_rate: 0.1, price_list: 'FLFM8X_AUG26' },
} as const satisfies SendClaimBody;

/** A river flood at a shop: a company, a non-residential building, a legal description instead of a street. */
export const riverClaim = {
  external_id: 'CMS-2026-004502',
  claim_number: 'VT26-0001937',
  adjuster_svc_id: 'SVC-2M9D-Whitcomb',
  loss: { date: '2026-07-11', cause: 'stream_river_lake_overflow', interior_water_depth_inches: 47 },
  policy: { number: '41-0072213390-2026', form_type: 'general_property' },
  carrier: { name: 'Green Mountain Fire & Casualty' },
  loss_location: {
    street: 'Lot 7, Block 2, Millrace Subdivision',
    city: 'Barre',
    county: 'Washington',
    state: 'VT',
    zip: '05641',
  },
  policyholder: {
    first_name: 'Tobias',
    last_name: 'Lindqvist',
    company_name: 'Millrace Hardware',
    email: 'office@millrace.example.com',
  },
  building: {
    occupancy_type: 'non_residential_building',
    building_type: 'commercial_building',
    firm_status: 'pre_firm',
    flood_zone: 'A8',
    construction_type: 'framed',
  },
} as const satisfies SendClaimBody;

const { adjuster_svc_id, ...surgeFields } = surgeClaim;

export const sentClaim: ClaimResponse = {
  id: CLAIM_ID,
  test: false,
  created_at: '2026-08-29T14:52:07.113Z',
  updated_at: '2026-08-29T14:52:07.113Z',
  assignment: { status: 'pending_acceptance', adjuster_svc_id, responded_at: null, rejection_reason: null },
  ...structuredClone(surgeFields),
  additional_contacts: [...surgeFields.additional_contacts],
};

export const rejectedClaim: ClaimResponse = {
  ...sentClaim,
  updated_at: '2026-08-29T15:04:11.208Z',
  assignment: {
    status: 'rejected',
    adjuster_svc_id,
    responded_at: '2026-08-29T15:04:11.208Z',
    rejection_reason: 'Too far from my other files.',
  },
};

export const acceptedClaim: ClaimResponse = {
  ...sentClaim,
  updated_at: '2026-08-29T15:04:11.208Z',
  assignment: {
    status: 'accepted',
    adjuster_svc_id,
    responded_at: '2026-08-29T15:04:11.208Z',
    rejection_reason: null,
  },
};

export const pendingAdjuster: AdjusterResponse = {
  svc_id: 'SVC-7F3K-Delacroix',
  status: 'pending',
  test: false,
  name: null,
  email: null,
  invited_at: '2026-08-20T13:00:00.000Z',
  expires_at: '2026-08-27T13:00:00.000Z',
  responded_at: null,
  invited_as: 'Jean Delacroix',
  invited_by: 'Priya Natarajan',
  purpose: 'Hurricane deployment, Lee County',
  note: null,
};

export const activeAdjuster: AdjusterResponse = {
  ...pendingAdjuster,
  status: 'active',
  name: 'Jean-Luc Delacroix',
  email: 'jean.delacroix@example.com',
  expires_at: null,
  responded_at: '2026-08-20T16:41:30.052Z',
};

export const TEST_ACCOUNT = 'test_5d0c2c1e_accepts';

export const testClaim = (changes: Partial<ClaimResponse['assignment']>) =>
  ({
    ...sentClaim,
    test: true,
    updated_at: '2026-08-29T15:04:11.208Z',
    assignment: { ...sentClaim.assignment, adjuster_svc_id: TEST_ACCOUNT, ...changes },
  }) satisfies ClaimResponse;

export const testAccount: AdjusterResponse = {
  ...activeAdjuster,
  svc_id: TEST_ACCOUNT,
  test: true,
  name: 'Test Accepts',
  email: 'accepts@test.example.com',
  invited_as: null,
  invited_by: null,
  purpose: null,
};

export const unansweredInvitation: AdjusterResponse = { ...testAccount, name: null, email: null };
