import type { SendClaimBody } from '@svc/contract';

// One column per field, named by its path: `loss.date`, `additional_contacts.0.phone`. Every file has all columns, so
// that files can be concatenated.

const contact = (name: string, ...more: string[]): string[] =>
  ['first_name', 'last_name', 'company_name', 'phone', 'email', ...more].map((part) => `${name}.${part}`);
const address = (name: string): string[] =>
  ['street', 'city', 'state', 'zip'].map((part) => `${name}.${part}`);
const group = (name: string, parts: readonly string[]): string[] => parts.map((part) => `${name}.${part}`);

export const CSV_COLUMNS: readonly string[] = [
  'external_id',
  'claim_number',
  'adjuster_svc_id',
  'file_number',
  'instructions',
  'reported_date',
  'contact_date',
  'inspection_date',
  ...group('loss', ['date', 'peril', 'time', 'cause', 'description', 'cat_code', 'fico_number']),
  ...group('loss', ['exterior_water_depth_inches', 'interior_water_depth_inches', 'water_duration_hours']),
  ...group('policy', ['number', 'effective_date', 'expiration_date', 'original_effective_date']),
  ...group('policy', ['form_type', 'program_type', 'naic_number']),
  ...group('carrier', ['name', 'phone', 'email']),
  ...address('carrier.address'),
  ...group('loss_location', ['street', 'street2', 'city', 'county', 'state', 'zip']),
  ...contact('policyholder', 'alternate_phone'),
  ...address('policyholder.mailing_address'),
  ...group('additional_contacts.0', ['first_name', 'last_name', 'phone', 'role']),
  ...group('additional_contacts.1', ['first_name', 'last_name', 'phone', 'role']),
  ...group('agent', ['company_name', 'phone', 'agency_number']),
  ...group('mortgagee', ['company_name', 'loan_number']),
  ...group('building', ['occupancy_type', 'building_type', 'firm_status', 'firm_date', 'construction_date']),
  ...group('building', ['flood_zone', 'community_number', 'map_panel_number', 'construction_type']),
  ...group('building', ['number_of_units', 'first_floor_height_feet', 'first_floor_height_inches']),
  ...group('building', ['flood_opening_count']),
  ...group('coverages', ['building_limit', 'contents_limit', 'building_deductible', 'contents_deductible']),
  ...group('coverages', ['special_limits_cap', 'building_reserve', 'contents_reserve']),
  ...group('coverages', ['building_advance_payment', 'contents_advance_payment', 'icc_limit']),
  ...group('coverages', ['building_replacement_cost', 'building_actual_cash_value']),
  ...group('coverages', ['contents_replacement_cost', 'contents_actual_cash_value']),
  ...group('coverages', ['building_settlement_basis']),
  ...group('estimate', ['building_tax_rate', 'contents_tax_rate', 'overhead_rate', 'profit_rate']),
  ...group('estimate', ['depreciation_rate', 'price_list']),
];

const PATHS = CSV_COLUMNS.map((column) => column.split('.'));

export const csvHeader = (): string => `${CSV_COLUMNS.join(',')}\n`;

export function csvLine(claim: SendClaimBody): string {
  let line = '';
  for (const path of PATHS) {
    let value: unknown = claim;
    for (const name of path) value = (value as Record<string, unknown> | undefined)?.[name];
    line += line === '' ? quoted(value) : `,${quoted(value)}`;
  }
  return `${line}\n`;
}

function quoted(value: unknown): string {
  if (value === undefined) return '';
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
