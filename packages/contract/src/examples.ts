import { accountExamples } from './account-examples.ts';
import type { AdjusterResponse, InviteAdjusterBody, KeyInfo } from './adjuster.ts';
import type {
  AppClaim,
  AppInvitation,
  Availability,
  Deadline,
  Device,
  DevicePreferencesBody,
  Membership,
  Profile,
  ReportErrorBody,
  Session,
  UpdateAvailabilityBody,
} from './app.ts';
import type { ClaimResponse, OfferClaimBody, SendClaimBody } from './claim.ts';
import { boardExamples } from './desk/board-examples.ts';
import { DESK_EXAMPLES } from './desk/examples.ts';
import { READINESS_EXAMPLE } from './desk/readiness.ts';
import type { Example } from './example.ts';
import type { EndpointId } from './operations.ts';
import { makeProblem, type Problem } from './problems.ts';
import { EXAMPLE_RECEIPT } from './receipt.ts';
import type { DepartedAdjuster, SimulatedFaults, SimulateFaultsBody } from './sandbox.ts';

// Examples for the documentation and tests. People, firms and numbers are fictitious.

const CLAIM_ID = '0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10';
const FIRM = { id: '5d0c2c1e-9f0d-4c6c-9a2b-6a1f0f4f7b21', name: 'Gulf Adjusting Partners' } as const;

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

const sentClaim = {
  id: CLAIM_ID,
  test: false,
  created_at: '2026-08-29T14:52:07.113Z',
  updated_at: '2026-08-29T14:52:07.113Z',
  assignment: { status: 'pending_acceptance', adjuster_svc_id, responded_at: null, rejection_reason: null },
  ...structuredClone(surgeFields),
  additional_contacts: [...surgeFields.additional_contacts],
} satisfies ClaimResponse;

const rejectedClaim = {
  ...sentClaim,
  updated_at: '2026-08-29T15:04:11.208Z',
  assignment: {
    status: 'rejected',
    adjuster_svc_id,
    responded_at: '2026-08-29T15:04:11.208Z',
    rejection_reason: 'Too far from my other files.',
  },
} satisfies ClaimResponse;

const acceptedClaim = {
  ...sentClaim,
  updated_at: '2026-08-29T15:04:11.208Z',
  assignment: {
    status: 'accepted',
    adjuster_svc_id,
    responded_at: '2026-08-29T15:04:11.208Z',
    rejection_reason: null,
  },
} satisfies ClaimResponse;

const pendingAdjuster = {
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
} satisfies AdjusterResponse;

const activeAdjuster = {
  ...pendingAdjuster,
  status: 'active',
  name: 'Jean-Luc Delacroix',
  email: 'jean.delacroix@example.com',
  expires_at: null,
  responded_at: '2026-08-20T16:41:30.052Z',
} satisfies AdjusterResponse;

const TEST_ACCOUNT = 'test_5d0c2c1e_accepts';

const testClaim = (changes: Partial<ClaimResponse['assignment']>) =>
  ({
    ...sentClaim,
    test: true,
    updated_at: '2026-08-29T15:04:11.208Z',
    assignment: { ...sentClaim.assignment, adjuster_svc_id: TEST_ACCOUNT, ...changes },
  }) satisfies ClaimResponse;

const testAccount = {
  ...activeAdjuster,
  svc_id: TEST_ACCOUNT,
  test: true,
  name: 'Test Accepts',
  email: 'accepts@test.example.com',
  invited_as: null,
  invited_by: null,
  purpose: null,
} satisfies AdjusterResponse;

const unansweredInvitation = { ...testAccount, name: null, email: null } satisfies AdjusterResponse;

const membership = {
  firm_id: FIRM.id,
  firm_name: FIRM.name,
  can_accept_claims: true,
  accepting_assignments: true,
} satisfies Membership;

