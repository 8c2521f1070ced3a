import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DATE_TIME, expectRefused, getClaim, listClaims, outcome, UUID } from './firm-calls.ts';
import {
  type Answer,
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

/** A claim with every field there is. */
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

/** The object that holds a place, and the name under which it does. */
function holderOf(body: Body, pointer: string): [Record<string, unknown>, string] {
  const names = pointer.slice(1).split('/');
  const last = names.pop() as string;
  // biome-ignore lint/suspicious/noExplicitAny: walks whatever the pointer says
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

const send = (body: unknown): Promise<Answer> => sendClaim(service, firm.live, body);

/** The part of an answered claim that the firm sent. */
const contentOf = ({ id, test, created_at, updated_at, assignment, ...content }: Body): Body => content;
const contentOfBody = ({ adjuster_svc_id: _, ...content }: Body): Body => content;

/** Taken, and answered letter by letter as it was sent. */
async function expectTaken(body: Body): Promise<void> {
  const answer = await send(body);
  expect([outcome(answer), answer.json.errors]).toEqual([[201], undefined]);
  expect(JSON.stringify(contentOf(answer.json))).toBe(JSON.stringify(contentOfBody(body)));
}

const expectValueTaken = (pointer: string, value: unknown): Promise<void> =>
  expectTaken(withValue(pointer, value));

async function expectValueRefused(pointer: string, value: unknown, where = pointer): Promise<void> {
  expectRefused(await send(withValue(pointer, value)), where);
}

const PEOPLE = ['/policyholder', '/additional_contacts/0', '/agent', '/mortgagee'];
const ADDRESSES = [
  '/carrier/address',
  ...PEOPLE.map((person) => `${person}/address`),
  '/policyholder/mailing_address',
];
const under = (holders: readonly string[], name: string): string[] => holders.map((one) => `${one}/${name}`);

describe('a claim comes back', () => {
  test('with its id, its two times, the test mark and the offer, and everything it was sent with', async () => {
    const body = fullBody();
    const answer = await send(body);
    expect(answer.status).toBe(201);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/);
    expect(answer.json).toEqual({
      ...contentOfBody(body),
      id: expect.stringMatching(UUID),
      test: false,
      created_at: expect.stringMatching(DATE_TIME),
      updated_at: answer.json.created_at,
      assignment: {
        status: 'pending_acceptance',
        adjuster_svc_id: adjuster,
        responded_at: null,
        rejection_reason: null,
      },
    });
  });

  test('the same from every door: the send, the read by id, the list and the filter', async () => {
    const sent = await send(fullBody());
    const read = await getClaim(service, firm.live, sent.json.id);
    const found = await listClaims(service, firm.live, `external_id=${sent.json.external_id}`);
    const listed = await listClaims(service, firm.live, `updated_since=${sent.json.updated_at}`);
    expect(read.status).toBe(200);
    expect(read.text).toBe(sent.text);
    expect(found.text).toBe(`{"data":[${sent.text}],"next_cursor":null}`);
    expect(listed.text).toBe(found.text);
  });

  test('with fields in the order in which they were sent, in every object', async () => {
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
    await expectTaken(reversed(fullBody()) as Body);
  });

  test('with text of every script and kind unchanged, inner white space included', async () => {
    const instructions =
      'Línea 1\n\tLínea 2\r\n  日本語 עברית 👩‍👩‍👧 "quoted" \\ back / slash \u2028 \u007f é e\u0301 <b>&amp;</b>  ';
    const body = { ...fullBody(), instructions };
    const answer = await send(body);
    expect(answer.json.instructions).toBe(instructions);
    const read = await getClaim(service, firm.live, answer.json.id);
    expect(read.json.instructions).toBe(instructions);
  });

  test.each([
    ['2500.00', 2500],
    ['2.5e3', 2500],
    ['1234.57', 1234.57],
    ['0', 0],
    ['0.01', 0.01],
    ['9999999999.99', 9999999999.99],
  ])('with the amount %s as the number it is', async (written, value) => {
    const raw = JSON.stringify(withValue('/coverages/special_limits_cap', 0)).replace(
      '"special_limits_cap":0',
      `"special_limits_cap":${written}`,
    );
    const answer = await service.call('POST', '/v1/claims', {
      as: firm.live,
      raw,
      headers: { 'Idempotency-Key': raw.slice(0, 60) },
    });
    expect(answer.status).toBe(201);
    const read = await getClaim(service, firm.live, answer.json.id);
    expect(read.json.coverages.special_limits_cap).toBe(value);
  });

  test('with peril flood although it was not sent, and without any other field that was not sent', async () => {
    const body = claimBody(adjuster);
    const answer = await send(body);
    expect(contentOf(answer.json)).toEqual({
      ...contentOfBody(body),
      loss: { date: '2024-09-26', peril: 'flood' },
    });
  });

  test('with empty objects and an empty list of contacts as they were sent', async () => {
    await expectTaken({
      ...fullBody(),
      additional_contacts: [],
      building: {},
      coverages: {},
      estimate: {},
    });
  });
});

const REQUIRED = [
  '/external_id',
  '/claim_number',
  '/adjuster_svc_id',
  '/loss',
  '/loss/date',
  '/policy',
  '/policy/number',
  '/carrier',
  '/carrier/name',
  '/loss_location',
  '/loss_location/street',
  '/loss_location/city',
  '/loss_location/state',
  '/loss_location/zip',
  '/policyholder',
  ...ADDRESSES.flatMap((one) => under([one], 'street')),
  ...ADDRESSES.flatMap((one) => under([one], 'city')),
  ...ADDRESSES.flatMap((one) => under([one], 'state')),
  ...ADDRESSES.flatMap((one) => under([one], 'zip')),
];

const OPTIONAL = [
  ...['time', 'description', 'cause', 'cat_code', 'fico_number'].map((name) => `/loss/${name}`),
  '/loss/exterior_water_depth_inches',
  '/loss/interior_water_depth_inches',
  '/loss/water_duration_hours',
  '/policy/effective_date',
  '/policy/expiration_date',
  '/policy/original_effective_date',
  '/policy/form_type',
  '/policy/program_type',
  '/policy/naic_number',
  ...['phone', 'email', 'address'].map((name) => `/carrier/${name}`),
  '/loss_location/street2',
  '/loss_location/county',
  ...under(PEOPLE, 'company_name'),
  ...under(PEOPLE, 'phone'),
  ...under(PEOPLE, 'email'),
  ...under(PEOPLE, 'address'),
  '/policyholder/mailing_address',
  '/policyholder/alternate_phone',
  ...['file_number', 'instructions', 'reported_date', 'contact_date', 'inspection_date'].map((n) => `/${n}`),
  ...['additional_contacts', 'agent', 'mortgagee', 'building', 'coverages', 'estimate'].map((n) => `/${n}`),
  '/additional_contacts/0/role',
  '/agent/agency_number',
  '/mortgagee/loan_number',
  '/building/occupancy_type',
  '/building/building_type',
  '/building/firm_status',
  '/building/firm_date',
  '/building/construction_date',
  '/building/flood_zone',
  '/building/community_number',
  '/building/map_panel_number',
  '/building/construction_type',
  '/building/number_of_units',
  '/building/first_floor_height_feet',
  '/building/first_floor_height_inches',
  '/building/flood_opening_count',
];

describe('a field', () => {
  test.each(REQUIRED)('%s is required, and its absence is told at its own place', async (pointer) => {
    expectRefused(await send(without(pointer)), pointer);
  });

  test.each(OPTIONAL)('%s may be left out, and is then left out of the answer', async (pointer) => {
    await expectTaken(without(pointer));
  });

  test.each([...REQUIRED, ...OPTIONAL])('%s is never null', async (pointer) => {
    await expectValueRefused(pointer, null);
  });

  const OBJECTS = ['', '/loss', '/policy', '/carrier', '/loss_location', ...PEOPLE, ...ADDRESSES];
  test.each([...OBJECTS, '/building', '/coverages', '/estimate'])(
    'that is not known in %p is refused at its own place',
    async (holder) => {
      await expectValueRefused(`${holder}/no_such_field`, 'x');
    },
  );

  test.each(['id', 'test', 'created_at', 'updated_at', 'assignment'])(
    'that only answers have, such as %s, is unknown in a request',
    async (name) => {
      await expectValueRefused(`/${name}`, 'x');
    },
  );
});

const PLAIN_TEXT: [pointer: string, max: number][] = [
  ['/external_id', 100],
  ['/claim_number', 100],
  ['/policy/number', 100],
  ['/carrier/name', 255],
  ['/loss_location/street', 255],
  ['/loss_location/street2', 255],
  ['/loss_location/city', 100],
  ['/loss_location/county', 100],
  ...ADDRESSES.map((one): [string, number] => [`${one}/street`, 255]),
  ...ADDRESSES.map((one): [string, number] => [`${one}/city`, 100]),
  ...PEOPLE.map((one): [string, number] => [`${one}/first_name`, 100]),
  ...PEOPLE.map((one): [string, number] => [`${one}/last_name`, 100]),
  ...PEOPLE.map((one): [string, number] => [`${one}/company_name`, 255]),
  ['/file_number', 100],
  ['/instructions', 4000],
  ['/additional_contacts/0/role', 100],
  ['/agent/agency_number', 50],
  ['/mortgagee/loan_number', 50],
  ['/loss/description', 4000],
  ['/loss/cat_code', 20],
  ['/loss/fico_number', 20],
  ['/building/community_number', 20],
  ['/building/map_panel_number', 20],
  ['/estimate/price_list', 50],
];
const PHONES = ['/carrier/phone', ...under(PEOPLE, 'phone'), '/policyholder/alternate_phone'];
const EMAILS = ['/carrier/email', ...under(PEOPLE, 'email')];

let distinct = 0;
/** Text of this many code points, each of two UTF-16 units, that no other claim of this file has. */
function wideText(length: number): string {
  distinct += 1;
  const mark = distinct.toString().padStart(4, '0');
  return mark.slice(0, length) + '🌊'.repeat(Math.max(0, length - 4));
}

describe('text', () => {
  test.each(PLAIN_TEXT)(
    '%s takes up to %i code points, and none or one more is refused',
    async (pointer, max) => {
      await expectValueTaken(pointer, wideText(max));
      await expectValueRefused(pointer, wideText(max + 1));
      await expectValueRefused(pointer, 'x'.repeat(max + 1));
      await expectValueRefused(pointer, '');
    },
  );

  test.each([...PLAIN_TEXT.map(([pointer]) => pointer), ...PHONES, ...EMAILS])(
    '%s takes no other JSON type',
    async (pointer) => {
      for (const value of [7, true, ['x'], { x: 1 }]) await expectValueRefused(pointer, value);
    },
  );

  test('adjuster_svc_id takes up to 128 code points', async () => {
    expect(outcome(await send(withValue('/adjuster_svc_id', wideText(128))))).toEqual([422, 'unknown_osaid']);
    expect(outcome(await send(withValue('/adjuster_svc_id', 'x')))).toEqual([422, 'unknown_osaid']);
    await expectValueRefused('/adjuster_svc_id', wideText(129));
    await expectValueRefused('/adjuster_svc_id', '');
    await expectValueRefused('/adjuster_svc_id', 7);
  });

  test.each(PHONES)('%s takes up to 20 characters with at least one digit', async (pointer) => {
    for (const phone of ['(352) 555-0142 x1234', '5', '3525550142']) await expectValueTaken(pointer, phone);
    for (const phone of ['(352) 555-0142 x12345', '', 'none', '٣٥٢'])
      await expectValueRefused(pointer, phone);
  });

  test.each(EMAILS)('%s takes up to 255 characters of an address', async (pointer) => {
    await expectValueTaken(pointer, `a@${'b'.repeat(253)}`);
    for (const email of [`a@${'b'.repeat(254)}`, '', 'nobody', 'a b@c.example', '@c.example', 'a@'])
      await expectValueRefused(pointer, email);
  });

  test.each(['/external_id', '/claim_number', '/policy/number'])(
    '%s takes one character, and neither begins nor ends with white space nor holds a line break',
    async (pointer) => {
      distinct += 1;
      await expectValueTaken(pointer, String.fromCodePoint(0x4e00 + distinct));
      await expectValueTaken(pointer, `a  \t b ${distinct}`);
      for (const value of [' a', 'a ', '\ta', 'a\n', '\u00a0a', 'a\u3000', 'a\nb', 'a\rb', ' ', '\ufeffa'])
        await expectValueRefused(pointer, value);
    },
  );
});

describe('a ZIP code', () => {
  test.each(['/loss_location/zip', ...under(ADDRESSES, 'zip')])(
    '%s is ZIP or ZIP+4, as text',
    async (pointer) => {
      for (const zip of ['00501', '33931-4207']) await expectValueTaken(pointer, zip);
      for (const zip of [
        '3393',
        '339311',
        '33931-',
        '33931-420',
        '339314207',
        '33931 4207',
        ' 33931',
        'ABCDE',
        33931,
      ])
        await expectValueRefused(pointer, zip);
    },
  );
});

const STATES = (
  'AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA ' +
  'RI SC SD TN TX UT VT VA WA WV WI WY DC AS GU MP PR VI'
).split(' ');

describe('a state', () => {
  test('is one of 56 where the property stands', () => expect(new Set(STATES).size).toBe(56));
  test.each(STATES)('may be %s, in the loss location and in addresses', async (state) => {
    const body = withValue('/loss_location/state', state);
    (body.carrier as { address: Body }).address = { ...address, state };
    await expectTaken(body);
  });
  test.each(['FM', 'MH', 'PW', 'AA', 'AE', 'AP'])(
    '%s receives mail and has no insured property',
    async (state) => {
      for (const one of ADDRESSES) await expectValueTaken(`${one}/state`, state);
      await expectValueRefused('/loss_location/state', state);
    },
  );
  test.each(['fl', 'Fl', 'ZZ', 'Florida', '', 'FL ', 12])('%p is none', async (state) => {
    await expectValueRefused('/loss_location/state', state);
    for (const one of ADDRESSES) await expectValueRefused(`${one}/state`, state);
  });
});

const DATES = [
  '/loss/date',
  '/policy/effective_date',
  '/policy/expiration_date',
  '/policy/original_effective_date',
  '/reported_date',
  '/contact_date',
  '/inspection_date',
  '/building/firm_date',
  '/building/construction_date',
];

describe('a calendar date', () => {
  test.each(DATES)('%s is a day that exists, written YYYY-MM-DD', async (pointer) => {
    for (const date of ['2024-12-31', '2024-04-30']) await expectValueTaken(pointer, date);
    for (const date of ['2023-02-29', '2024-13-01', '2024-00-10', '2024-04-31', '2024-01-00'])
      await expectValueRefused(pointer, date);
    for (const date of [
      '2024-1-05',
      '24-01-05',
      '20240105',
      '01/05/2024',
      '2024-01-05T00:00:00Z',
      ' 2024-01-05',
      '',
    ])
      await expectValueRefused(pointer, date);
    await expectValueRefused(pointer, 20240105);
  });

  test('may be a leap day, lie far in the past or in the future, and outside the policy term', async () => {
    for (const date of ['2024-02-29', '2000-02-29', '1900-01-01', '2999-12-31'])
      await expectValueTaken('/loss/date', date);
    await expectValueRefused('/loss/date', '1900-02-29');
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
  ])('from %p to %p stands', (effective, expiration) => expectTaken(term(effective, expiration)));
  test.each([
    ['2024-01-02', '2024-01-01'],
    ['2025-01-01', '2024-12-31'],
    ['2024-10-01', '2024-09-30'],
  ])('from %s to %s is refused at the expiration', async (effective, expiration) => {
    expectRefused(await send(term(effective, expiration)), '/policy/expiration_date');
  });
  test('is not judged when one of its dates is none', async () => {
    expectRefused(await send(term('2024-02-30', '2024-01-01')), '/policy/effective_date');
  });
});

const ENUMS: Record<string, string[]> = {
  '/loss/peril': ['flood'],
  '/loss/cause': [
    'tidal_water_overflow',
    'stream_river_lake_overflow',
    'alluvial_fan_overflow',
    'rainfall_snowmelt_accumulation',
    'earth_movement',
    'closed_basin_lake',
    'other',
  ],
  '/policy/form_type': ['dwelling', 'general_property', 'rcbap'],
  '/policy/program_type': ['regular', 'emergency'],
  '/building/firm_status': ['pre_firm', 'post_firm'],
  '/building/construction_type': ['framed', 'masonry', 'other'],
  '/coverages/building_settlement_basis': ['replacement_cost', 'actual_cash_value'],
};

describe('a closed list', () => {
  test.each(Object.entries(ENUMS))('%s holds %p', async (pointer, values) => {
    for (const value of values) await expectValueTaken(pointer, value);
    for (const value of [
      'no_such_value',
      '',
      values[0]?.toUpperCase(),
      ` ${values[0]}`,
      1,
      null,
      [values[0]],
    ])
      await expectValueRefused(pointer, value);
  });
});

const numbered = (letter: string): string[] =>
  Array.from({ length: 30 }, (_, index) => `${letter}${index + 1}`);
const ZONES = [
  ...['A', 'AE', ...numbered('A'), 'A99', 'AH', 'AO', 'AR'],
  ...['V', 'VE', ...numbered('V')],
  ...['B', 'C', 'D', 'X'],
];

describe('a flood zone', () => {
  test('is one of 72', () => expect(new Set(ZONES).size).toBe(72));
  test.each(ZONES)('%s is taken', (zone) => expectValueTaken('/building/flood_zone', zone));
  test.each([
    ['ae', 'AE'],
    ['A08', 'A8'],
    ['A01', 'A1'],
    ['V09', 'V9'],
    ['AHB', 'AH'],
    ['AOB', 'AO'],
    ['AR/AE', 'AR'],
    ['AR/A', 'AR'],
    ['x', 'X'],
    [' VE', 'VE'],
  ])('%p is refused, and the detail names %s', async (sent, meant) => {
    const answer = await send(withValue('/building/flood_zone', sent));
    expectRefused(answer, '/building/flood_zone');
    expect(answer.json.errors[0].detail).toMatch(new RegExp(`\\b${meant}\\?`));
  });
  test.each(['NSFHA', 'NONE', 'UNK', 'V31', 'AEE'])(
    '%p is refused, and no zone is suggested',
    async (sent) => {
      const answer = await send(withValue('/building/flood_zone', sent));
      expectRefused(answer, '/building/flood_zone');
      expect(answer.json.errors[0].detail).not.toContain('did you mean');
    },
  );
  test.each(['A0', 'A31', 'A100', 'V0', 'V31', 'V99', 'E', '', 'ZONE AE', 'X500', 99, true])(
    '%p is none',
    (zone) => expectValueRefused('/building/flood_zone', zone),
  );
});

const RESIDENTIAL_OCCUPANCIES = [
  'single_family_home',
  'residential_manufactured_home',
  'residential_unit',
  'two_to_four_family_building',
  'other_residential_building',
  'residential_condominium_building',
];
const OTHER_OCCUPANCIES = [
  'non_residential_building',
  'non_residential_manufactured_building',
  'non_residential_unit',
];
const RESIDENTIAL_TYPES = [
  ...[
    'main_dwelling',
    'detached_guest_house',
    'apartment_building',
    'apartment_unit',
    'cooperative_building',
  ],
  ...[
    'cooperative_unit',
    'condominium_building',
    'condominium_unit',
    'townhouse_rowhouse',
    'other_residential',
  ],
];
const OTHER_TYPES = [
  ...['detached_garage', 'agricultural_building', 'warehouse', 'recreation_building', 'storage_shed', 'barn'],
  ...[
    'commercial_building',
    'house_of_worship',
    'manufactured_home',
    'travel_trailer',
    'other_non_residential',
  ],
];
const TYPES = [...RESIDENTIAL_TYPES, ...OTHER_TYPES];

describe('occupancy and building type', () => {
  test.each([...RESIDENTIAL_OCCUPANCIES, ...OTHER_OCCUPANCIES])(
    '%s takes every building type of its class and no other',
    async (occupancy) => {
      const own = RESIDENTIAL_OCCUPANCIES.includes(occupancy) ? RESIDENTIAL_TYPES : OTHER_TYPES;
      for (const type of TYPES) {
        const building = { occupancy_type: occupancy, building_type: type };
        const answer = await send({ ...fullBody(), building });
        if (own.includes(type)) expect([type, answer.status]).toEqual([type, 201]);
        else expectRefused(answer, '/building/building_type');
      }
      await expectTaken({ ...fullBody(), building: { occupancy_type: occupancy } });
    },
  );

  test.each(TYPES)('without an occupancy, %s is taken only where it is residential', async (type) => {
    const answer = await send({ ...fullBody(), building: { building_type: type } });
    if (RESIDENTIAL_TYPES.includes(type)) expect(answer.status).toBe(201);
    else expectRefused(answer, '/building/building_type');
  });

  test('a manufactured home that is lived in is told what to send instead', async () => {
    const building = { occupancy_type: 'residential_manufactured_home', building_type: 'manufactured_home' };
    const answer = await send({ ...fullBody(), building });
    expectRefused(answer, '/building/building_type');
    expect(answer.json.errors[0].detail).toMatch(/main_dwelling/);
  });

  test('a value that is in neither list is its own error, and the pair is then not judged', async () => {
    const building = (occupancy_type: unknown, building_type: unknown) => ({
      ...fullBody(),
      building: { occupancy_type, building_type },
    });
    expectRefused(await send(building('castle', 'barn')), '/building/occupancy_type');
    expectRefused(await send(building('single_family_home', 'castle')), '/building/building_type');
    expectRefused(
      await send(building('castle', 'castle')),
      '/building/occupancy_type',
      '/building/building_type',
    );
  });
});

describe('a number', () => {
  test.each([
    ['/building/number_of_units', 1, 100_000],
    ['/building/first_floor_height_feet', 0, 1000],
    ['/building/first_floor_height_inches', 0, 11],
    ['/building/flood_opening_count', 0, 100_000],
    ['/loss/exterior_water_depth_inches', 0, 1200],
    ['/loss/interior_water_depth_inches', 0, 1200],
    ['/loss/water_duration_hours', 0, 8760],
  ])('%s is a whole number from %i to %i', async (pointer, min, max) => {
    for (const value of [min, max]) await expectValueTaken(pointer, value);
    for (const value of [min - 1, max + 1, min + 0.5, 1e300, '3', true, [3]])
      await expectValueRefused(pointer, value);
  });

  test.each(
    [
      'special_limits_cap',
      ...['building_limit', 'contents_limit', 'building_deductible', 'contents_deductible'],
      ...['building_reserve', 'contents_reserve', 'building_advance_payment', 'contents_advance_payment'],
      ...['icc_limit', 'building_replacement_cost', 'building_actual_cash_value'],
      ...['contents_replacement_cost', 'contents_actual_cash_value'],
    ].map((name) => `/coverages/${name}`),
  )('%s is an amount of dollars and cents, 0 or more', async (pointer) => {
    for (const value of [0, 0.01, 1234.57, 0.29, 4.35, 2500, 9_999_999_999.99])
      await expectValueTaken(pointer, value);
    for (const value of [-0.01, -1, 2500.001, 0.005, 10_000_000_000, '2500', true, { amount: 1 }])
      await expectValueRefused(pointer, value);
  });

  test.each(
    ['contents_tax_rate', 'building_tax_rate', 'overhead_rate', 'profit_rate', 'depreciation_rate'].map(
      (name) => `/estimate/${name}`,
    ),
  )('%s is a fraction from 0 to 1', async (pointer) => {
    for (const value of [0, 1, 0.07, 0.0625, 0.123456789]) await expectValueTaken(pointer, value);
    for (const value of [-0.0001, 1.0001, 7, '0.07', false]) await expectValueRefused(pointer, value);
  });

  test.each(['1e400', '-1e400', '1e-400', '-0.0', '0.0'])(
    'written %s is judged as the number it is',
    async (written) => {
      const raw = JSON.stringify({
        ...fullBody(),
        coverages: { building_limit: 11 },
        estimate: { contents_tax_rate: 12 },
        building: { flood_opening_count: 13 },
      }).replace(/11(?=})|12(?=})|13(?=})/g, written);
      const answer = await service.call('POST', '/v1/claims', {
        as: firm.live,
        raw,
        headers: { 'Idempotency-Key': `written ${written}` },
      });
      const where = [
        '/coverages/building_limit',
        '/estimate/contents_tax_rate',
        '/building/flood_opening_count',
      ];
      if (written.endsWith('e400')) expectRefused(answer, ...where);
      else {
        expect(outcome(answer)).toEqual([201]);
        expect([answer.json.coverages.building_limit, answer.json.estimate.contents_tax_rate]).toEqual([
          0, 0,
        ]);
      }
    },
  );

  test('the time of the loss is a 24-hour clock time, and the NAIC number five digits', async () => {
    for (const value of ['00:00', '23:59']) await expectValueTaken('/loss/time', value);
    for (const value of ['24:00', '12:60', '1:30', '12:30:00', '12:30 PM', 1230])
      await expectValueRefused('/loss/time', value);
    await expectValueTaken('/policy/naic_number', '00012');
    for (const value of ['1006', '100645', 'A0064', 10064])
      await expectValueRefused('/policy/naic_number', value);
  });
});

