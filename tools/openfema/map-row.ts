// Maps one row of FEMA's file to a claim, and reports values that a claim cannot hold.
import type { NewClaim } from '@svc/client';
import {
  isCalendarDate,
  LIMITS,
  LOSS_LOCATION_STATES,
  NON_RESIDENTIAL_BUILDING_TYPES,
  NON_RESIDENTIAL_OCCUPANCY_TYPES,
  type SendClaimBody,
  suggestedFloodZone,
} from '@svc/contract';
import { BUILDINGS, CAUSES, DEDUCTIBLES, OCCUPANCIES } from './codes.ts';
import type { Cell, Field, Row } from './columns.ts';
import { placeholdersFor } from './placeholders.ts';

export interface Note {
  readonly column: string;
  readonly value: string;
  /** `normalized`: sent in another format. `left_out`: not sent, or only in part. `skipped`: the row is not a claim. */
  readonly action: 'normalized' | 'left_out' | 'skipped';
  readonly what: string;
}

export type RowResult =
  | { readonly ok: true; readonly body: NewClaim; readonly notes: readonly Note[] }
  | { readonly ok: false; readonly id: string | null; readonly notes: readonly Note[] };

type Building = NonNullable<SendClaimBody['building']>;
type OccupancyType = NonNullable<Building['occupancy_type']>;
type BuildingType = NonNullable<Building['building_type']>;
type Part = object;

/** Older dates are placeholders; FEMA's files contain 1492-10-12. */
const OLDEST_DATE = '1600-01-01';
/** The lowest assigned ZIP code is 00501. */
const LOWEST_ZIP = 501;

const states: ReadonlySet<string> = new Set(LOSS_LOCATION_STATES);
const nonResidentialOccupancies: ReadonlySet<string> = new Set(NON_RESIDENTIAL_OCCUPANCY_TYPES);
const nonResidentialBuildings: ReadonlySet<string> = new Set(NON_RESIDENTIAL_BUILDING_TYPES);

