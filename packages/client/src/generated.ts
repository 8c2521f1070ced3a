// Generated from the contract by `pnpm client-types`; a test fails when it is out of date.

/** A value that is known today, or another that the service adds later. */
type Open<Known extends string> = Known | (string & {});

/** A first and last name, a company name, or all three. */
type Named =
  | { first_name: string; last_name: string }
  | { company_name: string; first_name?: undefined; last_name?: undefined };

/** A phone number, an email address, or both. */
type Reachable = { phone: string } | { email: string };

/** Both of the same class; without an occupancy, the building is residential. */
type OccupancyPair =
  | { occupancy_type: ResidentialOccupancyType; building_type?: ResidentialBuildingType | undefined }
  | { occupancy_type: NonResidentialOccupancyType; building_type?: NonResidentialBuildingType | undefined }
  | { occupancy_type?: undefined; building_type?: ResidentialBuildingType | undefined };

export type ResidentialOccupancyType =
  | 'single_family_home'
  | 'residential_manufactured_home'
  | 'residential_unit'
  | 'two_to_four_family_building'
  | 'other_residential_building'
  | 'residential_condominium_building';

export type NonResidentialOccupancyType =
  | 'non_residential_building'
  | 'non_residential_manufactured_building'
  | 'non_residential_unit';

export type ResidentialBuildingType =
  | 'main_dwelling'
  | 'detached_guest_house'
  | 'apartment_building'
  | 'apartment_unit'
  | 'cooperative_building'
  | 'cooperative_unit'
  | 'condominium_building'
  | 'condominium_unit'
  | 'townhouse_rowhouse'
  | 'other_residential';

export type NonResidentialBuildingType =
  | 'detached_garage'
  | 'agricultural_building'
  | 'warehouse'
  | 'recreation_building'
  | 'storage_shed'
  | 'barn'
  | 'commercial_building'
  | 'house_of_worship'
  | 'manufactured_home'
  | 'travel_trailer'
  | 'other_non_residential';

/** A postal address. All four fields are required. */
export interface Address {
  /** Street and house number. Example: `"1420 Seagrape Lane"`. */
  street: string;
  /** City or town. Example: `"Fort Myers Beach"`. */
  city: string;
  /** Two-letter USPS code of the state, territory or military region. Example: `"FL"`. */
  state: Open<MailingState>;
  /** Five-digit ZIP code or ZIP+4, as a string. Example: `"33931-4207"`. */
  zip: string;
}

/** A postal address. All four fields are required. */
export interface AddressInput {
  /** Street and house number. 1 to 255 characters. Example: `"1420 Seagrape Lane"`. */
  street: string;
  /** City or town. 1 to 100 characters. Example: `"Fort Myers Beach"`. */
  city: string;
  /** Two-letter USPS code of the state, territory or military region. */
  state: MailingState;
  /** Five-digit ZIP code or ZIP+4, as a string. Example: `"33931-4207"`. */
  zip: string;
}

/** A member of the firm, or an invitation. */
export interface Adjuster {
  /** The adjuster's SVCID. Example: `"SVC-7F3K-Delacroix"`. */
  svc_id: string;
  /** Status of the invitation or membership. More values may be added. Example: `"active"`. */
  status: AdjusterStatus;
  /** Whether this is one of the firm's test accounts. */
  test: boolean;
  /** Name from the adjuster's account; null until the adjuster accepts. Example: `"Jean Delacroix"`. */
  name: string | null;
  /** Email from the adjuster's account; null until the adjuster accepts. Example: `"jean.delacroix@example.com"`. */
  email: string | null;
  /** Time of the invitation; null for a member added without one. Example: `"2026-08-20T13:00:00.000Z"`. */
  invited_at: string | null;
  /** When the invitation expires; null unless it is pending. Example: `"2026-08-27T13:00:00.000Z"`. */
  expires_at: string | null;
  /** When the adjuster accepted or declined; null without a response. Example: `"2026-08-20T16:41:30.052Z"`. */
  responded_at: string | null;
  /** The firm's name for the adjuster; null if not sent. Example: `"Jean Delacroix"`. */
  invited_as: string | null;
  /** Who invited the adjuster; null if not sent. Example: `"Priya Natarajan"`. */
  invited_by: string | null;
  /** Purpose of the invitation; null if not sent. Example: `"Hurricane deployment, Lee County"`. */
  purpose: string | null;
  /** The note; null if not sent. Example: `"Certified for large losses."`. */
  note: string | null;
}

/** A page of a list. */
export interface AdjusterPage {
  /** The items of this page, in order. */
  data: readonly Adjuster[];
  /** Send it as cursor to get the next page; null on the last page. Example: `"eyJ2IjoxfQ.c2lnbmVk"`. */
  next_cursor: string | null;
}

/** Status of the invitation or membership. More values may be added. Example: `"active"`. */
export type AdjusterStatus = Open<'pending' | 'active' | 'declined' | 'expired' | 'withdrawn'>;

/** Agent or agency on the policy: a first and last name, a company name, or all three. */
export interface Agent {
  /** First name; requires last_name. Example: `"Marisol"`. */
  first_name?: string;
  /** Last name; requires first_name. Example: `"Delgado"`. */
  last_name?: string;
  /** Company name. Example: `"Gulf Shore Rentals LLC"`. */
  company_name?: string;
  /** Phone number with at least one digit; an extension fits. Example: `"239-555-0142"`. */
  phone?: string;
  /** Email address. Example: `"marisol.delgado@example.com"`. */
  email?: string;
  /** Postal address. All four fields are required. */
  address?: Address;
  /** The agency's number with the carrier. Example: `"A-20417"`. */
  agency_number?: string;
}

interface AgentInputFields {
  /** First name; requires last_name. 1 to 100 characters. Example: `"Marisol"`. */
  first_name?: string | undefined;
  /** Last name; requires first_name. 1 to 100 characters. Example: `"Delgado"`. */
  last_name?: string | undefined;
  /** Company name. 1 to 255 characters. Example: `"Gulf Shore Rentals LLC"`. */
  company_name?: string | undefined;
  /** Phone number with at least one digit; an extension fits. 1 to 40 characters. Example: `"239-555-0142"`. */
  phone?: string | undefined;
  /** Email address. 3 to 255 characters. Example: `"marisol.delgado@example.com"`. */
  email?: string | undefined;
  /** Postal address. All four fields are required. */
  address?: AddressInput | undefined;
  /** The agency's number with the carrier. 1 to 50 characters. Example: `"A-20417"`. */
  agency_number?: string | undefined;
}

/** Agent or agency on the policy: a first and last name, a company name, or all three. */
export type AgentInput = AgentInputFields & Named;

