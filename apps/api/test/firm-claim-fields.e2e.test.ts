import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DATE_TIME, expectValidationErrors, getClaim, listClaims, outcome, UUID } from './firm-calls.ts';
import {
  type ApiResponse,
  claimBody,
  type ServiceUnderTest,
  sendClaim,
  startServiceUnderTest,
  type TestFirm,
} from './service-under-test.ts';

let service: ServiceUnderTest;
let firm: TestFirm;
let adjuster: string;
beforeAll(async () => {
  service = await startServiceUnderTest();
  firm = await service.firm();
  adjuster = (await service.member(firm)).svcId;
});
afterAll(() => service.stop());

type Body = Record<string, unknown>;

const address = { street: '200 Harbor Plaza', city: 'Tampa', state: 'FL', zip: '33602' };
const contact = {
  first_name: 'Ray',
  last_name: 'Okafor',
  company_name: 'Gulf Shore Rentals LLC',
  phone: '239-555-0121',
  email: 'ray@example.com',
  address,
};

const ownCopy = (body: Body): Body => JSON.parse(JSON.stringify(body)) as Body;

/** A claim with all fields. */
const fullBody = (): Body =>
  ownCopy({
    ...claimBody(adjuster),
    loss: {
      date: '2024-09-26',
      peril: 'flood',
      time: '04:30',
      description: 'Storm surge entered through the garage.',
      cause: 'tidal_water_overflow',
      cat_code: '2643',
      fico_number: '712',
      exterior_water_depth_inches: 38,
      interior_water_depth_inches: 14,
      water_duration_hours: 9,
    },
    policy: {
      number: '87-4410029316-2025',
      effective_date: '2024-03-14',
      expiration_date: '2025-03-14',
      original_effective_date: '2019-03-14',
      form_type: 'dwelling',
      program_type: 'regular',
      naic_number: '10064',
    },
    carrier: { name: 'Palmetto Mutual', phone: '813-555-0100', email: 'claims@palmetto.example', address },
    loss_location: {
      street: '1420 Seagrape Lane',
      street2: 'Unit B',
      city: 'Fort Myers Beach',
      county: 'Lee',
      state: 'FL',
      zip: '33931-4207',
    },
    policyholder: { ...contact, mailing_address: address, alternate_phone: '239-555-0188' },
    file_number: 'FN-88213',
    instructions: 'Gate code 4471.',
    reported_date: '2024-09-28',
    contact_date: '2024-09-29',
    inspection_date: '2024-10-01',
    additional_contacts: [{ ...contact, role: 'Tenant' }],
    agent: { ...contact, agency_number: 'A-20417' },
    mortgagee: { ...contact, loan_number: '0048812237' },
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
      building_reserve: 45000,
      contents_reserve: 12500,
      building_advance_payment: 5000,
      contents_advance_payment: 1500,
      icc_limit: 30000,
      building_replacement_cost: 312480.55,
      building_actual_cash_value: 268900.4,
      contents_replacement_cost: 84200,
      contents_actual_cash_value: 51730.25,
      building_settlement_basis: 'replacement_cost',
    },
    estimate: {
      contents_tax_rate: 0.065,
      building_tax_rate: 0.07,
      overhead_rate: 0.1,
      profit_rate: 0.1,
      depreciation_rate: 0.15,
      price_list: 'FLFM8X_AUG26',
    },
  });

/** The object and the member name that a pointer refers to. */
function holderOf(body: Body, pointer: string): [Record<string, unknown>, string] {
  const names = pointer.slice(1).split('/');
  const last = names.pop() as string;
  // biome-ignore lint/suspicious/noExplicitAny: the pointer determines the type
  return [names.reduce((at: any, name) => at[name], body), last];
}

function withValue(pointer: string, value: unknown): Body {
  const body = fullBody();
  const [holder, name] = holderOf(body, pointer);
  holder[name] = value;
  return body;
}

function without(pointer: string): Body {
  const body = fullBody();
  const [holder, name] = holderOf(body, pointer);
  delete holder[name];
  return body;
}

const send = (body: unknown): Promise<ApiResponse> => sendClaim(service, firm.live, body);

/** The fields of a returned claim that the firm sent. */
const contentOf = ({ id, test, created_at, updated_at, assignment, ...content }: Body): Body => content;
const contentOfBody = ({ adjuster_svc_id: _, ...content }: Body): Body => content;

/** Expects the claim to be created and returned exactly as sent. */
async function expectStored(body: Body): Promise<void> {
  const response = await send(body);
  expect([outcome(response), response.json.errors]).toEqual([[201], undefined]);
  expect(JSON.stringify(contentOf(response.json))).toBe(JSON.stringify(contentOfBody(body)));
}

