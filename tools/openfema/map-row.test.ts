import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import type { NewClaim } from '@svc/client';
import {
  BUILDING_TYPES,
  endpoints,
  FLOOD_ZONES,
  NON_RESIDENTIAL_BUILDING_TYPES,
  NON_RESIDENTIAL_OCCUPANCY_TYPES,
  parseRequest,
} from '@svc/contract';
import { BUILDINGS, OCCUPANCIES } from './codes.ts';
import { readHeader } from './columns.ts';
import { mapRow, type RowResult } from './map-row.ts';

const ADJUSTER = 'SVC-7F3K-Delacroix';
const [SAMPLE_HEADER = '', ...SAMPLE_LINES] = readFileSync(new URL('sample.csv', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n');
const sampleNames = SAMPLE_HEADER.split(',');

const mapLine = (names: readonly string[], line: string): RowResult =>
  mapRow(readHeader(names).row(line.split(',')), ADJUSTER);

/** A row with the required columns and these. */
function mapValues(values: Readonly<Record<string, string>>): RowResult {
  const row = { id: 'X-1', state: 'FL', reportedZipCode: '33931', dateOfLoss: '2022-09-28', ...values };
  return mapRow(readHeader(Object.keys(row)).row(Object.values(row)), ADJUSTER);
}

function bodyOf(mapped: RowResult): NewClaim {
  if (!mapped.ok) throw new Error(`skipped: ${JSON.stringify(mapped.notes)}`);
  const { body } = mapped;
  const request = { headers: { 'idempotency-key': 'openfema' }, body };
  expect(parseRequest(endpoints.sendClaim, request)).toMatchObject({ ok: true });
  return body;
}

const brief = ({ notes }: RowResult): string[] =>
  notes.map(({ action, column, value }) => `${action} ${column} ${value}`.trim());

/** What a row reports; the other rows report nothing. */
const NOTES_BY_ROW: Readonly<Record<number, readonly string[]>> = {
  1: ['normalized reportedZipCode 8260'],
  2: ['normalized reportedZipCode 8203', 'normalized ratedFloodZone A08'],
  3: ['left_out floodEvent California Atmospheric River', 'normalized nfipRatedCommunityNumber 60304'],
  4: ['left_out waterDepth -6', 'left_out originalConstructionDate 1492-10-12'],
  6: ['normalized ratedFloodZone A04'],
  13: ['skipped reportedZipCode'],
};

const placeholders = (id: string, place: { state: string; zip: string }) => ({
  external_id: id,
  claim_number: expect.stringMatching(/^NFIP-[0-9A-F]{16}$/),
  adjuster_svc_id: ADJUSTER,
  instructions: expect.stringContaining(`OpenFEMA claim ${id}`),
  policy: { number: expect.stringMatching(/^SFIP-[0-9A-F]{12}$/) },
  carrier: { name: 'OpenFEMA Sample Insurance' },
  loss_location: { street: expect.any(String), city: 'Exampleville', ...place },
});
const contact = {
  phone: expect.stringMatching(/^202-555-01\d\d$/),
  email: expect.stringMatching(/@example\.com$/),
};

describe('the eighteen rows of the sample', () => {
  test('all but one are valid claims, and report what was changed or left out', () => {
    const rows = SAMPLE_LINES.map((line) => mapLine(sampleNames, line));
    expect(rows.map(brief)).toEqual(rows.map((_, index) => NOTES_BY_ROW[index + 1] ?? []));
    expect(rows.flatMap(({ ok }, index) => (ok ? [] : [index + 1]))).toEqual([13]);
    for (const mapped of rows) if (mapped.ok) bodyOf(mapped);
  });

  test('a residence with every value of the sample gives the expected claim', () => {
    expect(bodyOf(mapLine(sampleNames, SAMPLE_LINES[0] ?? ''))).toEqual({
      ...placeholders('148f0646-7c32-4e3b-ab5b-9f17b8c71546', { state: 'NJ', zip: '08260' }),
      loss: {
        date: '2012-10-29',
        peril: 'flood',
        cause: 'rainfall_snowmelt_accumulation',
        cat_code: 'Hurricane Sandy',
        interior_water_depth_inches: 0,
        description: 'Flood event: Hurricane Sandy.',
      },
      policyholder: { first_name: expect.any(String), last_name: expect.any(String), ...contact },
      building: {
        occupancy_type: 'single_family_home',
        building_type: 'main_dwelling',
        firm_status: 'pre_firm',
        construction_date: '1965-01-01',
        flood_zone: 'AE',
        community_number: '345308',
      },
      coverages: { building_limit: 150000, contents_limit: 10000 },
    });
  });

  test('a non-residential building with few values gives the expected claim of a company', () => {
    expect(bodyOf(mapLine(sampleNames, SAMPLE_LINES[8] ?? ''))).toEqual({
      ...placeholders('35365ee8-2baa-482b-8104-ea02df740c16', { state: 'AK', zip: '99518' }),
      loss: { date: '2013-09-04', peril: 'flood' },
      policyholder: { company_name: expect.any(String), ...contact },
      building: {
        occupancy_type: 'non_residential_building',
        firm_status: 'pre_firm',
        construction_date: '1970-01-01',
        flood_zone: 'X',
      },
      coverages: { building_limit: 300000, contents_limit: 50000 },
    });
  });

  test('claim numbers are unique, and a row always gives the same claim', () => {
    const once = SAMPLE_LINES.map((line) => mapLine(sampleNames, line));
    const numbers = once.flatMap((mapped) => (mapped.ok ? [mapped.body.claim_number] : []));
    expect(new Set(numbers).size).toBe(17);
    expect(SAMPLE_LINES.map((line) => mapLine(sampleNames, line))).toEqual(once);
  });
});

describe('the spellings of the columns', () => {
  const respelled: Record<string, Record<string, string>> = {
    'version 1': {
      reportedZipCode: 'reportedZipcode',
      ratedFloodZone: 'floodZone',
      numberOfFloors: 'numberOfFloorsInTheInsuredBuilding',
    },
    'version 2': { numberOfFloors: 'numberOfFloorsInTheInsuredBuilding' },
    'version 3': { waterDepth: 'interiorWaterDepth', numberOfFloors: 'numberOfFloorsInTheInsuredBuilding' },
    'a policies file': { state: 'propertyState', nfipRatedCommunityNumber: 'nfipCommunityNumberCurrent' },
    'capitals and underscores': Object.fromEntries(
      sampleNames.map((name) => [name, name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()]),
    ),
  };

  test.each(Object.entries(respelled))('%s gives the same claims', (_version, names) => {
    const header = sampleNames.map((name) => names[name] ?? name);
    for (const line of SAMPLE_LINES) {
      const [one, other] = [mapLine(sampleNames, line), mapLine(header, line)];
      expect(other.ok ? other.body : other.id).toEqual(one.ok ? one.body : one.id);
      expect(other.notes.map(({ what }) => what)).toEqual(one.notes.map(({ what }) => what));
    }
    expect(readHeader(header).unknown).toEqual([]);
  });

  test("version 1's booleans and dates have the same meaning", () => {
    const body = bodyOf(
      mapValues({
        dateOfLoss: '2011-07-12T04:00:00.000Z',
        originalConstructionDate: '1975-01-01T05:00:00.000Z',
        postFIRMConstructionIndicator: 'FALSE',
      }),
    );
    expect(body.loss.date).toBe('2011-07-12');
    expect(body.building).toEqual({ construction_date: '1975-01-01', firm_status: 'pre_firm' });
  });

  test('the inverted flag of version 3 is read, and a contradiction is omitted', () => {
    expect(bodyOf(mapValues({ preFirmIndicator: '0' })).building?.firm_status).toBe('post_firm');
    const both = mapValues({ postFIRMConstructionIndicator: '1', preFirmIndicator: '1' });
    expect(bodyOf(both).building).toBeUndefined();
    expect(brief(both)).toEqual(['left_out preFirmIndicator 1']);
    const agreed = mapValues({ postFIRMConstructionIndicator: '0', preFirmIndicator: 'true' });
    expect(bodyOf(agreed).building?.firm_status).toBe('pre_firm');
    expect(agreed.notes).toEqual([]);
  });

  test('missing required columns, columns without a field and unknown columns are reported', () => {
    const header = readHeader(['ID', 'latitude', 'floodZoneCurrent', 'adjusterName', 'id', 'DateOfLoss']);
    expect(header.missing).toEqual(['state', 'reportedZipCode']);
    expect(header.withoutField).toEqual(['latitude', 'floodZoneCurrent']);
    expect(header.unknown).toEqual(['adjusterName', 'id']);
  });

  test('of two columns for one field the first with a value is used', () => {
    const both = (rated: string) => bodyOf(mapValues({ floodZone: 'X', ratedFloodZone: rated })).building;
    expect(both('AE')).toEqual({ flood_zone: 'AE' });
    expect(both('')).toEqual({ flood_zone: 'X' });
    const depths = bodyOf(mapValues({ waterDepth: '9', interiorWaterDepth: '7', exteriorWaterDepth: '12' }));
    expect(depths.loss.interior_water_depth_inches).toBe(7);
    expect(depths.loss.exterior_water_depth_inches).toBe(12);
  });
});

test.each([
  ...['A08 A8', 'V09 V9', 'A30 A30', 'AHB AH', 'AOB AO', 'AR/AE AR', 'AR/A1-A30 AR', 'ARE AR', 'ae AE']
    .concat(FLOOD_ZONES.map((zone) => `${zone} ${zone}`))
    .map((zones) => ['ratedFloodZone', ...zones.split(' ')]),
  ...['8260 08260', '820 00820', '0820 00820', '96913 96913', '8260.0 08260', '82601234 08260-1234']
    .concat('33931-4207 33931-4207', '339314207 33931-4207')
    .map((zips) => ['reportedZipCode', ...zips.split(' ')]),
])('%s %s is sent as %s', (column = '', written = '', sent) => {
  const mapped = mapValues({ [column]: written });
  const { building, loss_location } = bodyOf(mapped);
  expect(column === 'ratedFloodZone' ? building?.flood_zone : loss_location.zip).toBe(sent);
  expect(brief(mapped)).toEqual(written === sent ? [] : [`normalized ${column} ${written}`]);
});

/** Values that a claim cannot have. */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  ratedFloodZone: ['A31', 'V031', 'EMG', 'X500', 'OPEN WATER', 'A-1'],
  occupancyType: ['5', '7', '20', 'single family'],
  buildingDescriptionCode: ['21'],
  causeOfDamage: ['Z'],
  originalConstructionDate: ['1599-12-31', '1492-10-12', '0000-00-00', '2022-09-29'],
  waterDepth: ['1201', '-6', '2.5', 'deep'],
  totalBuildingInsuranceCoverage: ['-1', '10000000000', '2500.001', '$5'],
  numberOfUnits: ['0'],
  floodWaterDuration: ['9000'],
  buildingDeductibleCode: ['Z'],
  replacementCostBasis: ['X'],
  postFIRMConstructionIndicator: ['maybe'],
  nfipRatedCommunityNumber: ['9'.repeat(21)],
  ficoNumber: ['9'.repeat(21)],
  originalNBDate: ['soon'],
  reportedCity: ['x'.repeat(101)],
};
const rowsOf = (values: Readonly<Record<string, readonly string[]>>) =>
  Object.entries(values).flatMap(([column, written]) => written.map((value) => [column, value] as const));

test.each(rowsOf(LEFT_OUT))('%s %j is reported and left out', (column, value) => {
  const mapped = mapValues({ [column]: value });
  expect(bodyOf(mapped)).toEqual(bodyOf(mapValues({})));
  expect(brief(mapped)).toEqual([`left_out ${column} ${value}`]);
});

describe('skipped rows', () => {
  const skippedFor = {
    state: ['', 'UN'],
    reportedZipCode: ['', 'NULL', '0', '00000', '500', '12', 'ABCDE', '123456'],
    dateOfLoss: ['', '2022-02-30', '1492-10-12', 'last week'],
    id: ['', 'x'.repeat(101)],
  };
  test.each(rowsOf(skippedFor))('%s %j', (column, value) => {
    const mapped = mapValues({ [column]: value });
    expect(mapped.ok).toBe(false);
    expect(mapped.notes).toMatchObject([{ action: 'skipped', column }]);
  });

  test('a row with a date of loss before 1600 is skipped, with the oldest allowed date as the reason', () => {
    expect(mapValues({ dateOfLoss: '1492-10-12' }).notes).toEqual([
      { column: 'dateOfLoss', value: '1492-10-12', action: 'skipped', what: 'before 1600-01-01' },
    ]);
    expect(bodyOf(mapValues({ dateOfLoss: '1600-01-01' })).loss.date).toBe('1600-01-01');
  });

  test('all missing values are reported together', () => {
    const mapped = mapValues({ id: '', state: '', reportedZipCode: '', dateOfLoss: '' });
    expect(mapped.notes.map(({ column }) => column)).toEqual([
      'id',
      'state',
      'reportedZipCode',
      'dateOfLoss',
    ]);
  });
});

describe('occupancies and buildings', () => {
  test.each(Object.entries(OCCUPANCIES))(
    'occupancy %s is %s, however the number is written',
    (code, name) => {
      for (const written of [code, code.padStart(2, '0'), `${code}.0`])
        expect(bodyOf(mapValues({ occupancyType: written })).building).toEqual({ occupancy_type: name });
    },
  );

  test('of all pairs of codes, those that the service rejects lose the building type with a report', () => {
    const occupancies = [...Object.entries(OCCUPANCIES), ['', undefined] as const];
    for (const [occupancyCode, occupancy] of occupancies) {
      for (const [buildingCode, buildingType] of Object.entries(BUILDINGS)) {
        const mapped = mapValues({ occupancyType: occupancyCode, buildingDescriptionCode: buildingCode });
        const type = bodyOf(mapped).building?.building_type;
        const isNonResidential = (NON_RESIDENTIAL_OCCUPANCY_TYPES as readonly unknown[]).includes(occupancy);
        if (type !== undefined) {
          expect(BUILDING_TYPES).toContain(type);
          expect((NON_RESIDENTIAL_BUILDING_TYPES as readonly string[]).includes(type)).toBe(isNonResidential);
        }
        if (buildingType === 'other')
          expect(type).toBe(isNonResidential ? 'other_non_residential' : 'other_residential');
        else if (type !== buildingType) expect(mapped.notes).toHaveLength(1);
        else expect(mapped.notes).toEqual([]);
      }
    }
  });

  test('a residential manufactured home is a main dwelling', () => {
    const mapped = mapValues({ occupancyType: '14', buildingDescriptionCode: '18' });
    expect(bodyOf(mapped).building).toEqual({
      occupancy_type: 'residential_manufactured_home',
      building_type: 'main_dwelling',
    });
    expect(brief(mapped)).toEqual(['normalized buildingDescriptionCode 18']);
  });
});

describe('causes', () => {
  const lossOf = (causeOfDamage: string) => {
    const mapped = mapValues({ causeOfDamage });
    return { loss: bodyOf(mapped).loss, notes: mapped.notes };
  };

  test.each([
    ['0', 'other'],
    ['1', 'tidal_water_overflow'],
    ['1.0', 'tidal_water_overflow'],
    ['2', 'stream_river_lake_overflow'],
    ['3', 'alluvial_fan_overflow'],
    ['4', 'rainfall_snowmelt_accumulation'],
    ['9', 'earth_movement'],
    ['A', 'closed_basin_lake'],
    ['a', 'closed_basin_lake'],
  ])('%s is %s', (code, cause) => {
    expect(lossOf(code)).toEqual({ loss: { date: '2022-09-28', peril: 'flood', cause }, notes: [] });
  });

  test.each(['7', '8'])('%s, erosion, is other, with its description kept and reported', (code) => {
    const { loss, notes } = lossOf(code);
    expect(loss).toMatchObject({ cause: 'other', description: expect.stringContaining('erosion') });
    expect(notes).toMatchObject([{ action: 'left_out', column: 'causeOfDamage', value: code }]);
  });

  test.each(['B', 'C', 'D'])('%s describes claim handling: no cause, and a report', (code) => {
    const { loss, notes } = lossOf(code);
    expect(loss.cause).toBeUndefined();
    expect(loss.description).toContain('expedited handling');
    expect(notes).toHaveLength(1);
  });

  test('2D is river overflow, with the handling kept in the description', () => {
    const { loss, notes } = lossOf('2D');
    expect(loss).toMatchObject({
      cause: 'stream_river_lake_overflow',
      description: expect.stringContaining('remote adjustment'),
    });
    expect(notes).toHaveLength(1);
  });

  test.each(['14', '1, 4', '1;4'])('%s has two causes: both are only kept in the description', (code) => {
    const { loss, notes } = lossOf(code);
    expect(loss.cause).toBeUndefined();
    expect(loss.description).toMatch(/tidal.*rainfall/);
    expect(notes).toHaveLength(1);
  });

  test('next to an unknown code, the other codes are used', () => {
    expect(lossOf('4Z')).toMatchObject({
      loss: { cause: 'rainfall_snowmelt_accumulation' },
      notes: [{ value: '4Z' }],
    });
  });
});

describe('dates, depths, numbers and amounts', () => {
  test.each([
    ...[
      '1600-01-01 1600-01-01',
      '7/4/1955 1955-07-04',
      '07/04/1955T00:00 1955-07-04',
      '2022-09-28 2022-09-28',
    ]
      .map((dates) => dates.split(' '))
      .map(([written = '', date]) => ['originalConstructionDate', written.replace('T', ' '), date] as const),
    ...['0', '38', '38.0', '1200'].map((inches) => ['waterDepth', inches, Number(inches)] as const),
    ...['250000', '250000.00', '1234.57', '1.25E+07', '0', '9999999999.99'].map(
      (dollars) => ['totalBuildingInsuranceCoverage', dollars, Number(dollars)] as const,
    ),
  ])('%s %s is sent as %s', (column, written, sent) => {
    const mapped = mapValues({ [column]: written });
    const { loss, building, coverages } = bodyOf(mapped);
    const values = [building?.construction_date, loss.interior_water_depth_inches, coverages?.building_limit];
    expect(values.filter((value) => value !== undefined)).toEqual([sent]);
    expect(mapped.notes).toEqual([]);
  });

  test('the additional columns of versions 2 and 3 are mapped', () => {
    const mapped = mapValues({
      eventDesignationNumber: 'FL0822',
      floodEvent: 'Hurricane Ian',
      ficoNumber: '712',
      floodWaterDuration: '9',
      numberOfUnits: '4',
      iccCoverage: '30000',
      buildingDeductibleCode: 'F',
      contentsDeductibleCode: '1',
      buildingReplacementCost: '312480',
      contentsReplacementCost: '84200',
      buildingPropertyValue: '268900',
      contentsPropertyValue: '51730',
      replacementCostBasis: 'R',
      originalNBDate: '1996-02-08T00:00:00.000Z',
      reportedCity: 'FORT MYERS BEACH',
    });
    const body = bodyOf(mapped);
    expect(mapped.notes).toEqual([]);
    expect(body.loss).toEqual({
      date: '2022-09-28',
      peril: 'flood',
      cat_code: 'FL0822',
      fico_number: '712',
      water_duration_hours: 9,
      description: 'Flood event: Hurricane Ian (FL0822).',
    });
    expect(body.policy.original_effective_date).toBe('1996-02-08');
    expect(body.loss_location.city).toBe('FORT MYERS BEACH');
    expect(body.building).toEqual({ number_of_units: 4 });
    expect(body.coverages).toEqual({
      icc_limit: 30000,
      building_deductible: 1250,
      contents_deductible: 1000,
      building_replacement_cost: 312480,
      contents_replacement_cost: 84200,
      building_actual_cash_value: 268900,
      contents_actual_cash_value: 51730,
      building_settlement_basis: 'replacement_cost',
    });
  });

  test.each(['Temporarily Unavailable', 'Currently Unavailable', ''])(
    'the city %j becomes a placeholder',
    (city) => {
      expect(bodyOf(mapValues({ reportedCity: city })).loss_location.city).toBe('Exampleville');
    },
  );
});