/** The latest offer of the claim. Earlier offers are not included. */
export interface Assignment {
  /** Status of the latest offer. More values may be added. Example: `"accepted"`. */
  status: AssignmentStatus;
  /** SVCID of the adjuster the claim was last offered to. Example: `"SVC-7F3K-Delacroix"`. */
  adjuster_svc_id: string;
  /** When the adjuster accepted or rejected; null until then. Example: `"2026-08-29T15:04:11.208Z"`. */
  responded_at: string | null;
  /** The adjuster's reason for rejecting; null if there is none. Example: `"Too far from my other files."`. */
  rejection_reason: string | null;
}

/** Status of the latest offer. More values may be added. Example: `"accepted"`. */
export type AssignmentStatus = Open<'pending_acceptance' | 'accepted' | 'rejected' | 'unassigned'>;

/** The building, and its flood map data. */
export interface Building {
  /** How the building is used. building_type must be of the same class: residential or non-residential. Example: `"single_family_home"`. */
  occupancy_type?: Open<OccupancyType>;
  /** Type of the building. Must be of the same class as occupancy_type: residential or non-residential. Without occupancy_type it must be residential. Example: `"main_dwelling"`. */
  building_type?: Open<BuildingType>;
  /** pre_firm: built or substantially improved by December 31, 1974 or before the community's first flood map took effect, whichever is later. post_firm: built after that. Example: `"post_firm"`. */
  firm_status?: Open<FirmStatus>;
  /** Date on which the community's first flood map took effect. YYYY-MM-DD. Example: `"1984-09-19"`. */
  firm_date?: string;
  /** Date of construction. YYYY-MM-DD. Example: `"1996-05-01"`. */
  construction_date?: string;
  /** Flood zone, in uppercase as on the flood map. Example: `"AE"`. */
  flood_zone?: Open<FloodZone>;
  /** NFIP community number. Example: `"120673"`. */
  community_number?: string;
  /** Number of the flood map panel. Example: `"12071C0554G"`. */
  map_panel_number?: string;
  /** Construction of the walls. Example: `"masonry"`. */
  construction_type?: Open<ConstructionType>;
  /** Number of units in the building. Example: `1`. */
  number_of_units?: number;
  /** Height of the first floor: whole feet. Example: `1`. */
  first_floor_height_feet?: number;
  /** Height of the first floor: inches in addition to the feet. Example: `6`. */
  first_floor_height_inches?: number;
  /** Number of flood openings in the enclosure below the first floor. Example: `4`. */
  flood_opening_count?: number;
}

interface BuildingInputFields {
  /** How the building is used. building_type must be of the same class: residential or non-residential. */
  occupancy_type?: OccupancyType | undefined;
  /** Type of the building. Must be of the same class as occupancy_type: residential or non-residential. Without occupancy_type it must be residential. */
  building_type?: BuildingType | undefined;
  /** pre_firm: built or substantially improved by December 31, 1974 or before the community's first flood map took effect, whichever is later. post_firm: built after that. */
  firm_status?: FirmStatus | undefined;
  /** Date on which the community's first flood map took effect. YYYY-MM-DD. Example: `"1984-09-19"`. */
  firm_date?: string | undefined;
  /** Date of construction. YYYY-MM-DD. Example: `"1996-05-01"`. */
  construction_date?: string | undefined;
  /** Flood zone, in uppercase as on the flood map. */
  flood_zone?: FloodZone | undefined;
  /** NFIP community number. 1 to 20 characters. Example: `"120673"`. */
  community_number?: string | undefined;
  /** Number of the flood map panel. 1 to 20 characters. Example: `"12071C0554G"`. */
  map_panel_number?: string | undefined;
  /** Construction of the walls. */
  construction_type?: ConstructionType | undefined;
  /** Number of units in the building. 1 to 100,000. Example: `1`. */
  number_of_units?: number | undefined;
  /** Height of the first floor: whole feet. 0 to 1,000. Example: `1`. */
  first_floor_height_feet?: number | undefined;
  /** Height of the first floor: inches in addition to the feet. 0 to 11. Example: `6`. */
  first_floor_height_inches?: number | undefined;
  /** Number of flood openings in the enclosure below the first floor. 0 to 100,000. Example: `4`. */
  flood_opening_count?: number | undefined;
}

/** The building, and its flood map data. */
export type BuildingInput = BuildingInputFields & OccupancyPair;

/** Type of the building. Must be of the same class as occupancy_type: residential or non-residential. Without occupancy_type it must be residential. */
export type BuildingType =
  | 'main_dwelling'
  | 'detached_guest_house'
  | 'apartment_building'
  | 'apartment_unit'
  | 'cooperative_building'
  | 'cooperative_unit'
  | 'condominium_building'
  | 'condominium_unit'
  | 'townhouse_rowhouse'
  | 'other_residential'
  | 'detached_garage'
  | 'agricultural_building'
  | 'warehouse'
  | 'recreation_building'
  | 'storage_shed'
  | 'barn'
  | 'commercial_building'
  | 'house_of_worship'
  | 'manufactured_home'
  | 'travel_trailer'
  | 'other_non_residential';

/** The insurance company. Only the name is required; phone, email and address are printed on the forms. */
export interface Carrier {
  /** Name of the insurance company. The firm's carrier book is keyed by it. Example: `"Palmetto Mutual Insurance"`. */
  name: string;
  /** The carrier's phone number; printed on the forms. Example: `"813-555-0100"`. */
  phone?: string;
  /** The carrier's email address; printed on the forms. Example: `"claims@palmetto.example.com"`. */
  email?: string;
  /** The carrier's postal address; printed on the forms. All four fields are required. */
  address?: Address;
}

/** The insurance company. Only the name is required; phone, email and address are printed on the forms. */
export interface CarrierInput {
  /** Name of the insurance company. The firm's carrier book is keyed by it. 1 to 255 characters. Example: `"Palmetto Mutual Insurance"`. */
  name: string;
  /** The carrier's phone number; printed on the forms. 1 to 20 characters. Example: `"813-555-0100"`. */
  phone?: string | undefined;
  /** The carrier's email address; printed on the forms. 3 to 255 characters. Example: `"claims@palmetto.example.com"`. */
  email?: string | undefined;
  /** The carrier's postal address; printed on the forms. All four fields are required. */
  address?: AddressInput | undefined;
}

