import { createHash } from 'node:crypto';
import { z } from 'zod';

const text = (max: number) => z.string().min(1).max(max);
const day = z.string().regex(/^\d{4}-\d\d-\d\d$/);
const whole = (max: number) => z.int().min(0).max(max);
const amount = z.number().min(0).max(9_999_999_999.99).multipleOf(0.01);
const rate = z.number().min(0).max(1);

const address = {
  street: text(255),
  city: text(100),
  state: text(2),
  zip: z.string().regex(/^\d{5}(-\d{4})?$/),
};
const person = z
  .strictObject({
    first_name: text(100),
    last_name: text(100),
    company_name: text(255),
    phone: text(20),
    email: text(255),
  })
  .partial();

export const SendClaim = z.strictObject({
  external_id: text(100),
  claim_number: text(100),
  adjuster_svc_id: text(128),
  loss: z.strictObject({
    date: day,
    peril: z.literal('flood').optional(),
    time: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/)
      .optional(),
    description: text(4000).optional(),
    cause: z
      .enum([
        'tidal_water_overflow',
        'stream_river_lake_overflow',
        'alluvial_fan_overflow',
        'rainfall_snowmelt_accumulation',
        'earth_movement',
        'closed_basin_lake',
        'other',
      ])
      .optional(),
    cat_code: text(20).optional(),
    fico_number: text(20).optional(),
    exterior_water_depth_inches: whole(1200).optional(),
    interior_water_depth_inches: whole(1200).optional(),
    water_duration_hours: whole(8760).optional(),
  }),
  policy: z.strictObject({
    number: text(100),
    effective_date: day.optional(),
    expiration_date: day.optional(),
    original_effective_date: day.optional(),
    form_type: z.enum(['dwelling', 'general_property', 'rcbap']).optional(),
    program_type: z.enum(['regular', 'emergency']).optional(),
    naic_number: z
      .string()
      .regex(/^\d{5}$/)
      .optional(),
  }),
  carrier: z.strictObject({
    name: text(255),
    phone: text(20).optional(),
    email: text(255).optional(),
    address: z.strictObject(address).optional(),
  }),
  loss_location: z.strictObject({ ...address, street2: text(255).optional(), county: text(100).optional() }),
  policyholder: person.extend({
    alternate_phone: text(20).optional(),
    mailing_address: z.strictObject(address).optional(),
  }),
  file_number: text(100).optional(),
  instructions: text(4000).optional(),
  reported_date: day.optional(),
  contact_date: day.optional(),
  inspection_date: day.optional(),
  additional_contacts: z
    .array(person.extend({ role: text(100).optional() }))
    .max(20)
    .optional(),
  agent: person.extend({ agency_number: text(50).optional() }).optional(),
  mortgagee: person.extend({ loan_number: text(50).optional() }).optional(),
  building: z
    .strictObject({
      occupancy_type: text(100),
      building_type: text(100),
      firm_status: z.enum(['pre_firm', 'post_firm']),
      firm_date: day,
      construction_date: day,
      flood_zone: z.string().regex(/^(A99|A[EHOR]|VE|[AV]([1-9]|[12]\d|30)?|[BCDX])$/),
      community_number: text(20),
      map_panel_number: text(20),
      construction_type: z.enum(['framed', 'masonry', 'other']),
      number_of_units: whole(100_000),
      first_floor_height_feet: whole(1000),
      first_floor_height_inches: whole(11),
      flood_opening_count: whole(100_000),
    })
    .partial()
    .optional(),
  coverages: z
    .strictObject({
      special_limits_cap: amount,
      building_limit: amount,
      contents_limit: amount,
      building_deductible: amount,
      contents_deductible: amount,
      building_reserve: amount,
      contents_reserve: amount,
      building_advance_payment: amount,
      contents_advance_payment: amount,
      icc_limit: amount,
      building_replacement_cost: amount,
      building_actual_cash_value: amount,
      contents_replacement_cost: amount,
      contents_actual_cash_value: amount,
      building_settlement_basis: z.enum(['replacement_cost', 'actual_cash_value']),
    })
    .partial()
    .optional(),
  estimate: z
    .strictObject({
      contents_tax_rate: rate,
      building_tax_rate: rate,
      overhead_rate: rate,
      profit_rate: rate,
      depreciation_rate: rate,
      price_list: text(50),
    })
    .partial()
    .optional(),
});
export type SendClaim = z.infer<typeof SendClaim>;

export const Page = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  updated_since: z.iso.datetime().default('1970-01-01T00:00:00Z'),
});
export type Page = z.infer<typeof Page>;

export const sha256 = (value: string): string => createHash('sha256').update(value).digest('hex');

export const tokenHashOf = (authorization = ''): string => sha256(authorization.replace(/^Bearer /, ''));

/** A row of the claims table. */
export interface StoredClaim {
  id: string;
  environment: string;
  created_at: Date;
  updated_at: Date;
  status: string;
  adjuster_svc_id: string;
  responded_at: Date | null;
  rejection_reason: string | null;
  offered_at: Date;
  closed_at: Date | null;
  carrier: unknown;
  document: unknown;
}

export const responseOf = (claim: StoredClaim) => ({
  id: claim.id,
  test: claim.environment === 'test',
  created_at: claim.created_at,
  updated_at: claim.updated_at,
  assignment: {
    status: claim.status,
    adjuster_svc_id: claim.adjuster_svc_id,
    responded_at: claim.responded_at,
    rejection_reason: claim.rejection_reason,
  },
  ...(claim.document as Record<string, unknown>),
});

/** @param found one row more than the page, if there are more. */
export function pageOf(found: readonly StoredClaim[], limit: number) {
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return {
    data: page.map(responseOf),
    next_cursor: last ? Buffer.from(JSON.stringify([last.updated_at, last.id])).toString('base64url') : null,
  };
}

export const documentOf = ({ adjuster_svc_id: _, ...content }: SendClaim) => ({
  ...content,
  loss: { ...content.loss, peril: 'flood' },
});

export const nextStamp = (last: Date): Date => new Date(Math.max(Date.now(), last.getTime() + 1));

interface Carrier {
  phone: string | null;
  email: string | null;
  address: unknown;
}

/** The claim as its adjuster sees it. */
export function acceptedOf(
  claim: StoredClaim,
  firm: { id: string; name: string },
  held: Carrier | null | undefined,
) {
  const { phone, email, address } = held ?? {};
  const details = Object.entries({ phone, email, address }).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  const { coverages } = claim.document as { coverages?: object };
  return {
    ...responseOf(claim),
    firm: { id: firm.id, name: firm.name },
    offered_at: claim.offered_at,
    work: {},
    closed_at: claim.closed_at,
    carrier: { ...Object.fromEntries(details), ...(claim.carrier as object) },
    coverages: { special_limits_cap: 2500, ...coverages },
  };
}