describe('the policyholder', () => {
  const holder = (policyholder: unknown): Body => ({ ...fullBody(), policyholder });
  const [phone, email] = ['352-555-0142', 'ana@example.com'];

  test.each([
    ['first and last name', { first_name: 'Ana', last_name: 'Reyes', phone }],
    ['a company', { company_name: 'Reyes LLC', phone }],
    ['all three', { first_name: 'Ana', last_name: 'Reyes', company_name: 'Reyes LLC', phone }],
    ['an email instead of a phone', { company_name: 'Reyes LLC', email }],
    ['both email and phone', { company_name: 'Reyes LLC', email, phone }],
  ])('may have %s', (_, policyholder) => expectTaken(holder(policyholder)));

  test.each([
    ['no name', { phone }, ['/policyholder']],
    ['a first name alone', { first_name: 'Ana', phone }, ['/policyholder/last_name']],
    ['a last name alone', { last_name: 'Reyes', phone }, ['/policyholder/first_name']],
    [
      'a first name beside a company',
      { first_name: 'A', company_name: 'R', phone },
      ['/policyholder/last_name'],
    ],
    [
      'a last name beside a company',
      { last_name: 'R', company_name: 'R', phone },
      ['/policyholder/first_name'],
    ],
    ['neither phone nor email', { first_name: 'Ana', last_name: 'Reyes' }, ['/policyholder']],
    ['an alternate phone alone', { company_name: 'R', alternate_phone: phone }, ['/policyholder']],
    ['neither a name nor a way to be reached', {}, ['/policyholder', '/policyholder']],
    [
      'half a name and no way to be reached',
      { first_name: 'A' },
      ['/policyholder', '/policyholder/last_name'],
    ],
    ['a text instead', 'Ana Reyes', ['/policyholder']],
    ['a list instead', [], ['/policyholder']],
  ])('may not have %s', async (_, policyholder, where) => {
    expectRefused(await send(holder(policyholder)), ...where);
  });
});