/** A claim as it was sent, with its id and current assignment. */
export interface Claim {
  /** The service's id of the claim. Example: `"0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10"`. */
  id: string;
  /** The firm's id of the claim. Permanently unique in the firm and environment. Example: `"CMS-2026-004417"`. */
  external_id: string;
  /** The carrier's claim number. Unique among the firm's open claims. Example: `"FL26-0093184"`. */
  claim_number: string;
  /** Whether the claim was sent with a test key. Test claims are not billed. */
  test: boolean;
  /** When the claim was sent. Example: `"2026-08-29T14:52:07.113Z"`. */
  created_at: string;
  /** Time of the last change that the firm can see: sent, offered, accepted, rejected or unassigned. Example: `"2026-08-29T15:04:11.208Z"`. */
  updated_at: string;
  /** The latest offer of the claim. Earlier offers are not included. */
  assignment: Assignment;
  /** The loss. */
  loss: Loss;
  /** The policy. */
  policy: Policy;
  /** The insurance company. Only the name is required; phone, email and address are printed on the forms. */
  carrier: Carrier;
  /** Location of the insured property. If it has no street address, send the legal description as street. */
  loss_location: LossLocation;
  /** The policyholder: a first and last name, a company name, or all three; and a phone number, an email address, or both. */
  policyholder: Policyholder;
  /** The firm's file number; shown to the adjuster. Example: `"FN-88213"`. */
  file_number?: string;
  /** Plain-text notes for the adjuster. Example: `"Gate code 4471. Call the tenant before you come."`. */
  instructions?: string;
  /** Date on which the loss was reported to the carrier. YYYY-MM-DD. Example: `"2026-08-28"`. */
  reported_date?: string;
  /** Date on which the policyholder was contacted. YYYY-MM-DD. Example: `"2026-08-28"`. */
  contact_date?: string;
  /** Date of the inspection. Does not schedule an appointment. YYYY-MM-DD. Example: `"2026-09-01"`. */
  inspection_date?: string;
  /** Other people or companies involved. */
  additional_contacts?: readonly Contact[];
  /** Agent or agency on the policy: a first and last name, a company name, or all three. */
  agent?: Agent;
  /** Holder of the mortgage on the property: a first and last name, a company name, or all three. */
  mortgagee?: Mortgagee;
  /** The building, and its flood map data. */
  building?: Building;
  /** Limits, deductibles, reserves, advance payments and values. */
  coverages?: Coverages;
  /** Initial values for the estimate. */
  estimate?: Estimate;
}

/** A page of a list. */
export interface ClaimPage {
  /** The items of this page, in order. */
  data: readonly Claim[];
  /** Send it as cursor to get the next page; null on the last page. Example: `"eyJ2IjoxfQ.c2lnbmVk"`. */
  next_cursor: string | null;
}

/** From when to poll. */
export interface ClaimsChangedData {
  /** Of which claims. Example: `"live"`. */
  environment: Open<'live' | 'test'>;
  /** A poll from this time gets every change that no webhook before has signalled. Example: `"2026-09-01T12:00:00.871Z"`. */
  updated_since: string;
}

/** Claims have changed. */
export interface ClaimsChangedWebhook {
  /** What happened. */
  type: 'claims.changed';
  /** When it was first sent. Example: `"2026-09-01T12:00:01.250Z"`. */
  timestamp: string;
  /** From when to poll. */
  data: ClaimsChangedData;
}

/** Construction of the walls. */
export type ConstructionType = 'framed' | 'masonry' | 'other';

/** Another person or company involved: a first and last name, a company name, or all three. */
export interface Contact {
  /** First name; requires last_name. Example: `"Marisol"`. */
  first_name?: string;
  /** Last name; requires first_name. Example: `"Delgado"`. */
  last_name?: string;
  /** Company name. Example: `"Gulf Shore Rentals LLC"`. */
  company_name?: string;
  /** Phone number with at least one digit; an extension fits. Example: `"239-555-0142"`. */
  phone?: string;
  /** Email address. Example: `"marisol.delgado@example.com"`. */
  email?: string;
  /** Postal address. All four fields are required. */
  address?: Address;
  /** Role of the contact in the claim; free text. Example: `"Tenant"`. */
  role?: string;
}

interface ContactInputFields {
  /** First name; requires last_name. 1 to 100 characters. Example: `"Marisol"`. */
  first_name?: string | undefined;
  /** Last name; requires first_name. 1 to 100 characters. Example: `"Delgado"`. */
  last_name?: string | undefined;
  /** Company name. 1 to 255 characters. Example: `"Gulf Shore Rentals LLC"`. */
  company_name?: string | undefined;
  /** Phone number with at least one digit; an extension fits. 1 to 40 characters. Example: `"239-555-0142"`. */
  phone?: string | undefined;
  /** Email address. 3 to 255 characters. Example: `"marisol.delgado@example.com"`. */
  email?: string | undefined;
  /** Postal address. All four fields are required. */
  address?: AddressInput | undefined;
  /** Role of the contact in the claim; free text. 1 to 100 characters. Example: `"Tenant"`. */
  role?: string | undefined;
}

/** Another person or company involved: a first and last name, a company name, or all three. */
export type ContactInput = ContactInputFields & Named;

/** Limits, deductibles, reserves, advance payments and values. */
export interface Coverages {
  /** Limit for art, jewelry, furs and similar items; the app uses 2500 if omitted. In US dollars. Example: `2500`. */
  special_limits_cap?: number;
  /** Coverage limit for the building. In US dollars. Example: `250000`. */
  building_limit?: number;
  /** Coverage limit for the contents. In US dollars. Example: `100000`. */
  contents_limit?: number;
  /** Deductible for the building. In US dollars. Example: `2000`. */
  building_deductible?: number;
  /** Deductible for the contents. In US dollars. Example: `2000`. */
  contents_deductible?: number;
  /** Reserve for the building. In US dollars. Example: `45000`. */
  building_reserve?: number;
  /** Reserve for the contents. In US dollars. Example: `12500`. */
  contents_reserve?: number;
  /** Advance payment for the building. In US dollars. Example: `5000`. */
  building_advance_payment?: number;
  /** Advance payment for the contents. In US dollars. Example: `1500`. */
  contents_advance_payment?: number;
  /** Limit for increased cost of compliance (ICC). In US dollars. Example: `30000`. */
  icc_limit?: number;
  /** Replacement cost of the building. In US dollars. Example: `312480.55`. */
  building_replacement_cost?: number;
  /** Actual cash value of the building before the loss. In US dollars. Example: `268900.4`. */
  building_actual_cash_value?: number;
  /** Replacement cost of the contents. In US dollars. Example: `84200`. */
  contents_replacement_cost?: number;
  /** Actual cash value of the contents before the loss. In US dollars. Example: `51730.25`. */
  contents_actual_cash_value?: number;
  /** Settlement basis for the building. Example: `"replacement_cost"`. */
  building_settlement_basis?: Open<SettlementBasis>;
}