export function mapRow(row: Row, adjuster: string): RowResult {
  const notes: Note[] = [];
  const normalized = (cell: Cell, reason: string): void => {
    notes.push({ ...cell, action: 'normalized', what: reason });
  };
  const leftOut = (cell: Cell, reason: string): undefined => {
    notes.push({ ...cell, action: 'left_out', what: reason });
    return undefined;
  };
  const skips: Note[] = [];
  const skip = (column: string, value: string, reason: string): undefined => {
    skips.push({ column, value, action: 'skipped', what: reason });
    return undefined;
  };

  const id = row('id')?.value ?? null;
  if (id === null) skip('id', '', 'a claim needs an id');
  else if (id.length > LIMITS.externalId.max)
    skip('id', id, `longer than ${LIMITS.externalId.max} characters`);
  const state = stateOf();
  const zip = zipOf();
  const lossDate = lossDateOf();
  if (id === null || state === undefined || zip === undefined || lossDate === undefined || skips.length > 0)
    return { ok: false, id, notes: skips };

  const placeholders = placeholdersFor(id);
  const occupancy = occupancyOf();
  const causeOfLoss = causeOf();
  const isNonResidential = occupancy !== undefined && nonResidentialOccupancies.has(occupancy);

  const body = {
    external_id: id,
    claim_number: placeholders.claimNumber,
    adjuster_svc_id: adjuster,
    instructions: `Imported from OpenFEMA claim ${id}. Names, streets, phones and numbers are placeholders, because FEMA does not publish them.`,
    loss: withoutUndefined({
      date: lossDate,
      peril: 'flood',
      cause: causeOfLoss.cause,
      cat_code: catastropheOf(),
      fico_number: textOf('ficoNumber', LIMITS.ficoNumber.max),
      exterior_water_depth_inches: depthOf('exteriorWaterDepth'),
      interior_water_depth_inches: depthOf('interiorWaterDepth'),
      water_duration_hours: integerOf('waterDuration', LIMITS.waterDurationHours),
      description: descriptionOf(causeOfLoss.descriptions),
    }),
    policy: withoutUndefined({
      number: placeholders.policyNumber,
      original_effective_date: dateOf('firstPolicyDate'),
    }),
    carrier: { name: placeholders.carrier },
    loss_location: { street: placeholders.street, city: cityOf(), state, zip },
    policyholder: isNonResidential
      ? { company_name: placeholders.companyName, phone: placeholders.phone, email: placeholders.email }
      : {
          first_name: placeholders.firstName,
          last_name: placeholders.lastName,
          phone: placeholders.phone,
          email: placeholders.email,
        },
    building: unlessEmpty(
      withoutUndefined({
        occupancy_type: occupancy,
        building_type: buildingTypeOf(occupancy),
        firm_status: firmStatusOf(),
        construction_date: constructionDateOf(),
        flood_zone: floodZoneOf(),
        community_number: communityOf(),
        number_of_units: integerOf('numberOfUnits', LIMITS.numberOfUnits),
      }),
    ),
    coverages: unlessEmpty(
      withoutUndefined({
        building_limit: dollarsOf('buildingLimit'),
        contents_limit: dollarsOf('contentsLimit'),
        building_deductible: deductibleOf('buildingDeductible'),
        contents_deductible: deductibleOf('contentsDeductible'),
        icc_limit: dollarsOf('iccLimit'),
        building_replacement_cost: dollarsOf('buildingReplacementCost'),
        building_actual_cash_value: dollarsOf('buildingValue'),
        contents_replacement_cost: dollarsOf('contentsReplacementCost'),
        contents_actual_cash_value: dollarsOf('contentsValue'),
        building_settlement_basis: settlementBasisOf(),
      }),
    ),
  };
  return { ok: true, body: withoutUndefined(body) as NewClaim, notes };

  function stateOf(): string | undefined {
    const cell = row('state');
    if (!cell) return skip('state', '', 'a claim needs the state of the property');
    const state = cell.value.toUpperCase();
    if (!states.has(state))
      return skip(cell.column, cell.value, 'not a state or territory of the flood program');
    if (state !== cell.value) normalized(cell, `sent as ${state}`);
    return state;
  }

  function zipOf(): string | undefined {
    const cell = row('zip');
    if (!cell) return skip('reportedZipCode', '', 'a claim needs the ZIP code of the property');
    const zip = asZip(cell.value);
    if (zip === null) return skip(cell.column, cell.value, 'not a ZIP code');
    if (zip !== cell.value) normalized(cell, `sent as ${zip}`);
    return zip;
  }

  function lossDateOf(): string | undefined {
    const cell = row('dateOfLoss');
    if (!cell) return skip('dateOfLoss', '', 'a claim needs the date of the loss');
    return validDate(cell, (reason) => skip(cell.column, cell.value, reason));
  }

  function cityOf(): string {
    const cell = row('city');
    // FEMA's text for a withheld city.
    if (!cell || /unavailable/i.test(cell.value)) return placeholders.city;
    if (cell.value.length <= LIMITS.city.max) return cell.value;
    leftOut(cell, `longer than ${LIMITS.city.max} characters: a placeholder is sent`);
    return placeholders.city;
  }

  function dateOf(field: Field): string | undefined {
    const cell = row(field);
    return cell ? validDate(cell, (reason) => leftOut(cell, reason)) : undefined;
  }

  function constructionDateOf(): string | undefined {
    const cell = row('constructionDate');
    const built = dateOf('constructionDate');
    if (!cell || built === undefined || lossDate === undefined || built <= lossDate) return built;
    return leftOut(cell, `after the loss on ${lossDate}`);
  }

  function floodZoneOf(): string | undefined {
    const cell = row('floodZone');
    if (!cell) return undefined;
    const zone = suggestedFloodZone(cell.value);
    if (zone === null) return leftOut(cell, 'none of the 72 flood zones');
    if (zone !== cell.value) normalized(cell, `sent as ${zone}`);
    return zone;
  }

  function occupancyOf(): OccupancyType | undefined {
    const cell = row('occupancy');
    if (!cell) return undefined;
    return OCCUPANCIES[asCode(cell.value)] ?? leftOut(cell, 'not an occupancy code of FEMA');
  }

  function buildingTypeOf(occupancy: OccupancyType | undefined): BuildingType | undefined {
    const cell = row('buildingDescription');
    if (!cell) return undefined;
    const buildingType = BUILDINGS[asCode(cell.value)];
    if (buildingType === undefined) return leftOut(cell, 'not a building description code of FEMA');
    if (buildingType === 'other') return isNonResidential ? 'other_non_residential' : 'other_residential';
    if (nonResidentialBuildings.has(buildingType) === isNonResidential) return buildingType;
    if (buildingType === 'manufactured_home' && occupancy === 'residential_manufactured_home') {
      normalized(cell, 'sent as main_dwelling: how a manufactured home that is lived in is written');
      return 'main_dwelling';
    }
    return leftOut(
      cell,
      `${buildingType} is not valid for ${occupancy ?? 'a building without an occupancy'}`,
    );
  }

  function firmStatusOf(): 'pre_firm' | 'post_firm' | undefined {
    const [post, pre] = [row('postFirm'), row('preFirm')];
    const isPost = post && asFlag(post.value);
    const isPre = pre && asFlag(pre.value);
    if (post && isPost === null) leftOut(post, 'neither yes nor no');
    if (pre && isPre === null) leftOut(pre, 'neither yes nor no');
    if (pre && isPre !== null && isPre === isPost)
      return leftOut(pre, `contradicts ${post?.column}: both are omitted`);
    const isPostFirm = isPost ?? (isPre === null ? null : !isPre);
    return isPostFirm === null ? undefined : isPostFirm ? 'post_firm' : 'pre_firm';
  }

  function communityOf(): string | undefined {
    const cell = row('communityNumber');
    if (!cell) return undefined;
    const withoutDecimals = cell.value.replace(/\.0+$/, '');
    // Six digits starting with the state's two; programs that read numbers drop a leading zero.
    const number = /^\d{5}$/.test(withoutDecimals) ? `0${withoutDecimals}` : withoutDecimals;
    if (number.length > LIMITS.communityNumber.max)
      return leftOut(cell, `longer than ${LIMITS.communityNumber.max} characters`);
    if (number !== cell.value) normalized(cell, `sent as ${number}`);
    return number;
  }

  function causeOf(): { cause: string | undefined; descriptions: readonly string[] } {
    const cell = row('cause');
    if (!cell) return { cause: undefined, descriptions: [] };
    const codes = [...new Set(cell.value.toUpperCase().replace(/\.0+$|[\s,;/]+/g, ''))];
    const knownCauses = codes.map((code) => CAUSES[code]).filter((entry) => entry !== undefined);
    if (knownCauses.length < codes.length)
      leftOut(cell, "holds a code that FEMA's list of causes does not have");
    const descriptions = knownCauses.map((entry) => entry.words);
    const causes = knownCauses.filter((entry) => entry.cause !== null);
    if (causes.length < knownCauses.length)
      leftOut(
        cell,
        'a code says how the claim was handled, not what the cause was: kept in loss.description',
      );
    const [first, ...otherCauses] = causes;
    if (!first) return { cause: undefined, descriptions };
    if (otherCauses.length > 0) {
      leftOut(cell, 'several causes, and a claim takes one: kept in loss.description');
      return { cause: undefined, descriptions };
    }
    if (!first.exact) leftOut(cell, `sent as ${first.cause}; "${first.words}" kept in loss.description`);
    return {
      cause: first.cause ?? undefined,
      descriptions: first.exact && knownCauses.length === 1 ? [] : descriptions,
    };
  }

  function catastropheOf(): string | undefined {
    const cell = row('eventNumber') ?? row('eventName');
    if (!cell) return undefined;
    if (cell.value.length <= LIMITS.catastropheCode.max) return cell.value;
    return leftOut(cell, `longer than ${LIMITS.catastropheCode.max} characters: kept in loss.description`);
  }

  function descriptionOf(causes: readonly string[]): string | undefined {
    const [event, number] = [row('eventName'), row('eventNumber')];
    const name = event ?? number;
    const sentences = [
      ...(name ? [`Flood event: ${event && number ? `${event.value} (${number.value})` : name.value}.`] : []),
      ...(causes.length > 0 ? [`Cause of damage: ${causes.join('; ')}.`] : []),
    ];
    return sentences.length === 0 ? undefined : sentences.join(' ').slice(0, LIMITS.lossDescription.max);
  }

  function depthOf(field: 'exteriorWaterDepth' | 'interiorWaterDepth'): number | undefined {
    const cell = row(field);
    if (cell && /^-\d/.test(cell.value))
      return leftOut(cell, 'below the floor it is measured from, and a claim takes no depth below 0');
    return integerOf(field, LIMITS.waterDepthInches);
  }

  function integerOf(field: Field, { min, max }: { min: number; max: number }): number | undefined {
    const cell = row(field);
    if (!cell) return undefined;
    if (!/^-?\d+(\.0+)?$/.test(cell.value)) return leftOut(cell, 'not an integer');
    const number = Number(cell.value);
    return number >= min && number <= max ? number : leftOut(cell, `not from ${min} to ${max}`);
  }

  function dollarsOf(field: Field): number | undefined {
    const cell = row(field);
    if (!cell) return undefined;
    // Spreadsheets write 1.25E+07.
    if (!/^\d+(\.\d{1,2}0*)?$|^\d(\.\d+)?e\+?\d+$/i.test(cell.value))
      return leftOut(cell, 'not an amount in dollars and cents');
    const dollars = Number(cell.value);
    return dollars <= LIMITS.amount.max && Number(dollars.toFixed(2)) === dollars
      ? dollars
      : leftOut(cell, `not an amount from 0 to ${LIMITS.amount.max} with at most 2 decimals`);
  }

  function deductibleOf(field: Field): number | undefined {
    const cell = row(field);
    if (!cell) return undefined;
    return DEDUCTIBLES[asCode(cell.value).toUpperCase()] ?? leftOut(cell, 'not a deductible code of FEMA');
  }

  function settlementBasisOf(): 'replacement_cost' | 'actual_cash_value' | undefined {
    const cell = row('settlementBasis');
    if (!cell) return undefined;
    if (/^r$/i.test(cell.value)) return 'replacement_cost';
    return /^a$/i.test(cell.value) ? 'actual_cash_value' : leftOut(cell, 'neither R nor A');
  }

  function textOf(field: Field, max: number): string | undefined {
    const cell = row(field);
    if (!cell) return undefined;
    return cell.value.length <= max ? cell.value : leftOut(cell, `longer than ${max} characters`);
  }
}