const profile = {
  svc_id: 'SVC-7F3K-Delacroix',
  test: false,
  first_name: 'Jean-Luc',
  last_name: 'Delacroix',
  email: 'jean.delacroix@example.com',
  firms: [membership],
  availability: { accepting_assignments: true, away: [], max_open_offers: null },
} satisfies Profile;

const account = accountExamples({
  email: profile.email,
  deviceName: 'Safari on iPhone',
  passkey: { name: 'iPhone', last_used_at: '2026-08-29T14:52:07.113Z' },
});

const invitation = {
  firm_id: FIRM.id,
  firm_name: FIRM.name,
  invited_as: 'Jean Delacroix',
  invited_at: '2026-08-20T13:00:00.000Z',
  expires_at: '2026-08-27T13:00:00.000Z',
  missing_profile_fields: ['email'],
} satisfies AppInvitation;

const offeredClaim = {
  ...sentClaim,
  firm: FIRM,
  offered_at: '2026-08-29T14:52:07.113Z',
  work: { version: '6f1bW5m8Qx0pTz2c' },
  closed_at: null,
} satisfies AppClaim;

const acceptedAppClaim = {
  ...offeredClaim,
  updated_at: acceptedClaim.updated_at,
  assignment: acceptedClaim.assignment,
} satisfies AppClaim;

const claimWithWork = {
  ...acceptedAppClaim,
  work: {
    version: 'q1ZKTs4sSVWyUjIy',
    contact_date: '2026-08-30',
    inspection_date: '2026-09-02',
    notes: 'Water line 14 inches in the den.',
  },
} satisfies AppClaim;

const claimPath = { id: CLAIM_ID };
const testAccountPath = { svc_id: TEST_ACCOUNT };
const firmPath = { firm_id: FIRM.id };
const devicePath = { device_id: 'c4a1b6de-52c8-4b0e-a9b0-9a3c1f7d2e60' };
const idempotencyHeader = { 'idempotency-key': '6f1f4c0e-6c0b-4a2f-9d57-8f3f3f0a1c22' };

