import { CLAIM_FIELDS, claimField } from './fields.ts';

/** The field of each column by its name in the header; null: the column is left out. */
export type Columns = Readonly<Record<string, string | null>>;

/** Case and punctuation of headers do not count. `#` stands for "number". */
const folded = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll('_', ' ')
    .replaceAll('#', ' number')
    .replace(/\bno\b\.?/g, 'number')
    .replace(/[^a-z0-9]/g, '');

/**
 * Headers of common claims systems and of FEMA's NFIP claims (FimaNfipClaims v1 and v2, NfipClaims v3), by field. FEMA's
 * columns of codes are not among them.
 */
const KNOWN_HEADERS: Readonly<Record<string, readonly string[]>> = {
  external_id: ['id', 'claim id', 'file id', 'internal id', 'reference', 'reference number', 'assignment id'],
  claim_number: [
    'claim',
    'claim number',
    'carrier claim number',
    'insurer claim number',
    'company claim number',
  ],
  adjuster_svc_id: ['adjuster', 'adjuster id', 'svcid', 'svc id', 'field adjuster', 'assigned adjuster'],
  file_number: ['file number', 'our file number', 'firm file number'],
  instructions: ['notes', 'special instructions', 'comments', 'remarks'],
  reported_date: ['date reported', 'date received', 'received date', 'report date', 'date of notice'],
  contact_date: ['date contacted', 'contacted date', 'first contact'],
  inspection_date: ['date inspected', 'inspected date'],
  'loss.date': ['date of loss', 'loss date', 'dol', 'dateOfLoss'],
  'loss.time': ['time of loss', 'loss time'],
  'loss.description': ['loss description', 'description of loss', 'description', 'facts of loss'],
  'loss.cause': ['cause of loss', 'loss cause'],
  'loss.cat_code': ['cat', 'cat code', 'cat number', 'catastrophe', 'eventDesignationNumber'],
  'loss.fico_number': ['fico', 'fico number'],
  'loss.exterior_water_depth_inches': ['exterior water depth', 'exteriorWaterDepth'],
  'loss.interior_water_depth_inches': ['interior water depth', 'interiorWaterDepth', 'waterDepth'],
  'loss.water_duration_hours': ['flood water duration', 'floodWaterDuration'],
  'policy.number': ['policy', 'policy number', 'policy id'],
  'policy.effective_date': ['policy effective date', 'effective date', 'policy start', 'policy from'],
  'policy.expiration_date': ['policy expiration date', 'expiration date', 'policy end', 'policy to'],
  'policy.original_effective_date': ['original effective date', 'originalNBDate'],
  'policy.naic_number': ['naic', 'naic number', 'naic code'],
  'carrier.name': ['carrier', 'carrier name', 'company', 'insurance company', 'insurer', 'wyo', 'client'],
  'loss_location.street': [
    'loss address',
    'loss street',
    'loss location',
    'property address',
    'risk address',
    'address',
    'address 1',
    'street',
    'street address',
    'insured address',
  ],
  'loss_location.city': ['city', 'loss city', 'property city', 'risk city', 'reportedCity'],
  'loss_location.county': ['county', 'loss county', 'property county'],
  'loss_location.state': ['state', 'loss state', 'property state', 'risk state', 'propertyState'],
  'loss_location.zip': [
    'zip',
    'zip code',
    'postal code',
    'loss zip',
    'loss zip code',
    'property zip',
    'risk zip',
    'reportedZipCode',
  ],
  'policyholder.first_name': ['first name', 'insured first name', 'insured first', 'policyholder first name'],
  'policyholder.last_name': ['last name', 'insured last name', 'insured last', 'policyholder last name'],
  'policyholder.company_name': ['business name', 'insured company', 'insured business', 'organization'],
  'policyholder.phone': [
    'phone',
    'phone number',
    'home phone',
    'insured phone',
    'insured home phone',
    'primary phone',
    'policyholder phone',
  ],
  'policyholder.alternate_phone': [
    'cell',
    'cell phone',
    'mobile',
    'mobile phone',
    'insured cell phone',
    'work phone',
  ],
  'policyholder.email': ['email', 'e-mail', 'email address', 'insured email', 'policyholder email'],
  'building.flood_zone': ['flood zone', 'zone', 'ratedFloodZone', 'floodZone'],
  'building.occupancy_type': ['occupancy'],
  'building.construction_date': ['date built', 'date of construction', 'originalConstructionDate'],
  'building.community_number': [
    'community',
    'community number',
    'nfipRatedCommunityNumber',
    'nfipCommunityNumberCurrent',
  ],
  'building.number_of_units': ['units', 'number of units'],
  'coverages.building_limit': [
    'building coverage',
    'coverage a',
    'building limit',
    'totalBuildingInsuranceCoverage',
  ],
  'coverages.contents_limit': [
    'contents coverage',
    'coverage b',
    'contents limit',
    'totalContentsInsuranceCoverage',
  ],
  'coverages.building_deductible': ['building deductible', 'deductible a'],
  'coverages.contents_deductible': ['contents deductible', 'deductible b'],
  'coverages.building_reserve': ['building reserve', 'reserve a'],
  'coverages.contents_reserve': ['contents reserve', 'reserve b'],
  'coverages.icc_limit': ['icc', 'icc limit', 'iccCoverage'],
  'coverages.building_replacement_cost': ['building rcv', 'buildingReplacementCost'],
  'coverages.building_actual_cash_value': ['building acv', 'buildingPropertyValue'],
  'coverages.contents_replacement_cost': ['contents rcv', 'contentsReplacementCost'],
  'coverages.contents_actual_cash_value': ['contents acv', 'contentsPropertyValue'],
};