const withoutUndefined = (part: Part): Part =>
  Object.fromEntries(Object.entries(part).filter(([, value]) => value !== undefined));

const unlessEmpty = (part: Part): Part | undefined => (Object.keys(part).length === 0 ? undefined : part);

/** Codes can be written `1`, `01` or `1.0`. */
const asCode = (value: string): string => value.replace(/\.0+$/, '').replace(/^0+(?=.)/, '');

function asFlag(value: string): boolean | null {
  if (/^(1|1\.0|t|true|y|yes)$/i.test(value)) return true;
  return /^(0|0\.0|f|false|n|no)$/i.test(value) ? false : null;
}

function asZip(value: string): string | null {
  const withoutDecimals = value.replace(/\.0+$/, '');
  const [, zip5, plus4] =
    /^(\d{3,5})(?:-(\d{4}))?$/.exec(withoutDecimals) ?? /^(\d{4,5})(\d{4})$/.exec(withoutDecimals) ?? [];
  if (zip5 === undefined || Number(zip5) < LOWEST_ZIP) return null;
  const zip = zip5.padStart(5, '0');
  return plus4 === undefined ? zip : `${zip}-${plus4}`;
}

function validDate(cell: Cell, reject: (reason: string) => undefined): string | undefined {
  const date = asDate(cell.value);
  if (date === null) return reject('not a calendar date');
  return date < OLDEST_DATE ? reject(`before ${OLDEST_DATE}`) : date;
}

/** FEMA writes midnight in UTC or (v1) Washington time, so the day precedes the T. Spreadsheets write 10/29/2012. */
function asDate(value: string): string | null {
  const iso = /^(\d{4}-\d{2}-\d{2})(?:[T ].*)?$/.exec(value)?.[1];
  const [, month = '', day = '', year = ''] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})(?: .*)?$/.exec(value) ?? [];
  const date = iso ?? `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isCalendarDate(date) ? date : null;
}
