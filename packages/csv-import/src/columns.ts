import { FIELD_PATHS, LAST_FIRST_NAME } from './field-paths.ts';

/** The field of each column by its name in the header; null: the column is left out. */
export type Columns = Readonly<Record<string, string | null>>;

/** Which column has the field, or which of the fields the column has, is for a person to say. */
export interface ColumnQuestion {
  readonly columns: readonly string[];
  readonly fields: readonly string[];
}

/** Case and punctuation of headers do not count. `#` stands for "number". */
const folded = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll('_', ' ')
    .replaceAll('#', ' number')
    .replace(/\bno\b/g, 'number')
    .replace(/[^a-z0-9]/g, '');

/**
 * Headers of common claims systems and of FEMA's NFIP claims (FimaNfipClaims v1 and v2, NfipClaims v3), by field: those
 * that name it, and those that name something more general. FEMA's columns of codes are not among them.
 */
const KNOWN_HEADERS: Readonly<
  Record<string, readonly [exact: readonly string[], general?: readonly string[]]>
> = {
  external_id: [
    ['claim id', 'file id', 'internal id', 'assignment id'],
    ['id', 'reference', 'reference number'],
  ],
  claim_number: [
    ['claim number', 'carrier claim number', 'insurer claim number', 'company claim number'],
    ['claim'],
  ],
  adjuster_svc_id: [
    ['adjuster id', 'svcid', 'svc id'],
    ['adjuster', 'field adjuster', 'assigned adjuster', 'adjuster name', 'adjuster email'],
  ],
  file_number: [['file number', 'our file number', 'firm file number']],
  instructions: [['special instructions'], ['notes', 'comments', 'remarks']],
  reported_date: [['date reported', 'date received', 'received date', 'report date', 'date of notice']],
  contact_date: [['date contacted', 'contacted date', 'first contact']],
  inspection_date: [['date inspected', 'inspected date']],
  'loss.date': [['date of loss', 'loss date', 'dol', 'dateOfLoss']],
  'loss.time': [['time of loss', 'loss time']],
  'loss.description': [['loss description', 'description of loss', 'facts of loss'], ['description']],
  'loss.cause': [['cause of loss', 'loss cause']],
  'loss.cat_code': [
    ['cat code', 'cat number', 'eventDesignationNumber'],
    ['cat', 'catastrophe'],
  ],
  'loss.fico_number': [['fico number'], ['fico']],
  'loss.exterior_water_depth_inches': [['exterior water depth']],
  'loss.interior_water_depth_inches': [['interior water depth'], ['waterDepth']],
  'loss.water_duration_hours': [['flood water duration']],
  'policy.number': [['policy number'], ['policy', 'policy id']],
  'policy.effective_date': [['policy effective date', 'policy start', 'policy from'], ['effective date']],
  'policy.expiration_date': [['policy expiration date', 'policy end', 'policy to'], ['expiration date']],
  'policy.original_effective_date': [['original effective date', 'originalNBDate']],
  'policy.naic_number': [['naic number', 'naic code'], ['naic']],
  'carrier.name': [
    ['carrier', 'carrier name', 'insurance company', 'insurer', 'wyo'],
    ['company', 'client'],
  ],
  'loss_location.street': [
    ['loss address', 'loss address 1', 'loss street', 'loss location', 'property address', 'risk address'],
    ['address', 'address 1', 'street', 'street address', 'insured address'],
  ],
  'loss_location.street2': [['loss address 2', 'property address 2', 'risk address 2'], ['address 2']],
  'loss_location.city': [['loss city', 'property city', 'risk city', 'reportedCity'], ['city']],
  'loss_location.county': [['loss county', 'property county', 'risk county'], ['county']],
  'loss_location.state': [['loss state', 'property state', 'risk state'], ['state']],
  'loss_location.zip': [
    ['loss zip', 'loss zip code', 'property zip', 'property zip code', 'risk zip', 'reportedZipCode'],
    ['zip', 'zip code', 'postal code'],
  ],
  'policyholder.first_name': [['insured first name', 'insured first'], ['first name']],
  'policyholder.last_name': [['insured last name', 'insured last'], ['last name']],
  'policyholder.company_name': [
    ['insured company', 'insured business'],
    ['business name', 'organization'],
  ],
  'policyholder.phone': [
    ['insured phone', 'insured home phone'],
    ['phone', 'phone number', 'home phone', 'primary phone'],
  ],
  'policyholder.alternate_phone': [
    ['alternate phone', 'insured cell phone'],
    ['cell', 'cell phone', 'mobile', 'mobile phone', 'work phone'],
  ],
  'policyholder.email': [['insured email'], ['email', 'e-mail', 'email address']],
  'building.flood_zone': [['ratedFloodZone'], ['flood zone', 'zone']],
  'building.occupancy_type': [['occupancy']],
  'building.construction_date': [['date built', 'date of construction', 'originalConstructionDate']],
  'building.community_number': [
    ['community number', 'nfipRatedCommunityNumber'],
    ['community', 'nfipCommunityNumberCurrent'],
  ],
  'building.number_of_units': [['number of units'], ['units']],
  'coverages.building_limit': [
    ['building coverage', 'coverage a', 'building limit', 'totalBuildingInsuranceCoverage'],
  ],
  'coverages.contents_limit': [
    ['contents coverage', 'coverage b', 'contents limit', 'totalContentsInsuranceCoverage'],
  ],
  'coverages.building_deductible': [['building deductible', 'deductible a']],
  'coverages.contents_deductible': [['contents deductible', 'deductible b']],
  'coverages.building_reserve': [['building reserve', 'reserve a']],
  'coverages.contents_reserve': [['contents reserve', 'reserve b']],
  'coverages.icc_limit': [['icc limit', 'iccCoverage'], ['icc']],
  'coverages.building_replacement_cost': [['building rcv', 'buildingReplacementCost']],
  'coverages.building_actual_cash_value': [['building acv', 'buildingPropertyValue']],
  'coverages.contents_replacement_cost': [['contents rcv', 'contentsReplacementCost']],
  'coverages.contents_actual_cash_value': [['contents acv', 'contentsPropertyValue']],
};

