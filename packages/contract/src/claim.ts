import { checkBuildingPair, checkPolicyTerm } from '@svc/domain/field-rules';
import {
  ASSIGNMENT_STATUSES,
  BUILDING_TYPES,
  CONSTRUCTION_TYPES,
  FIRM_STATUSES,
  FLOOD_ZONES,
  FORM_TYPES,
  LOSS_CAUSES,
  OCCUPANCY_TYPES,
  PERILS,
  PROGRAM_TYPES,
  SETTLEMENT_BASES,
} from '@svc/domain/vocabulary';
import type { z } from 'zod';
import { crossFieldRule } from './cross-field-rule.ts';
import {
  amount,
  arrayOf,
  calendarDate,
  digits,
  fields,
  identifier,
  integer,
  oneOf,
  oneOfWithHint,
  rate,
  responseField,
  text,
  timeOfDay,
} from './fields.ts';
import { suggestedFloodZone } from './flood-zone-spellings.ts';
import { LIMITS } from './limits.ts';
import {
  additionalContact,
  agent,
  carrier,
  externalId,
  lossLocation,
  mortgagee,
  policyholder,
  svcId,
} from './people.ts';
import { openEnum, responseFields, responseObject, responseSchema } from './response-schema.ts';

const loss = fields({
  date: calendarDate({ description: 'Date of the loss.', example: '2026-08-27' }),
  peril: oneOf(PERILS, {
    id: 'Peril',
    description: 'Cause of the loss; always flood.',
    example: 'flood',
  }).optional(),
  time: timeOfDay({
    description: 'Local time of the loss in 24-hour format (HH:MM).',
    example: '04:30',
  }).optional(),
  description: text(LIMITS.lossDescription, {
    description: 'Description of the loss; plain text.',
    example: 'Storm surge entered the ground floor through the garage.',
  }).optional(),
  cause: oneOf(LOSS_CAUSES, {
    id: 'LossCause',
    description: 'Source of the flood water.',
    example: 'tidal_water_overflow',
  }).optional(),
  cat_code: text(LIMITS.catastropheCode, {
    description: 'Catastrophe code of the event.',
    example: '2643',
  }).optional(),
  fico_number: text(LIMITS.ficoNumber, {
    description: 'Flood insurance claims office number of the event.',
    example: '712',
  }).optional(),
  exterior_water_depth_inches: integer(LIMITS.waterDepthInches, {
    description: 'Water depth outside the building, in inches.',
    example: 38,
  }).optional(),
  interior_water_depth_inches: integer(LIMITS.waterDepthInches, {
    description: 'Water depth inside the building, in inches.',
    example: 14,
  }).optional(),
  water_duration_hours: integer(LIMITS.waterDurationHours, {
    description: 'How long the water stayed, in hours.',
    example: 9,
  }).optional(),
}).meta({ id: 'LossInput', description: 'The loss.', example: { date: '2026-08-27', peril: 'flood' } });

const policy = fields({
  number: identifier(LIMITS.policyNumber, {
    description: 'Policy number.',
    example: '87-4410029316-2025',
  }),
  effective_date: calendarDate({
    description: 'First day of the policy term.',
    example: '2026-03-14',
  }).optional(),
  expiration_date: calendarDate({
    description: 'Last day of the policy term; not before effective_date.',
    example: '2027-03-14',
  }).optional(),
  original_effective_date: calendarDate({
    description: 'First day of the first term of this policy.',
    example: '2019-03-14',
  }).optional(),
  form_type: oneOf(FORM_TYPES, {
    id: 'FormType',
    description: 'Policy form.',
    example: 'dwelling',
  }).optional(),
  program_type: oneOf(PROGRAM_TYPES, {
    id: 'ProgramType',
    description: 'Phase of the National Flood Insurance Program (NFIP) that the community is in.',
    example: 'regular',
  }).optional(),
  naic_number: digits(5, {
    description: "The carrier's five-digit NAIC number, as a string.",
    example: '10064',
  }).optional(),
}).meta({
  id: 'PolicyInput',
  description: 'The policy.',
  example: { number: '87-4410029316-2025', effective_date: '2026-03-14', expiration_date: '2027-03-14' },
});