describe('a claim is returned', () => {
  test('with all its fields and its id, times, test flag and assignment', async () => {
    const body = fullBody();
    const response = await send(body);
    expect(response.status).toBe(201);
    expect(response.headers.get('content-type')).toMatch(/^application\/json\b/);
    expect(response.json).toEqual({
      ...contentOfBody(body),
      id: expect.stringMatching(UUID),
      test: false,
      created_at: expect.stringMatching(DATE_TIME),
      updated_at: response.json.created_at,
      assignment: {
        status: 'pending_acceptance',
        adjuster_svc_id: adjuster,
        responded_at: null,
        rejection_reason: null,
      },
    });
  });

  test('equally by the send, the read by id, the list and the filter', async () => {
    const sent = await send(fullBody());
    const read = await getClaim(service, firm.live, sent.json.id);
    const found = await listClaims(service, firm.live, `external_id=${sent.json.external_id}`);
    const listed = await listClaims(service, firm.live, `updated_since=${sent.json.updated_at}`);
    expect(read.status).toBe(200);
    expect(read.text).toBe(sent.text);
    expect(found.text).toBe(`{"data":[${sent.text}],"next_cursor":null}`);
    expect(listed.text).toBe(found.text);
  });

  test('with the fields of every object in the order sent', async () => {
    const reversed = (value: unknown): unknown =>
      typeof value !== 'object' || value === null
        ? value
        : Array.isArray(value)
          ? value.map(reversed)
          : Object.fromEntries(
              Object.entries(value)
                .reverse()
                .map(([name, one]) => [name, reversed(one)]),
            );
    await expectStored(reversed(fullBody()) as Body);
  });

  test('with text in any script unchanged, including white space', async () => {
    const instructions =
      'Línea 1\n\tLínea 2\r\n  日本語 עברית 👩‍👩‍👧 "quoted" \\ back / slash \u2028 \u007f é e\u0301 <b>&amp;</b>  ';
    const body = { ...fullBody(), instructions };
    const response = await send(body);
    expect(response.json.instructions).toBe(instructions);
    const read = await getClaim(service, firm.live, response.json.id);
    expect(read.json.instructions).toBe(instructions);
  });

  test.each([
    ['2500.00', 2500],
    ['2.5e3', 2500],
    ['1234.57', 1234.57],
    ['0', 0],
    ['0.01', 0.01],
    ['9999999999.99', 9999999999.99],
  ])('with the amount %s as the same number', async (written, value) => {
    const raw = JSON.stringify(withValue('/coverages/special_limits_cap', 0)).replace(
      '"special_limits_cap":0',
      `"special_limits_cap":${written}`,
    );
    const response = await service.call('POST', '/v1/claims', {
      as: firm.live,
      raw,
      headers: { 'Idempotency-Key': raw.slice(0, 60) },
    });
    expect(response.status).toBe(201);
    const read = await getClaim(service, firm.live, response.json.id);
    expect(read.json.coverages.special_limits_cap).toBe(value);
  });

  test('with the default peril flood, and without other fields that were not sent', async () => {
    const body = claimBody(adjuster);
    const response = await send(body);
    expect(contentOf(response.json)).toEqual({
      ...contentOfBody(body),
      loss: { date: '2024-09-26', peril: 'flood' },
    });
  });

  test('with empty objects and an empty list of contacts as sent', async () => {
    await expectStored({
      ...fullBody(),
      additional_contacts: [],
      building: {},
      coverages: {},
      estimate: {},
    });
  });
});

describe('the policy term', () => {
  const term = (effective?: string, expiration?: string): Body => {
    const body = fullBody();
    body.policy = {
      number: '1',
      ...(effective !== undefined && { effective_date: effective }),
      ...(expiration !== undefined && { expiration_date: expiration }),
    };
    return body;
  };
  test.each([
    ['2024-01-01', '2025-01-01'],
    ['2024-01-01', '2024-01-01'],
    ['2024-12-31', '2025-01-01'],
    ['2024-01-01', undefined],
    [undefined, '2024-01-01'],
  ])('from %p to %p is valid', (effective, expiration) => expectStored(term(effective, expiration)));
  test.each([
    ['2024-01-02', '2024-01-01'],
    ['2025-01-01', '2024-12-31'],
    ['2024-10-01', '2024-09-30'],
  ])('from %s to %s is an error at the expiration date', async (effective, expiration) => {
    expectValidationErrors(await send(term(effective, expiration)), '/policy/expiration_date');
  });
  test('is not validated when one of its dates is invalid', async () => {
    expectValidationErrors(await send(term('2024-02-30', '2024-01-01')), '/policy/effective_date');
  });
});

/** claim-fields.test.ts of the contract covers every field; these tests show that the API applies it. */
describe('a field', () => {
  test.each([
    ['/loss/cause', 'tidal_water_overflow', 'tide'],
    ['/carrier/address/zip', '33602-0001', '3360'],
    ['/policyholder/phone', '5', 'none'],
    ['/coverages/building_limit', 0.01, 0.005],
    ['/building/flood_zone', 'VE', 'VE1'],
    ['/additional_contacts/0/role', '🌊'.repeat(100), 'x'.repeat(101)],
  ])('%s accepts %j and rejects %j', async (pointer, right, wrong) => {
    await expectStored(withValue(pointer, right));
    expectValidationErrors(await send(withValue(pointer, wrong)), pointer);
  });

  test('that is optional can be omitted, and is then omitted from the response', async () => {
    for (const pointer of ['/loss/time', '/carrier/address', '/policyholder/mailing_address', '/estimate'])
      await expectStored(without(pointer));
  });
});