/** Limits, deductibles, reserves, advance payments and values. */
export interface CoveragesInput {
  /** Limit for art, jewelry, furs and similar items; the app uses 2500 if omitted. In US dollars. 0 to 9,999,999,999.99. Example: `2500`. */
  special_limits_cap?: number | undefined;
  /** Coverage limit for the building. In US dollars. 0 to 9,999,999,999.99. Example: `250000`. */
  building_limit?: number | undefined;
  /** Coverage limit for the contents. In US dollars. 0 to 9,999,999,999.99. Example: `100000`. */
  contents_limit?: number | undefined;
  /** Deductible for the building. In US dollars. 0 to 9,999,999,999.99. Example: `2000`. */
  building_deductible?: number | undefined;
  /** Deductible for the contents. In US dollars. 0 to 9,999,999,999.99. Example: `2000`. */
  contents_deductible?: number | undefined;
  /** Reserve for the building. In US dollars. 0 to 9,999,999,999.99. Example: `45000`. */
  building_reserve?: number | undefined;
  /** Reserve for the contents. In US dollars. 0 to 9,999,999,999.99. Example: `12500`. */
  contents_reserve?: number | undefined;
  /** Advance payment for the building. In US dollars. 0 to 9,999,999,999.99. Example: `5000`. */
  building_advance_payment?: number | undefined;
  /** Advance payment for the contents. In US dollars. 0 to 9,999,999,999.99. Example: `1500`. */
  contents_advance_payment?: number | undefined;
  /** Limit for increased cost of compliance (ICC). In US dollars. 0 to 9,999,999,999.99. Example: `30000`. */
  icc_limit?: number | undefined;
  /** Replacement cost of the building. In US dollars. 0 to 9,999,999,999.99. Example: `312480.55`. */
  building_replacement_cost?: number | undefined;
  /** Actual cash value of the building before the loss. In US dollars. 0 to 9,999,999,999.99. Example: `268900.4`. */
  building_actual_cash_value?: number | undefined;
  /** Replacement cost of the contents. In US dollars. 0 to 9,999,999,999.99. Example: `84200`. */
  contents_replacement_cost?: number | undefined;
  /** Actual cash value of the contents before the loss. In US dollars. 0 to 9,999,999,999.99. Example: `51730.25`. */
  contents_actual_cash_value?: number | undefined;
  /** Settlement basis for the building. */
  building_settlement_basis?: SettlementBasis | undefined;
}

/** A test account that left the firm. */
export interface DepartedAdjuster {
  /** The test account's SVCID. Example: `"test_5d0c2c1e_accepts"`. */
  svc_id: string;
  /** Always left; the list of adjusters no longer has it. Example: `"left"`. */
  status: Open<'left'>;
}

/** The environment whose data the key can access. Example: `"live"`. */
export type Environment = Open<'live' | 'test'>;

/** Stable error code; branch on it. New codes may be added: handle an unknown code by its status. Example: `"not_found"`. */
export type ErrorCode = Open<
  | 'malformed_request'
  | 'invalid_key'
  | 'invalid_session'
  | 'invalid_sign_in'
  | 'code_not_requested'
  | 'insufficient_scope'
  | 'not_in_plan'
  | 'passkey_required'
  | 'not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'duplicate_claim'
  | 'claim_already_accepted'
  | 'claim_changed'
  | 'clocks_changed'
  | 'claim_closed'
  | 'already_member'
  | 'invitation_pending'
  | 'offer_not_pending'
  | 'work_changed'
  | 'credentials_changed'
  | 'profile_incomplete'
  | 'too_many_passkeys'
  | 'last_admin'
  | 'payload_too_large'
  | 'validation_failed'
  | 'idempotency_key_reused'
  | 'unknown_osaid'
  | 'adjuster_not_in_firm'
  | 'adjuster_not_accepting'
  | 'environment_mismatch'
  | 'rate_limited'
  | 'headers_too_large'
  | 'internal_error'
  | 'service_unavailable'
>;

/** Initial values for the estimate. */
export interface Estimate {
  /** Sales tax on contents, as a fraction: 0.07 is 7%. Example: `0.065`. */
  contents_tax_rate?: number;
  /** Sales tax on building materials, as a fraction. Example: `0.065`. */
  building_tax_rate?: number;
  /** The contractor's overhead, as a fraction. Example: `0.1`. */
  overhead_rate?: number;
  /** The contractor's profit, as a fraction. Example: `0.1`. */
  profit_rate?: number;
  /** Initial depreciation, as a fraction. Example: `0.15`. */
  depreciation_rate?: number;
  /** Price list for the estimate. Example: `"FLFM8X_AUG26"`. */
  price_list?: string;
}

/** Initial values for the estimate. */
export interface EstimateInput {
  /** Sales tax on contents, as a fraction: 0.07 is 7%. 0 to 1. Example: `0.065`. */
  contents_tax_rate?: number | undefined;
  /** Sales tax on building materials, as a fraction. 0 to 1. Example: `0.065`. */
  building_tax_rate?: number | undefined;
  /** The contractor's overhead, as a fraction. 0 to 1. Example: `0.1`. */
  overhead_rate?: number | undefined;
  /** The contractor's profit, as a fraction. 0 to 1. Example: `0.1`. */
  profit_rate?: number | undefined;
  /** Initial depreciation, as a fraction. 0 to 1. Example: `0.15`. */
  depreciation_rate?: number | undefined;
  /** Price list for the estimate. 1 to 50 characters. Example: `"FLFM8X_AUG26"`. */
  price_list?: string | undefined;
}

/** What happens to the requests. rate_limited, internal_error and service_unavailable are errors, and the request is not processed; slow is processed and gets its response after 3 more seconds; dropped is processed, and then the connection is closed without a response; dropped_write is the same, for writes only; unknown_value is processed, and pending claims in the response have the status simulated_new_status and a field that is not documented, as may be added at any time; short_page is processed, and a page ends after one claim, as a page of large claims may. The last three count only requests that they affect. */
export type FaultKind =
  | 'rate_limited'
  | 'internal_error'
  | 'service_unavailable'
  | 'slow'
  | 'dropped'
  | 'dropped_write'
  | 'unknown_value'
  | 'short_page';

/** An adjusting firm. */
export interface Firm {
  /** Id of the firm. Example: `"5d0c2c1e-9f0d-4c6c-9a2b-6a1f0f4f7b21"`. */
  id: string;
  /** Name of the firm. Example: `"Gulf Adjusting Partners"`. */
  name: string;
}

/** pre_firm: built or substantially improved by December 31, 1974 or before the community's first flood map took effect, whichever is later. post_firm: built after that. */
export type FirmStatus = 'pre_firm' | 'post_firm';

