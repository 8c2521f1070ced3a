import { describe, expect, it } from '@jest/globals';
import {
  FLOOD_ZONES,
  LIMITS,
  LOSS_LOCATION_STATES,
  MAILING_STATES,
  type SendClaimBody,
  surgeClaim,
} from '../src/index.ts';
import { fullWith } from './full-claim.ts';
import { claimWith, errorsOf, pointersOf, sendClaim } from './requests.ts';

type Case = readonly [pointer: string, value: unknown];

const accepts = (pointer: string, value: unknown): void =>
  expect(pointersOf(claimWith(pointer, value))).toEqual([]);
const rejects = (pointer: string, value: unknown): void =>
  expect(pointersOf(claimWith(pointer, value))).toEqual([pointer]);

const found = (cases: readonly Case[]) =>
  cases.map(([pointer, value]) => [pointer, value, pointersOf(fullWith(pointer, value))]);
/** Each value alone, in the full claim. */
const acceptsAll = (cases: readonly Case[]): void =>
  expect(found(cases)).toEqual(cases.map(([pointer, value]) => [pointer, value, []]));
/** Each with exactly one error, at its pointer. */
const rejectsAll = (cases: readonly Case[]): void =>
  expect(found(cases)).toEqual(cases.map(([pointer, value]) => [pointer, value, [pointer]]));
const at = (pointers: readonly string[], values: readonly unknown[]): Case[] =>
  pointers.flatMap((pointer) => values.map((value): Case => [pointer, value]));

const PEOPLE = ['/policyholder', '/additional_contacts/0', '/agent', '/mortgagee'];
const ADDRESSES = [
  '/carrier/address',
  ...PEOPLE.map((person) => `${person}/address`),
  '/policyholder/mailing_address',
];
const under = (holders: readonly string[], name: string): string[] => holders.map((one) => `${one}/${name}`);

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
  it('that is required gets an error at its pointer when it is absent, and the detail says so', () => {
    rejectsAll(at(REQUIRED, [undefined]));
    const details = REQUIRED.map((pointer) => errorsOf(sendClaim(fullWith(pointer, undefined)))[0]?.detail);
    expect(details.filter((detail) => !/^This field is required/.test(detail ?? ''))).toEqual([]);
  });
  it('that is optional may be omitted', () => acceptsAll(at(OPTIONAL, [undefined])));
  it('must not be null', () => rejectsAll(at([...REQUIRED, ...OPTIONAL], [null])));
  it('that is unknown gets an error at its pointer, in every object', () => {
    const objects = ['', '/loss', '/policy', '/carrier', '/loss_location', ...PEOPLE, ...ADDRESSES];
    objects.push('/building', '/coverages', '/estimate');
    rejectsAll(at(under(objects, 'no_such_field'), ['x']));
  });
  it('that only responses have is rejected in a request', () =>
    rejectsAll(at(['/id', '/test', '/created_at', '/updated_at', '/assignment'], ['x'])));
  it.each(['/building', '/coverages', '/estimate'])('%s may be empty', (pointer) => accepts(pointer, {}));
});