describe('occupancy and building type', () => {
  test.each([
    ['single_family_home', 'main_dwelling', true],
    ['single_family_home', 'barn', false],
    ['non_residential_unit', 'barn', true],
    ['non_residential_unit', 'main_dwelling', false],
    [undefined, 'main_dwelling', true],
    [undefined, 'barn', false],
    ['non_residential_unit', undefined, true],
  ])('%s with %s: %s', async (occupancy_type, building_type, right) => {
    const building = { ...(occupancy_type && { occupancy_type }), ...(building_type && { building_type }) };
    const body = { ...fullBody(), building };
    if (right) await expectStored(body);
    else expectValidationErrors(await send(body), '/building/building_type');
  });

  test('the error for a residential manufactured home says what to send instead', async () => {
    const building = { occupancy_type: 'residential_manufactured_home', building_type: 'manufactured_home' };
    const response = await send({ ...fullBody(), building });
    expectValidationErrors(response, '/building/building_type');
    expect(response.json.errors[0].detail).toMatch(/main_dwelling/);
  });

  test('an unknown value is an error, and the combination is then not validated', async () => {
    const building = (occupancy_type: unknown, building_type: unknown) => ({
      ...fullBody(),
      building: { occupancy_type, building_type },
    });
    expectValidationErrors(await send(building('castle', 'barn')), '/building/occupancy_type');
    expectValidationErrors(await send(building('single_family_home', 'castle')), '/building/building_type');
    expectValidationErrors(
      await send(building('castle', 'castle')),
      '/building/occupancy_type',
      '/building/building_type',
    );
  });
});

describe('a number', () => {
  test.each(['1e400', '-1e400', '1e-400', '-0.0', '0.0'])(
    'written as %s is validated by its value',
    async (written) => {
      const raw = JSON.stringify({
        ...fullBody(),
        coverages: { building_limit: 11 },
        estimate: { contents_tax_rate: 12 },
        building: { flood_opening_count: 13 },
      }).replace(/11(?=})|12(?=})|13(?=})/g, written);
      const response = await service.call('POST', '/v1/claims', {
        as: firm.live,
        raw,
        headers: { 'Idempotency-Key': `written ${written}` },
      });
      const where = [
        '/coverages/building_limit',
        '/estimate/contents_tax_rate',
        '/building/flood_opening_count',
      ];
      if (written.endsWith('e400')) expectValidationErrors(response, ...where);
      else {
        expect(outcome(response)).toEqual([201]);
        expect([response.json.coverages.building_limit, response.json.estimate.contents_tax_rate]).toEqual([
          0, 0,
        ]);
      }
    },
  );
});

test('all errors are reported at once: fields, unknown fields, rules between fields, query and header', async () => {
  const body: Body = {
    ...fullBody(),
    external_id: ' padded',
    claim_number: 12,
    color: 'blue',
    'a/b~c': 1,
    loss: { date: '2024-02-30', wind: true },
    policy: { number: '1', effective_date: '2024-02-01', expiration_date: '2024-01-01' },
    carrier: {},
    loss_location: { ...address, state: 'ZZ' },
    policyholder: { first_name: 'Ana' },
    building: { building_type: 'barn', flood_zone: 'AZ', number_of_units: 0 },
    coverages: { special_limits_cap: -1 },
    estimate: { contents_tax_rate: 7 },
    additional_contacts: [{}],
  };
  const response = await service.call('POST', '/v1/claims?verbose=1', { as: firm.live, body });
  expectValidationErrors(
    response,
    'verbose',
    'Idempotency-Key',
    '/external_id',
    '/claim_number',
    '/color',
    '/a~1b~0c',
    '/loss/date',
    '/loss/wind',
    '/policy/expiration_date',
    '/carrier/name',
    '/loss_location/state',
    '/policyholder',
    '/policyholder/last_name',
    '/building/building_type',
    '/building/flood_zone',
    '/building/number_of_units',
    '/coverages/special_limits_cap',
    '/estimate/contents_tax_rate',
    '/additional_contacts/0',
  );
  for (const item of response.json.errors) {
    expect(item.detail).toMatch(/\S/);
    expect(Object.keys(item).sort()).toEqual(['detail', Object.keys(item).find((name) => name !== 'detail')]);
  }
});

test('the Idempotency-Key has 1 to 255 characters', async () => {
  const sendWith = (key: string): Promise<ApiResponse> =>
    sendClaim(service, firm.live, claimBody(adjuster), key);
  expect(outcome(await sendWith('k'.repeat(255)))).toEqual([201]);
  expect(outcome(await sendWith('1'))).toEqual([201]);
  expectValidationErrors(await sendWith('k'.repeat(256)), 'Idempotency-Key');
  expectValidationErrors(await sendWith(''), 'Idempotency-Key');
  const none = await service.call('POST', '/v1/claims', { as: firm.live, body: claimBody(adjuster) });
  expectValidationErrors(none, 'Idempotency-Key');
});