const building = fields({
  occupancy_type: oneOf(OCCUPANCY_TYPES, {
    id: 'OccupancyType',
    description:
      'How the building is used. building_type must be of the same class: residential or non-residential.',
    example: 'single_family_home',
  }).optional(),
  building_type: oneOf(BUILDING_TYPES, {
    id: 'BuildingType',
    description:
      'Type of the building. Must be of the same class as occupancy_type: residential or non-residential. Without occupancy_type it must be residential.',
    example: 'main_dwelling',
  }).optional(),
  firm_status: oneOf(FIRM_STATUSES, {
    id: 'FirmStatus',
    description:
      "pre_firm: built or substantially improved by December 31, 1974 or before the community's first flood map took effect, whichever is later. post_firm: built after that.",
    example: 'post_firm',
  }).optional(),
  firm_date: calendarDate({
    description: "Date on which the community's first flood map took effect.",
    example: '1984-09-19',
  }).optional(),
  construction_date: calendarDate({
    description: 'Date of construction.',
    example: '1996-05-01',
  }).optional(),
  flood_zone: oneOfWithHint(
    FLOOD_ZONES,
    { id: 'FloodZone', description: 'Flood zone, in uppercase as on the flood map.', example: 'AE' },
    'one of the 72 flood zones, such as AE',
    (sent) => {
      const intended = suggestedFloodZone(sent);
      const hint =
        intended === null ? 'see "Flood zones" in the documentation.' : `did you mean ${intended}?`;
      return `Must be one of the 72 flood zones, in uppercase without leading zeros; ${hint}`;
    },
  ).optional(),
  community_number: text(LIMITS.communityNumber, {
    description: 'NFIP community number.',
    example: '120673',
  }).optional(),
  map_panel_number: text(LIMITS.mapPanelNumber, {
    description: 'Number of the flood map panel.',
    example: '12071C0554G',
  }).optional(),
  construction_type: oneOf(CONSTRUCTION_TYPES, {
    id: 'ConstructionType',
    description: 'Construction of the walls.',
    example: 'masonry',
  }).optional(),
  number_of_units: integer(LIMITS.numberOfUnits, {
    description: 'Number of units in the building.',
    example: 1,
  }).optional(),
  first_floor_height_feet: integer(LIMITS.firstFloorHeightFeet, {
    description: 'Height of the first floor: whole feet.',
    example: 1,
  }).optional(),
  first_floor_height_inches: integer(LIMITS.firstFloorHeightInches, {
    description: 'Height of the first floor: inches in addition to the feet.',
    example: 6,
  }).optional(),
  flood_opening_count: integer(LIMITS.floodOpeningCount, {
    description: 'Number of flood openings in the enclosure below the first floor.',
    example: 4,
  }).optional(),
}).meta({
  id: 'BuildingInput',
  description: 'The building, and its flood map data.',
  example: { occupancy_type: 'single_family_home', building_type: 'main_dwelling', flood_zone: 'AE' },
});

const dollars = (description: string, example: number) =>
  amount({ description: `${description} In US dollars.`, example }).optional();

const coverages = fields({
  special_limits_cap: dollars(
    'Limit for art, jewelry, furs and similar items; the app uses 2500 if omitted.',
    2500,
  ),
  building_limit: dollars('Coverage limit for the building.', 250000),
  contents_limit: dollars('Coverage limit for the contents.', 100000),
  building_deductible: dollars('Deductible for the building.', 2000),
  contents_deductible: dollars('Deductible for the contents.', 2000),
  building_reserve: dollars('Reserve for the building.', 45000),
  contents_reserve: dollars('Reserve for the contents.', 12500),
  building_advance_payment: dollars('Advance payment for the building.', 5000),
  contents_advance_payment: dollars('Advance payment for the contents.', 1500),
  icc_limit: dollars('Limit for increased cost of compliance (ICC).', 30000),
  building_replacement_cost: dollars('Replacement cost of the building.', 312480.55),
  building_actual_cash_value: dollars('Actual cash value of the building before the loss.', 268900.4),
  contents_replacement_cost: dollars('Replacement cost of the contents.', 84200),
  contents_actual_cash_value: dollars('Actual cash value of the contents before the loss.', 51730.25),
  building_settlement_basis: oneOf(SETTLEMENT_BASES, {
    id: 'SettlementBasis',
    description: 'Settlement basis for the building.',
    example: 'replacement_cost',
  }).optional(),
}).meta({
  id: 'CoveragesInput',
  description: 'Limits, deductibles, reserves, advance payments and values.',
  example: { building_limit: 250000, contents_limit: 100000, building_deductible: 2000 },
});

const fraction = (description: string, example: number) => rate({ description, example }).optional();

const estimate = fields({
  contents_tax_rate: fraction('Sales tax on contents, as a fraction: 0.07 is 7%.', 0.065),
  building_tax_rate: fraction('Sales tax on building materials, as a fraction.', 0.065),
  overhead_rate: fraction("The contractor's overhead, as a fraction.", 0.1),
  profit_rate: fraction("The contractor's profit, as a fraction.", 0.1),
  depreciation_rate: fraction('Initial depreciation, as a fraction.', 0.15),
  price_list: text(LIMITS.priceList, {
    description: 'Price list for the estimate.',
    example: 'FLFM8X_AUG26',
  }).optional(),
}).meta({
  id: 'EstimateInput',
  description: 'Initial values for the estimate.',
  example: { contents_tax_rate: 0.065, price_list: 'FLFM8X_AUG26' },
});

const adjusterSvcId = svcId();