const PLAIN_TEXT: [pointer: string, max: number][] = [
  ['/external_id', 100],
  ['/adjuster_svc_id', 128],
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
const PHONES = [...under(PEOPLE, 'phone'), '/policyholder/alternate_phone'];
const EMAILS = ['/carrier/email', ...under(PEOPLE, 'email')];

describe('a string', () => {
  it('has one code point up to its limit, an emoji counting as one', () => {
    for (const [pointer, max] of PLAIN_TEXT) {
      acceptsAll(at([pointer], ['x', 'x'.repeat(max), '🌊'.repeat(max)]));
      rejectsAll(at([pointer], ['', 'x'.repeat(max + 1), '🌊'.repeat(max + 1), `${'🌊'.repeat(max)}x`]));
    }
  });
  it('must not contain U+0000 or an unpaired surrogate', () =>
    rejectsAll(
      at(
        PLAIN_TEXT.map(([pointer]) => pointer),
        ['a\0b', '\ud83c', 'a\udf0a'],
      ),
    ));
  it('must not be another JSON type', () =>
    rejectsAll(
      at([...PLAIN_TEXT.map(([pointer]) => pointer), ...PHONES, ...EMAILS], [7, true, ['x'], { x: 1 }]),
    ));

  const IDENTIFIERS = ['/external_id', '/claim_number', '/policy/number'];
  it('that is an identifier may contain inner whitespace and any script', () =>
    acceptsAll(at(IDENTIFIERS, ['a', 'a b', 'ä', '-1/2 #', '一', 'a  \t b'])));
  it('that is an identifier must not start or end with whitespace or contain a line break', () =>
    rejectsAll(
      at(IDENTIFIERS, [
        ...[' ', ' a', 'a ', '\ta', 'a\n', 'a\nb', 'a\rb'],
        ...['\u00a0a', 'a\u2003', 'a\u3000', '\ufeffa'],
      ]),
    ));
});

const BLANKS = [
  ' ',
  '\t\r\n',
  '\u00a0\u2003\u3000',
  '\u200b\u2060\ufeff',
  '\u00ad',
  '\u3164',
  '\u2800',
  '\u{e0020}',
];

describe.each([
  '/carrier/name',
  '/carrier/address/street',
  '/carrier/address/city',
  '/loss_location/street',
  '/loss_location/city',
  '/policyholder/first_name',
  '/policyholder/last_name',
  '/policyholder/company_name',
  '/agent/company_name',
  '/mortgagee/company_name',
  '/additional_contacts/0/first_name',
])('%s', (pointer) => {
  const sent = (value: string) => pointersOf(claimWith(pointer, value, surgeClaim as SendClaimBody));
  it.each(BLANKS)('rejects the blank string %j', (value) => expect(sent(value)).toEqual([pointer]));
  it('may contain invisible characters next to visible ones', () =>
    expect(sent(' \u200ba\u200d ')).toEqual([]));
});

it.each([
  '/instructions',
  '/loss/description',
  '/loss_location/street2',
  '/loss_location/county',
  '/file_number',
])('%s, which is optional, may be blank', (pointer) => {
  for (const value of BLANKS) accepts(pointer, value);
});

const INTEGERS: [pointer: string, min: number, max: number][] = [
  ['/building/number_of_units', 1, 100_000],
  ['/building/first_floor_height_feet', 0, 1000],
  ['/building/first_floor_height_inches', 0, 11],
  ['/building/flood_opening_count', 0, 100_000],
  ['/loss/exterior_water_depth_inches', 0, 1200],
  ['/loss/interior_water_depth_inches', 0, 1200],
  ['/loss/water_duration_hours', 0, 8760],
];

describe.each(INTEGERS)('%s, an integer from %i to %i', (pointer, min, max) => {
  it('accepts both bounds', () => {
    accepts(pointer, min);
    accepts(pointer, max);
    accepts(pointer, JSON.parse(`${max}.0`));
  });
  it('rejects numbers out of range, fractions and strings', () => {
    for (const value of [min - 1, max + 1, min + 0.5, String(min), null, JSON.parse('1e999')])
      rejects(pointer, value);
  });
});

const AMOUNTS = [
  ...['special_limits_cap', 'building_limit', 'contents_limit', 'building_deductible', 'contents_deductible'],
  ...[
    'building_reserve',
    'contents_reserve',
    'building_advance_payment',
    'contents_advance_payment',
    'icc_limit',
  ],
  ...['building_replacement_cost', 'building_actual_cash_value'],
  ...['contents_replacement_cost', 'contents_actual_cash_value'],
].map((name) => `/coverages/${name}`);

describe('an amount', () => {
  const parsed = (written: readonly string[]): unknown[] => written.map((text) => JSON.parse(text));
  it('must be 0 or more with at most two decimals', () =>
    acceptsAll(
      at(AMOUNTS, [
        ...parsed(['0', '-0', '0.01', '0.29', '4.35', '1234.57', '2500.0', '2.5e3', '9999999999.99']),
        ...parsed(['0.1', '1.10']),
      ]),
    ));
  it('must not be anything else', () =>
    rejectsAll(
      at(AMOUNTS, [
        ...parsed(['-0.01', '-1', '2500.001', '0.005', '1e-7', '10000000000', '9999999999.991', '1e300']),
        ...parsed(['1e999', '"5"', 'null', 'true', '{"amount":1}']),
      ]),
    ));
});

const RATES = ['contents_tax_rate', 'building_tax_rate', 'overhead_rate', 'profit_rate', 'depreciation_rate'];

describe('a rate', () => {
  const POINTERS = RATES.map((name) => `/estimate/${name}`);
  it('must be a fraction from 0 to 1', () =>
    acceptsAll(at(POINTERS, [0, 0.07, 0.0625, 0.062512, 0.123456789, 1])));
  it('must not be anything else', () =>
    rejectsAll(at(POINTERS, [-0.0001, -0.01, 1.0001, 1.01, 7, '0.07', false, null])));
});

const DATES = [
  ...['/loss/date', '/policy/effective_date', '/policy/expiration_date', '/policy/original_effective_date'],
  ...[
    '/reported_date',
    '/contact_date',
    '/inspection_date',
    '/building/firm_date',
    '/building/construction_date',
  ],
];

describe('a calendar date', () => {
  it('may be any existing date, in the distant past or future', () =>
    acceptsAll(at(DATES.slice(0, 1), ['0001-01-01', '1900-01-01', '2000-02-29', '2999-12-31'])));
  it('is accepted in each date field', () => {
    // After the others, as the policy's term requires.
    const last = '/policy/expiration_date';
    acceptsAll(
      at(
        DATES.filter((pointer) => pointer !== last),
        ['2024-12-31', '2024-02-29'],
      ),
    );
    acceptsAll(at([last], ['2028-12-31', '2028-02-29']));
  });
  it('that does not exist or has another format is rejected in each date field', () =>
    rejectsAll(
      at(DATES, [
        ...['2023-02-29', '2023-02-30', '1900-02-29', '2024-13-01', '2024-00-10', '2024-04-31', '2024-01-00'],
        ...['2024-1-05', '2026-8-1', '24-01-05', '20240105', '01/05/2024', '2024-01-05T00:00:00Z'],
        ...[' 2024-01-05', '', 20240105, null],
      ]),
    ));
});

describe('the flood zone', () => {
  it('may be any of the 72', () => acceptsAll(at(['/building/flood_zone'], FLOOD_ZONES)));

  it.each(['NSFHA', 'NONE', 'UNK', 'A31', 'toString', '__proto__', ''])(
    '%j is rejected with a link to the list of zones and no suggestion',
    (sent) => {
      const [error, ...others] = errorsOf(sendClaim(claimWith('/building/flood_zone', sent)));
      expect(others).toEqual([]);
      expect(error?.pointer).toBe('/building/flood_zone');
      expect(error?.detail).toMatch(/see "Flood zones" in the documentation\.$/);
      expect(error?.detail).not.toContain('did you mean');
    },
  );

  it.each([7, null, ['AE'], true])('%j is rejected without a suggestion', (sent) => {
    const [error] = errorsOf(sendClaim(claimWith('/building/flood_zone', sent)));
    expect(error?.detail).not.toContain('did you mean');
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

describe('an enum', () => {
  it('accepts each of its values', () => {
    for (const [pointer, values] of Object.entries(ENUMS)) acceptsAll(at([pointer], values));
  });
  it('rejects every other value', () => {
    for (const [pointer, [first = '']] of Object.entries(ENUMS))
      rejectsAll(at([pointer], ['no_such_value', '', first.toUpperCase(), ` ${first}`, 1, null, [first]]));
    rejectsAll(at(['/building/occupancy_type'], ['castle', 'single family home', 1, null]));
    rejectsAll(at(['/building/building_type'], ['castle', 'constructor', 1, null]));
  });
});

const STATES = (
  'AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA ' +
  'RI SC SD TN TX UT VT VA WA WV WI WY DC AS GU MP PR VI'
).split(' ');

describe('a location', () => {
  const STATE_OF_ADDRESSES = under(ADDRESSES, 'state');
  it('of the property may be in 56 states and territories', () => {
    expect([...LOSS_LOCATION_STATES].sort()).toEqual([...STATES].sort());
    acceptsAll(at(['/loss_location/state'], STATES));
    rejectsAll(at(['/loss_location/state'], ['FM', 'MH', 'PW', 'AA', 'AE', 'AP']));
  });
  it('that receives mail may be in six more states', () =>
    acceptsAll(at(STATE_OF_ADDRESSES, MAILING_STATES)));
  it('must not be in another state', () =>
    rejectsAll(
      at(['/loss_location/state', ...STATE_OF_ADDRESSES], ['fl', 'Fl', 'ZZ', 'XX', 'Florida', '', 'FL ', 12]),
    ));

  const ZIPS = ['/loss_location/zip', ...under(ADDRESSES, 'zip')];
  it('has a ZIP code or ZIP+4, as a string', () => acceptsAll(at(ZIPS, ['00000', '00501', '33931-4207'])));
  it('must not have another ZIP code', () =>
    rejectsAll(
      at(ZIPS, [
        ...['3393', '339311', '33931-', '33931-420', '339314207', '33931 4207', ' 33931', 'ABCDE'],
        ...['٣٣٩٣١', '33931\n', 33931, null],
      ]),
    ));
  it.each(ADDRESSES)('%s has all four fields or is absent', (pointer) => {
    expect(pointersOf(fullWith(pointer, {}))).toEqual(
      ['street', 'city', 'state', 'zip'].map((part) => `${pointer}/${part}`),
    );
  });
});

describe('a NAIC number and a time', () => {
  it('are five digits and a 24-hour time', () => {
    acceptsAll([...at(['/policy/naic_number'], ['00012']), ...at(['/loss/time'], ['00:00', '23:59'])]);
    rejectsAll(at(['/policy/naic_number'], ['1006', '100645', 'A0064', 10064, null]));
    rejectsAll(at(['/loss/time'], ['24:00', '12:60', '1:30', '12:30:00', '12:30 PM', 1230, null]));
  });
});

describe('phone numbers and emails', () => {
  it.each(['1', '+1 (239) 555-0142', 'ext. 5', '1'.repeat(20)])('accept the number %j', (value) =>
    accepts('/carrier/phone', value),
  );
  it.each(['', 'n/a', '٢٣٩', '1'.repeat(21), '1\0', 5, null])('reject the number %j', (value) =>
    rejects('/carrier/phone', value),
  );

  it.each(['a@b', `${'a'.repeat(250)}@b.co`, 'jörg@häuser.example', '🌊@b'])('accept the email %j', (value) =>
    accepts('/carrier/email', value),
  );
  it.each(['', '@', 'a@', '@b', 'ab', 'a@b@c', 'a b@c', 'a@b ', 'a@b\n', `${'a'.repeat(251)}@b.co`, null, 3])(
    'reject the email %j',
    (value) => rejects('/carrier/email', value),
  );

  it.each([
    '\u200b',
    '\u00ad',
    '\u200f',
    '\u202e',
    '\u2066',
    '\u2060',
    '\u180e',
    '\ufeff',
    '\u0007',
    '\u{e0061}',
  ])('reject an email with the invisible character %j', (invisible) => {
    for (const value of [`${invisible}a@b.co`, `a${invisible}@b.co`, `a@b.c${invisible}o`])
      rejects('/carrier/email', value);
  });

  it('reject an email of two code points and three UTF-16 units', () => rejects('/carrier/email', '🌊@'));
});

describe('every phone number and email', () => {
  it('has the same limits, with room for an extension of a person', () => {
    acceptsAll(at(PHONES, ['(787) 671-1234 ext. 12', '1'.repeat(40), '5', '3525550142']));
    rejectsAll(at(PHONES, ['1'.repeat(41), '', 'none', '٣٥٢']));
    acceptsAll(at(EMAILS, [`a@${'b'.repeat(253)}`]));
    rejectsAll(at(EMAILS, [`a@${'b'.repeat(254)}`, '', 'nobody', 'a b@c.example', '@c.example', 'a@']));
  });
});

describe('the policyholder', () => {
  const reach = { phone: '1' };
  it.each([
    ['a full name', { first_name: 'A', last_name: 'B' }],
    ['a company', { company_name: 'C' }],
    ['all three', { first_name: 'A', last_name: 'B', company_name: 'C' }],
  ])('may be %s', (_, name) => accepts('/policyholder', { ...name, ...reach }));

  it.each([
    ['no name', {}, ['/policyholder']],
    ['a first name alone', { first_name: 'A' }, ['/policyholder/last_name']],
    ['a last name alone', { last_name: 'B' }, ['/policyholder/first_name']],
    ['a company and half a name', { company_name: 'C', first_name: 'A' }, ['/policyholder/last_name']],
    ['a wrong first name alone', { first_name: 5 }, ['/policyholder/first_name', '/policyholder/last_name']],
    ['a null company', { company_name: null }, ['/policyholder/company_name']],
  ])('may not have %s', (_, name, pointers) => {
    expect(pointersOf(claimWith('/policyholder', { ...name, ...reach }))).toEqual(pointers);
  });

  it('needs a phone or an email, reported separately from a missing name', () => {
    accepts('/policyholder', { company_name: 'C', email: 'a@b' });
    expect(pointersOf(claimWith('/policyholder', { company_name: 'C' }))).toEqual(['/policyholder']);
    expect(pointersOf(claimWith('/policyholder', {}))).toEqual(['/policyholder', '/policyholder']);
    expect(pointersOf(claimWith('/policyholder', { nickname: 'A' }))).toEqual([
      '/policyholder/nickname',
      '/policyholder',
      '/policyholder',
    ]);
    rejects('/policyholder', null);
    rejects('/policyholder', []);
  });
});

describe.each(['/agent', '/mortgagee'])('%s', (pointer) => {
  it('needs a full personal name or a company name, and nothing else', () => {
    accepts(pointer, { first_name: 'A', last_name: 'B' });
    accepts(pointer, { company_name: 'C' });
    expect(pointersOf(claimWith(pointer, {}))).toEqual([pointer]);
    expect(pointersOf(claimWith(pointer, { last_name: 'B' }))).toEqual([`${pointer}/first_name`]);
  });
});

describe('additional contacts', () => {
  const contact = { company_name: 'C' };
  it(`may be empty, with up to ${LIMITS.additionalContacts} items`, () => {
    accepts('/additional_contacts', []);
    accepts('/additional_contacts', Array(20).fill({ ...contact, role: 'Tenant' }));
  });
  it('get one error when there are 21 or 200,000, whatever their content', () => {
    rejects('/additional_contacts', Array(21).fill(contact));
    rejects('/additional_contacts', Array(200_000).fill(1));
  });
  it('have their index in pointers', () => {
    expect(pointersOf(claimWith('/additional_contacts', [contact, { first_name: 'A' }, 5, null]))).toEqual([
      '/additional_contacts/1/last_name',
      '/additional_contacts/2',
      '/additional_contacts/3',
    ]);
    rejects('/additional_contacts', { 0: contact });
    rejects('/additional_contacts', null);
  });
});