/** Flood zone, in uppercase as on the flood map. */
export type FloodZone =
  | 'A'
  | 'AE'
  | 'A1'
  | 'A2'
  | 'A3'
  | 'A4'
  | 'A5'
  | 'A6'
  | 'A7'
  | 'A8'
  | 'A9'
  | 'A10'
  | 'A11'
  | 'A12'
  | 'A13'
  | 'A14'
  | 'A15'
  | 'A16'
  | 'A17'
  | 'A18'
  | 'A19'
  | 'A20'
  | 'A21'
  | 'A22'
  | 'A23'
  | 'A24'
  | 'A25'
  | 'A26'
  | 'A27'
  | 'A28'
  | 'A29'
  | 'A30'
  | 'A99'
  | 'AH'
  | 'AO'
  | 'AR'
  | 'V'
  | 'VE'
  | 'V1'
  | 'V2'
  | 'V3'
  | 'V4'
  | 'V5'
  | 'V6'
  | 'V7'
  | 'V8'
  | 'V9'
  | 'V10'
  | 'V11'
  | 'V12'
  | 'V13'
  | 'V14'
  | 'V15'
  | 'V16'
  | 'V17'
  | 'V18'
  | 'V19'
  | 'V20'
  | 'V21'
  | 'V22'
  | 'V23'
  | 'V24'
  | 'V25'
  | 'V26'
  | 'V27'
  | 'V28'
  | 'V29'
  | 'V30'
  | 'B'
  | 'C'
  | 'D'
  | 'X';

/** Policy form. */
export type FormType = 'dwelling' | 'general_property' | 'rcbap';

/** The adjuster to invite, and up to four notes. Omit the notes that you do not need. */
export interface InviteAdjusterRequest {
  /** The adjuster's SVCID; case-sensitive. 1 to 128 characters. Example: `"SVC-7F3K-Delacroix"`. */
  svc_id: string;
  /** The firm's name for the adjuster; shown to the adjuster on the invitation. 1 to 200 characters. Example: `"Jean Delacroix"`. */
  invited_as?: string | undefined;
  /** Who invites the adjuster; visible to the firm only. 1 to 200 characters. Example: `"Priya Natarajan"`. */
  invited_by?: string | undefined;
  /** Purpose of the invitation; visible to the firm only. 1 to 500 characters. Example: `"Hurricane deployment, Lee County"`. */
  purpose?: string | undefined;
  /** A note; visible to the firm only. 1 to 1,000 characters. Example: `"Certified for large losses."`. */
  note?: string | undefined;
}

/** The key. */
export interface Key {
  /** Id of the key, not the key itself. Example: `"key_01980a5e-2f10-7c3d-8e21-5b9a7d4c6f02"`. */
  id: string;
  /** The environment whose data the key can access. Example: `"live"`. */
  environment: Environment;
}

/** The API key of the request, its firm and its scopes. */
export interface KeyInfo {
  /** The key. */
  key: Key;
  /** The firm the key belongs to. */
  firm: Firm;
  /** Current scopes of the key. */
  scopes: readonly Scope[];
}

/** The loss. */
export interface Loss {
  /** Date of the loss. YYYY-MM-DD. Example: `"2026-08-27"`. */
  date: string;
  /** Cause of the loss; always flood. Example: `"flood"`. */
  peril: Open<Peril>;
  /** Local time of the loss in 24-hour format (HH:MM). Example: `"04:30"`. */
  time?: string;
  /** Description of the loss; plain text. Example: `"Storm surge entered the ground floor through the garage."`. */
  description?: string;
  /** Source of the flood water. Example: `"tidal_water_overflow"`. */
  cause?: Open<LossCause>;
  /** Catastrophe code of the event. Example: `"2643"`. */
  cat_code?: string;
  /** Flood insurance claims office number of the event. Example: `"712"`. */
  fico_number?: string;
  /** Water depth outside the building, in inches. Example: `38`. */
  exterior_water_depth_inches?: number;
  /** Water depth inside the building, in inches. Example: `14`. */
  interior_water_depth_inches?: number;
  /** How long the water stayed, in hours. Example: `9`. */
  water_duration_hours?: number;
}

/** Source of the flood water. */
export type LossCause =
  | 'tidal_water_overflow'
  | 'stream_river_lake_overflow'
  | 'alluvial_fan_overflow'
  | 'rainfall_snowmelt_accumulation'
  | 'earth_movement'
  | 'closed_basin_lake'
  | 'other';

/** The loss. */
export interface LossInput {
  /** Date of the loss. YYYY-MM-DD. Example: `"2026-08-27"`. */
  date: string;
  /** Cause of the loss; always flood. */
  peril?: Peril | undefined;
  /** Local time of the loss in 24-hour format (HH:MM). Example: `"04:30"`. */
  time?: string | undefined;
  /** Description of the loss; plain text. 1 to 4,000 characters. Example: `"Storm surge entered the ground floor through the garage."`. */
  description?: string | undefined;
  /** Source of the flood water. */
  cause?: LossCause | undefined;
  /** Catastrophe code of the event. 1 to 20 characters. Example: `"2643"`. */
  cat_code?: string | undefined;
  /** Flood insurance claims office number of the event. 1 to 20 characters. Example: `"712"`. */
  fico_number?: string | undefined;
  /** Water depth outside the building, in inches. 0 to 1,200. Example: `38`. */
  exterior_water_depth_inches?: number | undefined;
  /** Water depth inside the building, in inches. 0 to 1,200. Example: `14`. */
  interior_water_depth_inches?: number | undefined;
  /** How long the water stayed, in hours. 0 to 8,760. Example: `9`. */
  water_duration_hours?: number | undefined;
}

/** Location of the insured property. If it has no street address, send the legal description as street. */
export interface LossLocation {
  /** Street and house number. Example: `"1420 Seagrape Lane"`. */
  street: string;
  /** Unit, apartment or lot. Example: `"Unit B"`. */
  street2?: string;
  /** City or town. Example: `"Fort Myers Beach"`. */
  city: string;
  /** County or parish. Example: `"Lee"`. */
  county?: string;
  /** Two-letter USPS code of the state or territory. Example: `"FL"`. */
  state: Open<State>;
  /** Five-digit ZIP code or ZIP+4, as a string. Example: `"33931-4207"`. */
  zip: string;
}

/** Location of the insured property. If it has no street address, send the legal description as street. */
export interface LossLocationInput {
  /** Street and house number. 1 to 255 characters. Example: `"1420 Seagrape Lane"`. */
  street: string;
  /** Unit, apartment or lot. 1 to 255 characters. Example: `"Unit B"`. */
  street2?: string | undefined;
  /** City or town. 1 to 100 characters. Example: `"Fort Myers Beach"`. */
  city: string;
  /** County or parish. 1 to 100 characters. Example: `"Lee"`. */
  county?: string | undefined;
  /** Two-letter USPS code of the state or territory. */
  state: State;
  /** Five-digit ZIP code or ZIP+4, as a string. Example: `"33931-4207"`. */
  zip: string;
}