describe('additional contacts', () => {
  const contacts = (count: number): Body => ({
    ...fullBody(),
    additional_contacts: Array.from({ length: count }, (_, index) => ({ company_name: `Company ${index}` })),
  });
  test('are at most 20: the 21st is one error, at the list', async () => {
    await expectTaken(contacts(20));
    expectRefused(await send(contacts(21)), '/additional_contacts');
  });
  test('beyond 20 are one error whatever they hold', async () => {
    const body = { ...fullBody(), additional_contacts: Array.from({ length: 21 }, () => ({ nonsense: 1 })) };
    expectRefused(await send(body), '/additional_contacts');
  });
  test('each have a full personal name or a company; what is missing is told at its place', async () => {
    const additional_contacts = [
      { company_name: 'A' },
      { first_name: 'B' },
      { phone: '5' },
      'D',
      { last_name: 'E' },
    ];
    expectRefused(
      await send({ ...fullBody(), additional_contacts }),
      '/additional_contacts/1/last_name',
      '/additional_contacts/2',
      '/additional_contacts/3',
      '/additional_contacts/4/first_name',
    );
  });
  test.each([{ '0': { company_name: 'A' } }, 'A', 1])('%p is no list of them', async (value) => {
    await expectValueRefused('/additional_contacts', value);
  });
});

