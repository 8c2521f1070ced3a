import { decode, type Encoding, UnreadableCsv } from './decode.ts';
import { quotedCsv } from './write-csv.ts';

export { ENCODINGS, type Encoding, UnreadableCsv } from './decode.ts';
export { spreadsheetCsv } from './write-csv.ts';

// What a page does with a file before the service reads it, without the schemas, which are large.

/** The paths of `CLAIM_FIELDS`, those that are required with a star; a test compares them. */
const MARKED_PATHS = `
  external_id* claim_number* adjuster_svc_id* loss.date* loss.peril loss.time loss.description loss.cause
  loss.cat_code loss.fico_number loss.exterior_water_depth_inches loss.interior_water_depth_inches
  loss.water_duration_hours policy.number* policy.effective_date policy.expiration_date
  policy.original_effective_date policy.form_type policy.program_type policy.naic_number carrier.name*
  carrier.phone carrier.email carrier.address.street carrier.address.city carrier.address.state
  carrier.address.zip loss_location.street* loss_location.street2 loss_location.city* loss_location.county
  loss_location.state* loss_location.zip* policyholder.first_name policyholder.last_name
  policyholder.company_name policyholder.phone policyholder.email policyholder.address.street
  policyholder.address.city policyholder.address.state policyholder.address.zip
  policyholder.mailing_address.street policyholder.mailing_address.city policyholder.mailing_address.state
  policyholder.mailing_address.zip policyholder.alternate_phone file_number instructions reported_date
  contact_date inspection_date agent.first_name agent.last_name agent.company_name agent.phone agent.email
  agent.address.street agent.address.city agent.address.state agent.address.zip agent.agency_number
  mortgagee.first_name mortgagee.last_name mortgagee.company_name mortgagee.phone mortgagee.email
  mortgagee.address.street mortgagee.address.city mortgagee.address.state mortgagee.address.zip
  mortgagee.loan_number building.occupancy_type building.building_type building.firm_status
  building.firm_date building.construction_date building.flood_zone building.community_number
  building.map_panel_number building.construction_type building.number_of_units
  building.first_floor_height_feet building.first_floor_height_inches building.flood_opening_count
  coverages.special_limits_cap coverages.building_limit coverages.contents_limit
  coverages.building_deductible coverages.contents_deductible coverages.building_reserve
  coverages.contents_reserve coverages.building_advance_payment coverages.contents_advance_payment
  coverages.icc_limit coverages.building_replacement_cost coverages.building_actual_cash_value
  coverages.contents_replacement_cost coverages.contents_actual_cash_value
  coverages.building_settlement_basis estimate.contents_tax_rate estimate.building_tax_rate
  estimate.overhead_rate estimate.profit_rate estimate.depreciation_rate estimate.price_list
`
  .trim()
  .split(/\s+/);

export const FIELD_PATHS: readonly string[] = MARKED_PATHS.map((path) => path.replace('*', ''));
/** Besides, a policyholder has a name or a company name, and a phone number or an email address. */
export const REQUIRED_PATHS: readonly string[] = FIELD_PATHS.filter((path) =>
  MARKED_PATHS.includes(`${path}*`),
);

/** The same export of another day has another date in its name: the columns are remembered without digits. */
export const nameOfFile = (fileName: string): string =>
  fileName
    .replace(/\.\w+$/, '')
    .replace(/[\d_.-]+/g, ' ')
    .trim() || 'CSV';

/** What a page holds in memory. */
const MAX_CHARACTERS = 20_000_000;
/** Of one request: less than the service takes, since quotes and line breaks grow in JSON. */
const PART_ROWS = 2000;
const PART_CHARACTERS = 600_000;

/** A file in the encoding that is named, or that it shows, in parts. */
export function readInParts(bytes: Uint8Array, named?: Encoding) {
  const { text, encoding } = decode(bytes, named);
  if (text.length > MAX_CHARACTERS)
    throw new UnreadableCsv('The file has more than 20,000,000 characters: split it into several files.');
  // The service takes no text with one, and cannot say where it is: a workbook, or a damaged export.
  const [before, after] = text.split('\0', 2);
  if (after !== undefined)
    throw new UnreadableCsv(
      `Line ${before?.split(/\r\n|\r|\n/).length} has a NUL character. Save the file as "CSV UTF-8".`,
    );
  return { encoding, parts: splitCsv(text, PART_ROWS, PART_CHARACTERS) };
}

const valueAt = (claim: object, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => Object(value)[name], claim);

/** A file of claims, with a column for each field that one of them has. */
export function csvOfClaims(claims: readonly object[]): string {
  const paths = FIELD_PATHS.filter((path) => claims.some((claim) => valueAt(claim, path) !== undefined));
  const rows = [paths, ...claims.map((claim) => paths.map((path) => String(valueAt(claim, path) ?? '')))];
  return quotedCsv(rows);
}

export interface CsvPart {
  /** What the service reads of it. */
  readonly content: {
    readonly text: string;
    /** The number of its first row in the whole file, as a spreadsheet counts; undefined: it is the whole file. */
    readonly first_row: number | undefined;
  };
  readonly rows: number;
}

/** Where each row of the file ends: not at a line break in quotes. */
function rowEnds(text: string): number[] {
  const ends: number[] = [];
  let isQuoted = false;
  let isFieldStart = true;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (isQuoted) {
      // A doubled quote ends the quotes and starts them again.
      if (character === '"') isQuoted = false;
      isFieldStart = character === '"';
      continue;
    }
    if (character === '"' && isFieldStart) isQuoted = true;
    const isEnd = character === '\n' || (character === '\r' && text[at + 1] !== '\n');
    if (isEnd) ends.push(at + 1);
    isFieldStart = isEnd || (character !== undefined && ',;\t|'.includes(character));
  }
  if (ends.at(-1) !== text.length) ends.push(text.length);
  return ends;
}

/** The parts of a file, each with the header. A file within the limits has one. */
export function splitCsv(text: string, maxRows: number, maxCharacters: number): [CsvPart, ...CsvPart[]] {
  const [separator = ''] = /^\ufeff?(sep=.\r?\n)?/i.exec(text) ?? [];
  const content = text.slice(separator.length);
  const ends = rowEnds(content);
  const headerRow = ends.findIndex((end, row) => content.slice(ends[row - 1] ?? 0, end).trim() !== '');
  const header = separator + content.slice(ends[headerRow - 1] ?? 0, ends[headerRow]);
  const parts: CsvPart[] = [];
  let first = headerRow + 1;
  while (first < ends.length) {
    const start = ends[first - 1] ?? 0;
    let next = first + 1;
    while (
      next < ends.length &&
      next - first < maxRows &&
      header.length + (ends[next] ?? 0) - start <= maxCharacters
    )
      next += 1;
    const part = { text: header + content.slice(start, ends[next - 1]), first_row: first + 1 };
    parts.push({ content: part, rows: next - first });
    first = next;
  }
  const [one, ...others] = parts;
  return one === undefined || others.length === 0
    ? [{ content: { text, first_row: undefined }, rows: ends.length - 1 }]
    : [one, ...others];
}