/** Two-letter USPS code of the state, territory or military region. */
export type MailingState = State | 'FM' | 'MH' | 'PW' | 'AA' | 'AE' | 'AP';

/** Holder of the mortgage on the property: a first and last name, a company name, or all three. */
export interface Mortgagee {
  /** First name; requires last_name. Example: `"Marisol"`. */
  first_name?: string;
  /** Last name; requires first_name. Example: `"Delgado"`. */
  last_name?: string;
  /** Company name. Example: `"Gulf Shore Rentals LLC"`. */
  company_name?: string;
  /** Phone number with at least one digit; an extension fits. Example: `"239-555-0142"`. */
  phone?: string;
  /** Email address. Example: `"marisol.delgado@example.com"`. */
  email?: string;
  /** Postal address. All four fields are required. */
  address?: Address;
  /** Number of the loan. Example: `"0048812237"`. */
  loan_number?: string;
}

interface MortgageeInputFields {
  /** First name; requires last_name. 1 to 100 characters. Example: `"Marisol"`. */
  first_name?: string | undefined;
  /** Last name; requires first_name. 1 to 100 characters. Example: `"Delgado"`. */
  last_name?: string | undefined;
  /** Company name. 1 to 255 characters. Example: `"Gulf Shore Rentals LLC"`. */
  company_name?: string | undefined;
  /** Phone number with at least one digit; an extension fits. 1 to 40 characters. Example: `"239-555-0142"`. */
  phone?: string | undefined;
  /** Email address. 3 to 255 characters. Example: `"marisol.delgado@example.com"`. */
  email?: string | undefined;
  /** Postal address. All four fields are required. */
  address?: AddressInput | undefined;
  /** Number of the loan. 1 to 50 characters. Example: `"0048812237"`. */
  loan_number?: string | undefined;
}

/** Holder of the mortgage on the property: a first and last name, a company name, or all three. */
export type MortgageeInput = MortgageeInputFields & Named;

/** How the building is used. building_type must be of the same class: residential or non-residential. */
export type OccupancyType =
  | 'single_family_home'
  | 'residential_manufactured_home'
  | 'residential_unit'
  | 'two_to_four_family_building'
  | 'other_residential_building'
  | 'residential_condominium_building'
  | 'non_residential_building'
  | 'non_residential_manufactured_building'
  | 'non_residential_unit';

/** The adjuster to offer the claim to. */
export interface OfferClaimRequest {
  /** The adjuster's SVCID; case-sensitive. 1 to 128 characters. Example: `"SVC-7F3K-Delacroix"`. */
  adjuster_svc_id: string;
}

/** Cause of the loss; always flood. */
export type Peril = 'flood';

/** The policy. */
export interface Policy {
  /** Policy number. Example: `"87-4410029316-2025"`. */
  number: string;
  /** First day of the policy term. YYYY-MM-DD. Example: `"2026-03-14"`. */
  effective_date?: string;
  /** Last day of the policy term; not before effective_date. YYYY-MM-DD. Example: `"2027-03-14"`. */
  expiration_date?: string;
  /** First day of the first term of this policy. YYYY-MM-DD. Example: `"2019-03-14"`. */
  original_effective_date?: string;
  /** Policy form. Example: `"dwelling"`. */
  form_type?: Open<FormType>;
  /** Phase of the National Flood Insurance Program (NFIP) that the community is in. Example: `"regular"`. */
  program_type?: Open<ProgramType>;
  /** The carrier's five-digit NAIC number, as a string. Example: `"10064"`. */
  naic_number?: string;
}

/** The policy. */
export interface PolicyInput {
  /** Policy number. 1 to 100 characters. Example: `"87-4410029316-2025"`. */
  number: string;
  /** First day of the policy term. YYYY-MM-DD. Example: `"2026-03-14"`. */
  effective_date?: string | undefined;
  /** Last day of the policy term; not before effective_date. YYYY-MM-DD. Example: `"2027-03-14"`. */
  expiration_date?: string | undefined;
  /** First day of the first term of this policy. YYYY-MM-DD. Example: `"2019-03-14"`. */
  original_effective_date?: string | undefined;
  /** Policy form. */
  form_type?: FormType | undefined;
  /** Phase of the National Flood Insurance Program (NFIP) that the community is in. */
  program_type?: ProgramType | undefined;
  /** The carrier's five-digit NAIC number, as a string. Example: `"10064"`. */
  naic_number?: string | undefined;
}

/** The policyholder: a first and last name, a company name, or all three; and a phone number, an email address, or both. */
export interface Policyholder {
  /** First name; requires last_name. Example: `"Marisol"`. */
  first_name?: string;
  /** Last name; requires first_name. Example: `"Delgado"`. */
  last_name?: string;
  /** Company name. Example: `"Gulf Shore Rentals LLC"`. */
  company_name?: string;
  /** Phone number with at least one digit; an extension fits. Example: `"239-555-0142"`. */
  phone?: string;
  /** Email address. Example: `"marisol.delgado@example.com"`. */
  email?: string;
  /** Postal address. All four fields are required. */
  address?: Address;
  /** Where the policyholder receives mail. All four fields are required. */
  mailing_address?: Address;
  /** Alternate phone number. Example: `"239-555-0188"`. */
  alternate_phone?: string;
}

interface PolicyholderInputFields {
  /** First name; requires last_name. 1 to 100 characters. Example: `"Marisol"`. */
  first_name?: string | undefined;
  /** Last name; requires first_name. 1 to 100 characters. Example: `"Delgado"`. */
  last_name?: string | undefined;
  /** Company name. 1 to 255 characters. Example: `"Gulf Shore Rentals LLC"`. */
  company_name?: string | undefined;
  /** Phone number with at least one digit; an extension fits. 1 to 40 characters. Example: `"239-555-0142"`. */
  phone?: string | undefined;
  /** Email address. 3 to 255 characters. Example: `"marisol.delgado@example.com"`. */
  email?: string | undefined;
  /** Postal address. All four fields are required. */
  address?: AddressInput | undefined;
  /** Where the policyholder receives mail. All four fields are required. */
  mailing_address?: AddressInput | undefined;
  /** Alternate phone number. 1 to 40 characters. Example: `"239-555-0188"`. */
  alternate_phone?: string | undefined;
}