/** A request and its response for each operation. */
export const EXAMPLES: { readonly [Id in EndpointId]: Example } = {
  ...DESK_EXAMPLES,
  ...boardExamples({
    body: surgeClaim,
    headers: idempotencyHeader,
    sent: sentClaim,
    invited: pendingAdjuster,
    member: activeAdjuster,
    receipt: { receipt: EXAMPLE_RECEIPT },
  }),
  listClaims: {
    search: 'updated_since=2026-08-29T14%3A30%3A00Z&assignment_status=rejected&limit=100',
    response: { data: [rejectedClaim], next_cursor: null },
  },
  sendClaim: { headers: idempotencyHeader, body: surgeClaim, response: sentClaim },
  getClaim: { params: claimPath, response: acceptedClaim },
  getReceipt: { params: claimPath, response: { receipt: EXAMPLE_RECEIPT } },
  offerClaim: {
    params: claimPath,
    headers: idempotencyHeader,
    body: { adjuster_svc_id: 'SVC-2M9D-Whitcomb' } satisfies OfferClaimBody,
    response: {
      ...sentClaim,
      updated_at: '2026-08-29T15:20:45.671Z',
      assignment: { ...sentClaim.assignment, adjuster_svc_id: 'SVC-2M9D-Whitcomb' },
    } satisfies ClaimResponse,
  },
  inviteAdjuster: {
    body: {
      svc_id: 'SVC-7F3K-Delacroix',
      invited_as: 'Jean Delacroix',
      invited_by: 'Priya Natarajan',
      purpose: 'Hurricane deployment, Lee County',
    } satisfies InviteAdjusterBody,
    response: pendingAdjuster,
  },
  listAdjusters: { search: 'limit=50', response: { data: [activeAdjuster], next_cursor: null } },
  withdrawInvitation: {
    params: { svc_id: 'SVC-7F3K-Delacroix' },
    response: { ...pendingAdjuster, status: 'withdrawn', expires_at: null } satisfies AdjusterResponse,
  },
  getKeyInfo: {
    response: {
      key: { id: 'key_01980a5e-2f10-7c3d-8e21-5b9a7d4c6f02', environment: 'live' },
      firm: FIRM,
      scopes: ['claims:create', 'claims:read', 'claims:write', 'adjusters:read', 'adjusters:write'],
    } satisfies KeyInfo,
  },
  getHealth: { response: {} },
  acceptTestClaim: {
    params: claimPath,
    response: testClaim({ status: 'accepted', responded_at: '2026-08-29T15:04:11.208Z' }),
  },
  rejectTestClaim: {
    params: claimPath,
    body: { reason: 'Too far from my other files.' },
    response: testClaim({
      status: 'rejected',
      responded_at: '2026-08-29T15:04:11.208Z',
      rejection_reason: 'Too far from my other files.',
    }),
  },
  closeTestClaim: { params: claimPath, response: testClaim({}) },
  acceptTestInvitation: { params: testAccountPath, response: testAccount },
  declineTestInvitation: {
    params: testAccountPath,
    response: { ...unansweredInvitation, status: 'declined' } satisfies AdjusterResponse,
  },
  expireTestInvitation: {
    params: testAccountPath,
    response: { ...unansweredInvitation, status: 'expired', responded_at: null } satisfies AdjusterResponse,
  },
  departTestAdjuster: {
    params: testAccountPath,
    response: { svc_id: TEST_ACCOUNT, status: 'left' } satisfies DepartedAdjuster,
  },
  pauseTestAdjuster: { params: testAccountPath, response: testAccount },
  resumeTestAdjuster: { params: testAccountPath, response: testAccount },
  suspendTestAdjuster: { params: testAccountPath, response: testAccount },
  reinstateTestAdjuster: { params: testAccountPath, response: testAccount },
  simulateFaults: {
    body: { kind: 'dropped', count: 2 } satisfies SimulateFaultsBody,
    response: { kind: 'dropped', count: 2 } satisfies SimulatedFaults,
  },
  clearFaults: { response: { kind: null, count: 0 } satisfies SimulatedFaults },
  checkReadiness: { response: READINESS_EXAMPLE },
  ...account,
  signIn: {
    ...account.signIn,
    response: {
      token: 'svc_app_EXAMPLE',
      expires_at: '2026-11-27T14:52:07.113Z',
      adjuster: profile,
    } satisfies Session,
  },
  getProfile: { response: profile },
  updateProfile: { body: { first_name: 'Jean-Luc' }, response: profile },
  updateAvailability: {
    body: {
      away: [{ first_day: '2026-09-07', last_day: '2026-09-11', time_zone: 'America/Chicago' }],
      max_open_offers: 10,
    } satisfies UpdateAvailabilityBody,
    response: {
      accepting_assignments: true,
      away: [{ first_day: '2026-09-07', last_day: '2026-09-11', time_zone: 'America/Chicago' }],
      max_open_offers: 10,
    } satisfies Availability,
  },
  listDeadlines: {
    response: {
      data: [
        {
          kind: 'proof_of_loss',
          from: 'loss',
          hours: 1440,
          source: 'Standard Flood Insurance Policy, VII.G',
          events: [{ cat_code: 'FL26-09', hours: 8760, source: 'FEMA bulletin W-26009' }],
        } satisfies Deadline,
      ],
      next_cursor: null,
    },
  },
  confirmEmail: { body: { code: '402913' }, response: profile },
  listInvitations: { response: { data: [invitation], next_cursor: null } },
  acceptInvitation: { params: firmPath, response: membership },
  declineInvitation: {
    params: firmPath,
    response: {
      firm_id: FIRM.id,
      firm_name: FIRM.name,
      status: 'declined',
      responded_at: '2026-08-20T16:41:30.052Z',
    },
  },
  updateMembership: {
    params: firmPath,
    body: { accepting_assignments: false },
    response: { ...membership, accepting_assignments: false } satisfies Membership,
  },
  getSharing: { params: firmPath, response: { clocks: true, credentials: false, work_area: false } },
  updateSharing: {
    params: firmPath,
    body: { clocks: true },
    response: { clocks: true, credentials: false, work_area: false },
  },
  leaveFirm: { params: firmPath },
  listOfferedClaims: {
    search: 'status=pending_acceptance',
    response: { data: [offeredClaim], next_cursor: null },
  },
  getOfferedClaim: { params: claimPath, response: offeredClaim },
  getOfferReceipt: { params: claimPath, response: { receipt: EXAMPLE_RECEIPT } },
  acceptClaim: {
    params: claimPath,
    body: { offered_at: offeredClaim.offered_at },
    response: acceptedAppClaim,
  },
  rejectClaim: {
    params: claimPath,
    body: { reason: 'Too far from my other files.', offered_at: offeredClaim.offered_at },
    response: { ...offeredClaim, assignment: rejectedClaim.assignment } satisfies AppClaim,
  },
  updateWork: {
    params: claimPath,
    body: {
      based_on: offeredClaim.work.version,
      contact_date: '2026-08-30',
      inspection_date: '2026-09-02',
      notes: 'Water line 14 inches in the den.',
    },
    response: claimWithWork,
  },
  logContact: {
    params: { ...claimPath, contact_id: 'c4a1b6de-52c8-4b0e-a9b0-9a3c1f7d2e60' },
    body: { at: '2026-08-30T15:05:00.000Z', result: 'left_message', note: 'Call back after 5 p.m.' },
    response: {
      ...claimWithWork,
      work: {
        ...claimWithWork.work,
        contacts: [
          {
            id: 'c4a1b6de-52c8-4b0e-a9b0-9a3c1f7d2e60',
            at: '2026-08-30T15:05:00.000Z',
            result: 'left_message',
            note: 'Call back after 5 p.m.',
          },
        ],
      },
    } satisfies AppClaim,
  },
  closeClaim: {
    params: claimPath,
    response: { ...claimWithWork, closed_at: '2026-09-14T20:10:44.731Z' } satisfies AppClaim,
  },
  reportError: {
    body: {
      screen: 'claim',
      error: 'TypeError',
      places: 'index-Crw7ccqE.js:1:4711',
    } satisfies ReportErrorBody,
  },
  getDevice: {
    params: devicePath,
    response: {
      device_id: devicePath.device_id,
      endpoint: 'https://push.example.net/send/c1KrmpTuRm',
    } satisfies Device,
  },
  registerDevice: {
    params: devicePath,
    body: {
      subscription: {
        endpoint: 'https://push.example.net/send/c1KrmpTuRm',
        expirationTime: null,
        keys: {
          p256dh: 'BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM',
          auth: 'tBHItJI5svbpez7KI4CCXg',
        },
      },
    },
  },
  setDevicePreferences: {
    params: devicePath,
    body: {
      time_zone: 'America/Chicago',
      quiet_hours: { start: '21:00', end: '06:30' },
      deadline_reminders: true,
    } satisfies DevicePreferencesBody,
  },
  testDevice: { params: devicePath },
  unregisterDevice: { params: devicePath },
};

/** A rejected claim with several validation errors. */
export const EXAMPLE_PROBLEM: Problem = makeProblem('validation_failed', {
  docsUrl: 'https://example.com/docs',
  requestId: '01980a5e-4c7f-7b3e-9d8a-0f6c2b1a7e55',
  errors: [
    {
      detail: 'This header is required: printable text of 1 to 255 characters.',
      header: 'Idempotency-Key',
    },
    {
      detail: 'Must be a valid calendar date (YYYY-MM-DD).',
      pointer: '/loss/date',
    },
    {
      detail: 'Must be one of the 72 flood zones, in uppercase without leading zeros; did you mean A8?',
      pointer: '/building/flood_zone',
    },
  ],
});