/** A whole name, of a person or of a company: which, and in which order, a header does not say. */
const WHOLE_NAMES = new Set(
  ['name', 'full name', 'insured', 'insured name', 'named insured', 'policyholder', 'policyholder name'].map(
    folded,
  ),
);
const NAME_FIELDS = [LAST_FIRST_NAME, 'policyholder.company_name'];
const PARTS_OF_NAME = ['policyholder.first_name', 'policyholder.last_name', LAST_FIRST_NAME];

/** Of the loss location: beside a general street that is not it, general names are those of another address, too. */
const STREET = 'loss_location.street';
const WITH_STREET = ['city', 'county', 'state', 'zip', 'street2'].map((name) => `loss_location.${name}`);

interface Known {
  readonly path: string;
  readonly isExact: boolean;
}

/** Fields by folded header. A path of one wins, and the other names. */
const KNOWN: ReadonlyMap<string, Known> = new Map([
  ...Object.entries(KNOWN_HEADERS).flatMap(([path, [exact, general = []]]) =>
    [general, exact].flatMap((headers) =>
      headers.map((header): [string, Known] => [folded(header), { path, isExact: headers === exact }]),
    ),
  ),
  ...FIELD_PATHS.map((path): [string, Known] => [folded(path), { path, isExact: true }]),
]);

/** Columns of one name are numbered: each may be it. */
const nameIn = (column: string): string => folded(column.replace(/ \(\d+\)$/, ''));

const isKnown = (name: string): boolean => KNOWN.has(name) || WHOLE_NAMES.has(name);

/** How many of the cells are names of columns that are known. */
export const knownColumns = (cells: readonly string[]): number =>
  cells.filter((cell) => isKnown(folded(cell))).length;

/**
 * The columns that are remembered, and for the others of the header those known by name: exact names come before general
 * ones. Where two columns may have a field, that is a question, and neither is among the columns.
 */