const claimFields = {
  external_id: externalId(),
  claim_number: identifier(LIMITS.claimNumber, {
    description: "The carrier's claim number. Unique among the firm's open claims.",
    example: 'FL26-0093184',
  }),
  loss,
  policy,
  carrier,
  loss_location: lossLocation,
  policyholder,
  file_number: text(LIMITS.fileNumber, {
    description: "The firm's file number; shown to the adjuster.",
    example: 'FN-88213',
  }).optional(),
  instructions: text(LIMITS.instructions, {
    description: 'Plain-text notes for the adjuster.',
    example: 'Gate code 4471. Call the tenant before you come.',
  }).optional(),
  reported_date: calendarDate({
    description: 'Date on which the loss was reported to the carrier.',
    example: '2026-08-28',
  }).optional(),
  contact_date: calendarDate({
    description: 'Date on which the policyholder was contacted.',
    example: '2026-08-28',
  }).optional(),
  inspection_date: calendarDate({
    description: 'Date of the inspection. Does not schedule an appointment.',
    example: '2026-09-01',
  }).optional(),
  additional_contacts: arrayOf(
    LIMITS.additionalContacts,
    additionalContact,
    `an array of at most ${LIMITS.additionalContacts} contacts`,
    {
      description: 'Other people or companies involved.',
      example: [{ first_name: 'Ray', last_name: 'Okafor', phone: '239-555-0121', role: 'Tenant' }],
    },
  ).optional(),
  agent: agent.optional(),
  mortgagee: mortgagee.optional(),
  building: building.optional(),
  coverages: coverages.optional(),
  estimate: estimate.optional(),
};

const { external_id, claim_number, ...otherRequestFields } = claimFields;

export const sendClaimBody = fields({
  external_id,
  claim_number,
  adjuster_svc_id: adjusterSvcId,
  ...otherRequestFields,
}).meta({ id: 'SendClaimRequest', description: 'A claim, and the adjuster to offer it to.' });
export type SendClaimBody = z.output<typeof sendClaimBody>;
/** What the operations have that take it. */
export const sendsClaim = {
  body: sendClaimBody,
  rules: [
    crossFieldRule(sendClaimBody, ['/building/occupancy_type', '/building/building_type'], checkBuildingPair),
    crossFieldRule(sendClaimBody, ['/policy/effective_date', '/policy/expiration_date'], checkPolicyTerm),
  ],
  pointers: {
    building_pair_refused: '/building/building_type',
    policy_term_reversed: '/policy/expiration_date',
  },
} as const;

export const offerClaimBody = fields({ adjuster_svc_id: adjusterSvcId }).meta({
  id: 'OfferClaimRequest',
  description: 'The adjuster to offer the claim to.',
});
export type OfferClaimBody = z.output<typeof offerClaimBody>;

const assignmentSchema = responseObject({
  status: openEnum(ASSIGNMENT_STATUSES, {
    id: 'AssignmentStatus',
    description: 'Status of the latest offer. More values may be added.',
    example: 'accepted',
  }),
  adjuster_svc_id: responseField.text(
    'SVCID of the adjuster the claim was last offered to.',
    'SVC-7F3K-Delacroix',
  ),
  responded_at: responseField
    .dateTime('When the adjuster accepted or rejected; null until then.', '2026-08-29T15:04:11.208Z')
    .nullable(),
  rejection_reason: responseField
    .text("The adjuster's reason for rejecting; null if there is none.", 'Too far from my other files.')
    .nullable(),
}).meta({
  id: 'Assignment',
  description: 'The latest offer of the claim. Earlier offers are not included.',
  example: {
    status: 'accepted',
    adjuster_svc_id: 'SVC-7F3K-Delacroix',
    responded_at: '2026-08-29T15:04:11.208Z',
    rejection_reason: null,
  },
});
export type Assignment = z.output<typeof assignmentSchema>;

const { loss: _, ...fieldsWithoutLoss } = claimFields;
// The peril is optional in requests and always in responses.
const { id: __, ...lossMeta } = loss.meta() ?? {};
const lossSchema = responseSchema(loss.extend({ peril: loss.shape.peril.unwrap() }).meta(lossMeta)).meta({
  id: 'Loss',
});

const {
  external_id: externalIdField,
  claim_number: claimNumberField,
  ...otherFields
} = responseFields(fieldsWithoutLoss);

export const claimSchema = responseObject({
  id: responseField.uuid("The service's id of the claim.", '0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10'),
  external_id: externalIdField,
  claim_number: claimNumberField,
  test: responseField.flag('Whether the claim was sent with a test key. Test claims are not billed.', false),
  created_at: responseField.dateTime('When the claim was sent.', '2026-08-29T14:52:07.113Z'),
  updated_at: responseField.dateTime(
    'Time of the last change that the firm can see: sent, offered, accepted, rejected or unassigned.',
    '2026-08-29T15:04:11.208Z',
  ),
  assignment: assignmentSchema,
  loss: lossSchema,
  ...otherFields,
}).meta({ id: 'Claim', description: 'A claim as it was sent, with its id and current assignment.' });

/** A claim in a response. */
export type ClaimResponse = z.output<typeof claimSchema>;