/** Fields by folded header: their paths first, then the known headers. */
const FIELD_BY_HEADER: ReadonlyMap<string, string> = new Map([
  ...Object.entries(KNOWN_HEADERS).flatMap(([path, headers]) =>
    headers.map((header): [string, string] => [folded(header), path]),
  ),
  ...CLAIM_FIELDS.map(({ path }): [string, string] => [folded(path), path]),
]);

/** The columns that are remembered, and for the others of the header those known by name; of two for one field, the first. */
export function suggestedColumns(header: readonly string[], remembered: Columns = {}): Columns {
  const fieldOf = new Map(Object.entries(remembered));
  const taken = new Set(header.map((name) => fieldOf.get(name)));
  for (const name of header) {
    if (name === '' || fieldOf.has(name)) continue;
    const field = FIELD_BY_HEADER.get(folded(name));
    fieldOf.set(name, field === undefined || taken.has(field) ? null : field);
    taken.add(field);
  }
  return Object.fromEntries(fieldOf);
}

/** What is wrong with a map, by column; columns that the file does not have are ignored: files differ. */
export function columnProblems(
  columns: Columns,
  header: readonly string[],
): { column: string; detail: string }[] {
  const columnOf = new Map<string, string>();
  const present = new Set(header);
  return Object.entries(columns).flatMap(([column, path]) => {
    if (path === null) return [];
    if (claimField(path) === undefined)
      return [{ column, detail: `${JSON.stringify(path)} is not a field of a claim.` }];
    if (!present.has(column)) return [];
    const other = columnOf.get(path);
    columnOf.set(path, column);
    return other === undefined
      ? []
      : [{ column, detail: `The column ${JSON.stringify(other)} has the field ${path} already.` }];
  });
}

/**
 * What to remember of a map for files with this header: one column for each field, and those known by name that were left
 * out, so that it stays small.
 */
export function columnsToRemember(columns: Columns, header: readonly string[]): Columns {
  const fieldOf = new Map(Object.entries(columns));
  const columnOf = new Map<string, string>();
  for (const column of header) {
    const path = fieldOf.get(column);
    if (path != null && claimField(path) !== undefined && !columnOf.has(path)) columnOf.set(path, column);
  }
  const leftOut = Object.entries(suggestedColumns(header)).filter(
    ([column, path]) => path !== null && fieldOf.get(column) == null,
  );
  return Object.fromEntries([
    ...[...columnOf].map(([path, column]): [string, string] => [column, path]),
    ...leftOut.map(([column]): [string, null] => [column, null]),
  ]);
}