/** The policyholder: a first and last name, a company name, or all three; and a phone number, an email address, or both. */
export type PolicyholderInput = PolicyholderInputFields & Named & Reachable;

/** An error (RFC 9457), sent as application/problem+json. */
export interface Problem {
  /** Link to the error's page in the documentation. Example: `"https://example.com/docs/errors#not_found"`. */
  type: string;
  /** Short summary; wording may change. Example: `"Not found"`. */
  title: string;
  /** The HTTP status of the response. Example: `404`. */
  status: number;
  /** Explanation of this occurrence; wording may change. Example: `"No claim has this id."`. */
  detail: string;
  /** Stable error code; branch on it. New codes may be added: handle an unknown code by its status. Example: `"not_found"`. */
  code: ErrorCode;
  /** Equals the X-Request-Id header. Example: `"01980a5e-4c7f-7b3e-9d8a-0f6c2b1a7e55"`. */
  request_id: string;
  /** The validation errors, at most 100; only with validation_failed. */
  errors?: readonly ValidationError[];
  /** Id of the existing claim; only with duplicate_claim. Example: `"0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10"`. */
  existing_claim_id?: string;
  /** URL of the existing claim; only with duplicate_claim. Example: `"https://example.com/v1/claims/0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10"`. */
  existing_claim_url?: string;
}

/** Phase of the National Flood Insurance Program (NFIP) that the community is in. */
export type ProgramType = 'regular' | 'emergency';

/** How far the integration of a firm is ready for live keys. */
export interface Readiness {
  /** Whether every check passed, with all requests and claims since `since`. */
  ready: boolean;
  /** Requests from this time on were checked. Example: `"2026-08-29T14:00:00.000Z"`. */
  since: string;
  /** The time of the check. Example: `"2026-08-29T15:10:00.000Z"`. */
  until: string;
  /** How many requests were checked. Example: `84`. */
  requests: number;
  /** How many test claims that changed since then were checked. Example: `40`. */
  claims: number;
  /** False if there are more than one check covers (`ready` is then false too), or `since` was more than 14 days ago; `since` or the claims are then limited. */
  complete: boolean;
  /** All checks. */
  checks: readonly ReadinessCheck[];
}

/** One check, and what it found. */
export interface ReadinessCheck {
  /** What is checked. Example: `"idempotency_keys"`. */
  check: Open<
    | 'idempotency_keys'
    | 'lost_writes'
    | 'duplicates'
    | 'retry_after'
    | 'back_off'
    | 'cursors'
    | 'poll_gaps'
    | 'poll_overlap'
    | 'unread_changes'
    | 'second_outcomes'
    | 'unknown_values'
    | 'rejected_requests'
  >;
  /** not_exercised: there is no evidence yet; `exercise` says how to get it. Example: `"failed"`. */
  state: Open<'passed' | 'failed' | 'not_exercised'>;
  /** The check in a sentence. Example: `"Retries have the same Idempotency-Key"`. */
  title: string;
  /** What to change after a finding. Example: `"Send every retry with the same key."`. */
  change: string;
  /** How to get evidence. Example: `"Simulate the fault dropped."`. */
  exercise: string;
  /** How often the program did it right. Example: `3`. */
  passed: number;
  /** How many findings there are. Example: `1`. */
  finding_count: number;
  /** The latest of them. */
  findings: readonly ReadinessFinding[];
}

/** Something that the program did wrong. */
export interface ReadinessFinding {
  /** What happened. Example: `"A write that failed was sent again with another Idempotency-Key."`. */
  detail: string;
  /** The claim; null if none is known. Example: `"0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10"`. */
  claim_id: string | null;
  /** Earliest first. */
  requests: readonly ReadinessRequest[];
}

/** A request that shows a finding. */
export interface ReadinessRequest {
  /** As in `X-Request-Id`. Example: `"01990b5c-8f0d-4c6c-9a2b-6a1f0f4f7b21"`. */
  request_id: string;
  /** When it arrived. Example: `"2026-08-29T15:04:11.208Z"`. */
  at: string;
  /** The id of the key. Example: `"key_7f3k"`. */
  key_id: string;
  /** Method and path template. Example: `"POST /v1/claims"`. */
  operation: string;
  /** Null: the connection was lost before the response was sent. Example: `500`. */
  status: number | null;
  /** Of the error; null without one. Example: `"internal_error"`. */
  code: string | null;
  /** Whether it met a simulated error. */
  simulated: boolean;
}

/** A signed record of an offer of a claim: adjuster, times, pushes, response and the row of the audit trail. */
export interface Receipt {
  /** A JSON Web Signature in compact form (EdDSA with Ed25519). Its `kid` is one of `/.well-known/jwks.json`. Example: `"eyJhbGciOiJFZERTQSIsImtpZCI6IjBfZXhhbXBsZSJ9.eyJjbGFpbV9pZCI6IjBiOWY2YTUyLTNjMGUtNGE1My04ZjU3LTJmMWY3YTNjOWQxMCJ9.c2lnbmF0dXJl"`. */
  receipt: string;
}

/** An optional reason. */
export interface RejectClaimRequest {
  /** Reason for rejecting; shown to the firm. 1 to 1,000 characters. Example: `"Too far from my other files."`. */
  reason?: string | undefined;
}

/** A scope. More values may be added. Example: `"claims:read"`. */
export type Scope = Open<
  'claims:create' | 'claims:read' | 'claims:write' | 'adjusters:read' | 'adjusters:write'
>;

/** A claim, and the adjuster to offer it to. */
export interface SendClaimRequest {
  /** The firm's id of the claim. Permanently unique in the firm and environment. 1 to 100 characters. Example: `"CMS-2026-004417"`. */
  external_id: string;
  /** The carrier's claim number. Unique among the firm's open claims. 1 to 100 characters. Example: `"FL26-0093184"`. */
  claim_number: string;
  /** The adjuster's SVCID; case-sensitive. 1 to 128 characters. Example: `"SVC-7F3K-Delacroix"`. */
  adjuster_svc_id: string;
  /** The loss. */
  loss: LossInput;
  /** The policy. */
  policy: PolicyInput;
  /** The insurance company. Only the name is required; phone, email and address are printed on the forms. */
  carrier: CarrierInput;
  /** Location of the insured property. If it has no street address, send the legal description as street. */
  loss_location: LossLocationInput;
  /** The policyholder: a first and last name, a company name, or all three; and a phone number, an email address, or both. */
  policyholder: PolicyholderInput;
  /** The firm's file number; shown to the adjuster. 1 to 100 characters. Example: `"FN-88213"`. */
  file_number?: string | undefined;
  /** Plain-text notes for the adjuster. 1 to 4,000 characters. Example: `"Gate code 4471. Call the tenant before you come."`. */
  instructions?: string | undefined;
  /** Date on which the loss was reported to the carrier. YYYY-MM-DD. Example: `"2026-08-28"`. */
  reported_date?: string | undefined;
  /** Date on which the policyholder was contacted. YYYY-MM-DD. Example: `"2026-08-28"`. */
  contact_date?: string | undefined;
  /** Date of the inspection. Does not schedule an appointment. YYYY-MM-DD. Example: `"2026-09-01"`. */
  inspection_date?: string | undefined;
  /** Other people or companies involved. At most 20. */
  additional_contacts?: readonly ContactInput[] | undefined;
  /** Agent or agency on the policy: a first and last name, a company name, or all three. */
  agent?: AgentInput | undefined;
  /** Holder of the mortgage on the property: a first and last name, a company name, or all three. */
  mortgagee?: MortgageeInput | undefined;
  /** The building, and its flood map data. */
  building?: BuildingInput | undefined;
  /** Limits, deductibles, reserves, advance payments and values. */
  coverages?: CoveragesInput | undefined;
  /** Initial values for the estimate. */
  estimate?: EstimateInput | undefined;
}