describe.each(['agent', 'mortgagee'])('the %s', (name) => {
  test('has a full personal name or a company, and needs no way to be reached', async () => {
    await expectTaken({ ...fullBody(), [name]: { first_name: 'A', last_name: 'B' } });
    await expectTaken({ ...fullBody(), [name]: { company_name: 'A' } });
    expectRefused(await send({ ...fullBody(), [name]: {} }), `/${name}`);
    expectRefused(await send({ ...fullBody(), [name]: { first_name: 'A' } }), `/${name}/last_name`);
  });
});

describe('the carrier', () => {
  test('is taken with a name alone', () => expectTaken({ ...fullBody(), carrier: { name: 'A' } }));
  test.each(['street', 'city', 'state', 'zip'])('has an address with its %s or none at all', async (part) => {
    expectRefused(await send(without(`/carrier/address/${part}`)), `/carrier/address/${part}`);
  });
  test('with an empty address is told all four parts', async () => {
    expectRefused(
      await send({ ...fullBody(), carrier: { name: 'A', address: {} } }),
      ...['street', 'city', 'state', 'zip'].map((part) => `/carrier/address/${part}`),
    );
  });
});

test('everything that is wrong is told at once: fields, unknown fields, both rules between fields, query and header', async () => {
  const body: Body = {
    ...fullBody(),
    external_id: ' padded',
    claim_number: 12,
    colour: 'blue',
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
  const answer = await service.call('POST', '/v1/claims?verbose=1', { as: firm.live, body });
  expectRefused(
    answer,
    'verbose',
    'Idempotency-Key',
    '/external_id',
    '/claim_number',
    '/colour',
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
  for (const item of answer.json.errors) {
    expect(item.detail).toMatch(/\S/);
    expect(Object.keys(item).sort()).toEqual(['detail', Object.keys(item).find((name) => name !== 'detail')]);
  }
});

test.each([['null'], ['[]'], ['"claim"'], ['7'], ['true']])(
  'a body that is %s is refused as a whole',
  async (raw) => {
    const answer = await service.call('POST', '/v1/claims', {
      as: firm.live,
      raw,
      headers: { 'Idempotency-Key': 'k' },
    });
    expectRefused(answer, '');
  },
);

test('the Idempotency-Key takes 1 to 255 characters', async () => {
  const sendWith = (key: string): Promise<Answer> => sendClaim(service, firm.live, claimBody(adjuster), key);
  expect(outcome(await sendWith('k'.repeat(255)))).toEqual([201]);
  expect(outcome(await sendWith('1'))).toEqual([201]);
  expectRefused(await sendWith('k'.repeat(256)), 'Idempotency-Key');
  expectRefused(await sendWith(''), 'Idempotency-Key');
  const none = await service.call('POST', '/v1/claims', { as: firm.live, body: claimBody(adjuster) });
  expectRefused(none, 'Idempotency-Key');
});