export function suggestColumns(
  header: readonly string[],
  remembered: Columns = {},
): { readonly columns: Columns; readonly questions: readonly ColumnQuestion[] } {
  const fieldOf = new Map(Object.entries(remembered));
  const taken = new Set(header.flatMap((name) => fieldOf.get(name) ?? []));
  const unknown = header.filter((name) => name !== '' && !fieldOf.has(name));
  const questions: ColumnQuestion[] = [];
  const candidates = new Map<string, { exact: string[]; general: string[] }>();
  for (const column of unknown) {
    const known = KNOWN.get(nameIn(column));
    if (known === undefined || taken.has(known.path)) continue;
    const ofField = candidates.get(known.path) ?? { exact: [], general: [] };
    candidates.set(known.path, ofField);
    ofField[known.isExact ? 'exact' : 'general'].push(column);
  }
  const street = candidates.get(STREET);
  const hasOtherAddress = street !== undefined && street.exact.length > 0 && street.general.length > 0;
  for (const [field, { exact, general }] of candidates) {
    const columns = exact.length > 0 ? exact : general;
    const [column, ...others] = columns;
    const isOfOther = hasOtherAddress && exact.length === 0 && WITH_STREET.includes(field);
    if (column !== undefined && others.length === 0 && !isOfOther) fieldOf.set(column, field);
    else questions.push({ columns, fields: [field] });
  }
  const whole = unknown.filter((name) => WHOLE_NAMES.has(nameIn(name)));
  const hasName = [...PARTS_OF_NAME, 'policyholder.company_name'].some(
    (field) => taken.has(field) || candidates.has(field),
  );
  if (!hasName) questions.push(...whole.map((column) => ({ columns: [column], fields: NAME_FIELDS })));
  const asked = new Set(questions.flatMap(({ columns }) => columns));
  for (const column of unknown) if (!fieldOf.has(column) && !asked.has(column)) fieldOf.set(column, null);
  return { columns: Object.fromEntries(fieldOf), questions };
}

export const questionText = ({ columns, fields }: ColumnQuestion): string => {
  const names = columns.map((name) => JSON.stringify(name)).join(', ');
  const [field = ''] = fields;
  if (columns.length > 1)
    return `Each of the columns ${names} may have the field ${field}: give it to one of them, and leave out the others.`;
  return fields.length > 1
    ? `The column ${names} has whole names: give it the field ${fields.join(' (such as REYES, ANA) or ')}.`
    : `The column ${names} may be of another address: give it the field ${field}, or leave it out.`;
};

/** What is wrong with a map, by column; columns that the file does not have are ignored: files differ. */
export function columnProblems(
  columns: Columns,
  header: readonly string[],
): { column: string; detail: string }[] {
  const columnOf = new Map<string, string>();
  const present = new Set(header);
  return Object.entries(columns).flatMap(([column, path]) => {
    if (path === null) return [];
    if (!FIELD_PATHS.includes(path))
      return [{ column, detail: `${JSON.stringify(path)} is not a field of a claim.` }];
    if (!present.has(column)) return [];
    const fields = path === LAST_FIRST_NAME ? PARTS_OF_NAME : [path];
    const taken = fields.find((field) => columnOf.has(field));
    for (const field of fields) columnOf.set(field, columnOf.get(field) ?? column);
    return taken === undefined
      ? []
      : [
          {
            column,
            detail: `The column ${JSON.stringify(columnOf.get(taken))} has the field ${taken} already.`,
          },
        ];
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
    if (path != null && FIELD_PATHS.includes(path) && !columnOf.has(path)) columnOf.set(path, column);
  }
  const leftOut = header.filter((column) => fieldOf.get(column) == null && isKnown(nameIn(column)));
  return Object.fromEntries([
    ...[...columnOf].map(([path, column]): [string, string] => [column, path]),
    ...leftOut.slice(0, FIELD_PATHS.length).map((column): [string, null] => [column, null]),
  ]);
}