/** Settlement basis for the building. */
export type SettlementBasis = 'replacement_cost' | 'actual_cash_value';

/** The fault, and for how many requests. */
export interface SimulateFaultsRequest {
  /** What happens to the requests. rate_limited, internal_error and service_unavailable are errors, and the request is not processed; slow is processed and gets its response after 3 more seconds; dropped is processed, and then the connection is closed without a response; dropped_write is the same, for writes only; unknown_value is processed, and pending claims in the response have the status simulated_new_status and a field that is not documented, as may be added at any time; short_page is processed, and a page ends after one claim, as a page of large claims may. The last three count only requests that they affect. */
  kind: FaultKind;
  /** How many of the next requests are affected. 1 to 100. Example: `2`. */
  count: number;
}

/** The simulated faults of the key. */
export interface SimulatedFaults {
  /** What happens to the requests; null if nothing is simulated. Example: `"dropped"`. */
  kind: Open<FaultKind> | null;
  /** How many of the next requests with this key are affected. Example: `2`. */
  count: number;
}

/** Two-letter USPS code of the state or territory. */
export type State =
  | 'AL'
  | 'AK'
  | 'AZ'
  | 'AR'
  | 'CA'
  | 'CO'
  | 'CT'
  | 'DE'
  | 'FL'
  | 'GA'
  | 'HI'
  | 'ID'
  | 'IL'
  | 'IN'
  | 'IA'
  | 'KS'
  | 'KY'
  | 'LA'
  | 'ME'
  | 'MD'
  | 'MA'
  | 'MI'
  | 'MN'
  | 'MS'
  | 'MO'
  | 'MT'
  | 'NE'
  | 'NV'
  | 'NH'
  | 'NJ'
  | 'NM'
  | 'NY'
  | 'NC'
  | 'ND'
  | 'OH'
  | 'OK'
  | 'OR'
  | 'PA'
  | 'RI'
  | 'SC'
  | 'SD'
  | 'TN'
  | 'TX'
  | 'UT'
  | 'VT'
  | 'VA'
  | 'WA'
  | 'WV'
  | 'WI'
  | 'WY'
  | 'DC'
  | 'AS'
  | 'GU'
  | 'MP'
  | 'PR'
  | 'VI';

/** A test of the endpoint. */
export interface TestWebhook {
  /** What happened. */
  type: 'webhook.test';
  /** When it was first sent. Example: `"2026-09-01T12:00:01.250Z"`. */
  timestamp: string;
  /** The environment of the endpoint. */
  data: TestWebhookData;
}

/** The environment of the endpoint. */
export interface TestWebhookData {
  /** Of which claims. Example: `"live"`. */
  environment: Open<'live' | 'test'>;
}

/** A validation error, with exactly one of pointer, parameter and header. */
export interface ValidationError {
  /** What is wrong and what is allowed; wording may change. Example: `"Must be a valid calendar date (YYYY-MM-DD)."`. */
  detail: string;
  /** JSON Pointer to the body field. Example: `"/loss/date"`. */
  pointer?: string;
  /** Name of the query or path parameter. Example: `"limit"`. */
  parameter?: string;
  /** Name of the header. Example: `"Idempotency-Key"`. */
  header?: string;
}

export const OPERATIONS = {
  listClaims: { method: 'GET', path: '/v1/claims' },
  sendClaim: { method: 'POST', path: '/v1/claims', idempotencyKey: true },
  getClaim: { method: 'GET', path: '/v1/claims/{id}' },
  getReceipt: { method: 'GET', path: '/v1/claims/{id}/receipt' },
  offerClaim: { method: 'POST', path: '/v1/claims/{id}/assignment', idempotencyKey: true },
  inviteAdjuster: { method: 'POST', path: '/v1/adjusters/invitations' },
  listAdjusters: { method: 'GET', path: '/v1/adjusters' },
  withdrawInvitation: { method: 'DELETE', path: '/v1/adjusters/invitations/{svc_id}' },
  getKeyInfo: { method: 'GET', path: '/v1/me' },
  getHealth: { method: 'GET', path: '/v1/health', open: true },
  acceptTestClaim: { method: 'POST', path: '/v1/test/claims/{id}/acceptance' },
  rejectTestClaim: { method: 'POST', path: '/v1/test/claims/{id}/rejection' },
  closeTestClaim: { method: 'POST', path: '/v1/test/claims/{id}/closure' },
  acceptTestInvitation: { method: 'POST', path: '/v1/test/invitations/{svc_id}/acceptance' },
  declineTestInvitation: { method: 'POST', path: '/v1/test/invitations/{svc_id}/decline' },
  expireTestInvitation: { method: 'POST', path: '/v1/test/invitations/{svc_id}/expiry' },
  departTestAdjuster: { method: 'POST', path: '/v1/test/adjusters/{svc_id}/departure' },
  pauseTestAdjuster: { method: 'POST', path: '/v1/test/adjusters/{svc_id}/pause' },
  resumeTestAdjuster: { method: 'POST', path: '/v1/test/adjusters/{svc_id}/resume' },
  suspendTestAdjuster: { method: 'POST', path: '/v1/test/adjusters/{svc_id}/suspension' },
  reinstateTestAdjuster: { method: 'POST', path: '/v1/test/adjusters/{svc_id}/reinstatement' },
  simulateFaults: { method: 'PUT', path: '/v1/test/faults' },
  clearFaults: { method: 'DELETE', path: '/v1/test/faults' },
  checkReadiness: { method: 'GET', path: '/v1/test/readiness' },
} as const;

export type OperationId = keyof typeof OPERATIONS;
