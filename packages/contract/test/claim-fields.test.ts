import { describe, expect, it } from '@jest/globals';
import {
  FLOOD_ZONES,
  LIMITS,
  LOSS_LOCATION_STATES,
  MAILING_STATES,
  type SendClaimBody,
  surgeClaim,
} from '../src/index.ts';
import { claimWith, errorsOf, pointersOf, sendClaim } from './requests.ts';

const accepts = (pointer: string, value: unknown): void =>
  expect(pointersOf(claimWith(pointer, value))).toEqual([]);
const refuses = (pointer: string, value: unknown): void =>
  expect(pointersOf(claimWith(pointer, value))).toEqual([pointer]);

const TEXTS: [pointer: string, min: number, max: number][] = [
  ['/external_id', 1, 100],
  ['/claim_number', 1, 100],
  ['/adjuster_svc_id', 1, 128],
  ['/file_number', 1, 100],
  ['/instructions', 1, 4000],
  ['/loss/description', 1, 4000],
  ['/loss/cat_code', 1, 20],
  ['/loss/fico_number', 1, 20],
  ['/policy/number', 1, 100],
  ['/carrier/name', 1, 255],
  ['/loss_location/street', 1, 255],
  ['/loss_location/street2', 1, 255],
  ['/loss_location/city', 1, 100],
  ['/loss_location/county', 1, 100],
  ['/policyholder/company_name', 1, 255],
  ['/building/community_number', 1, 20],
  ['/building/map_panel_number', 1, 20],
  ['/estimate/price_list', 1, 50],
];

describe.each(TEXTS)('%s, text of %i to %i characters', (pointer, min, max) => {
  it('takes the shortest and the longest', () => {
    accepts(pointer, 'x'.repeat(min));
    accepts(pointer, 'x'.repeat(max));
  });
  it('counts an emoji as one character', () => {
    accepts(pointer, '🌊'.repeat(max));
    refuses(pointer, '🌊'.repeat(max + 1));
    refuses(pointer, `${'🌊'.repeat(max)}x`);
  });
  it('refuses one too many, none, U+0000, half a pair, null and other types', () => {
    for (const value of ['x'.repeat(max + 1), '', 'a\0b', '\ud83c', 'a\udf0a', null, 7, true, [], {}])
      refuses(pointer, value);
  });
});

describe.each(['/external_id', '/claim_number', '/policy/number'])('%s', (pointer) => {
  it.each(['a', 'a b', 'ä', '-1/2 #'])('takes %j', (value) => accepts(pointer, value));
  it.each([' ', ' a', 'a ', '\ta', 'a\n', 'a\nb', '\u00a0a', 'a\u2003'])('refuses %j', (value) =>
    refuses(pointer, value),
  );
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
  it.each(BLANKS)('is not filled by the blank text %j', (value) => expect(sent(value)).toEqual([pointer]));
  it('may contain blanks beside what can be seen', () => expect(sent(' \u200ba\u200d ')).toEqual([]));
});

it.each([
  '/instructions',
  '/loss/description',
  '/loss_location/street2',
  '/loss_location/county',
  '/file_number',
])('%s, which may be left out, is kept as sent when it is blank', (pointer) => {
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

describe.each(INTEGERS)('%s, a whole number from %i to %i', (pointer, min, max) => {
  it('takes both bounds', () => {
    accepts(pointer, min);
    accepts(pointer, max);
    accepts(pointer, JSON.parse(`${max}.0`));
  });
  it('refuses what lies outside or between, and text', () => {
    for (const value of [min - 1, max + 1, min + 0.5, String(min), null, JSON.parse('1e999')])
      refuses(pointer, value);
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

describe.each(AMOUNTS)('%s, an amount', (pointer) => {
  it.each(['0', '-0', '0.01', '1234.57', '2500.0', '2.5e3', '9999999999.99', '0.1', '1.10'])(
    'takes %s',
    (written) => accepts(pointer, JSON.parse(written)),
  );
  it.each(['-0.01', '2500.001', '1e-7', '10000000000', '9999999999.991', '1e300', '1e999', '"5"', 'null'])(
    'refuses %s',
    (written) => refuses(pointer, JSON.parse(written)),
  );
});

const RATES = ['contents_tax_rate', 'building_tax_rate', 'overhead_rate', 'profit_rate', 'depreciation_rate'];

describe.each(RATES)('/estimate/%s, a fraction', (name) => {
  it.each([0, 0.07, 0.062512, 1])('takes %d', (value) => accepts(`/estimate/${name}`, value));
  it.each([-0.01, 1.01, 7, '0.07', null])('refuses %j', (value) => refuses(`/estimate/${name}`, value));
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

describe.each(DATES)('%s, a calendar date', (pointer) => {
  it.each(['0001-01-01', '2024-02-29', '2031-01-01'])('takes %s', (value) => accepts(pointer, value));
  it.each(['2023-02-30', '2026-8-1', '2026-08-01T00:00:00Z', '08/01/2026', '', 20260801, null])(
    'refuses %j',
    (value) => refuses(pointer, value),
  );
});

describe('the flood zone', () => {
  it.each([...FLOOD_ZONES])('takes %s', (zone) => accepts('/building/flood_zone', zone));

  it.each([
    ['A08', 'A8'],
    ['AHB', 'AH'],
    ['AOB', 'AO'],
    ['AR/AE', 'AR'],
    ['ae', 'AE'],
    [' X', 'X'],
  ])('refuses %j and names the zone meant', (sent, meant) => {
    expect(errorsOf(sendClaim(claimWith('/building/flood_zone', sent)))).toEqual([
      { pointer: '/building/flood_zone', detail: expect.stringMatching(`did you mean ${meant}\\?$`) },
    ]);
  });

  it.each(['NSFHA', 'NONE', 'UNK', 'A31', 'toString', '__proto__', ''])(
    'refuses %j and says where the zones are listed, without naming one',
    (sent) => {
      const [error, ...others] = errorsOf(sendClaim(claimWith('/building/flood_zone', sent)));
      expect(others).toEqual([]);
      expect(error?.pointer).toBe('/building/flood_zone');
      expect(error?.detail).toMatch(/see "Flood zones" in the documentation\.$/);
      expect(error?.detail).not.toContain('did you mean');
    },
  );

  it.each([7, null, ['AE'], true])('refuses %j without guessing', (sent) => {
    const [error] = errorsOf(sendClaim(claimWith('/building/flood_zone', sent)));
    expect(error?.detail).not.toContain('did you mean');
  });
});

describe('other listed values', () => {
  it.each([
    ['/loss/peril', 'flood', 'Flood'],
    ['/loss/cause', 'rainfall_snowmelt_accumulation', 'rain'],
    ['/policy/form_type', 'rcbap', 'RCBAP'],
    ['/policy/program_type', 'emergency', 'none'],
    ['/building/firm_status', 'pre_firm', 'pre-firm'],
    ['/building/construction_type', 'masonry', 'brick'],
    ['/building/occupancy_type', 'residential_unit', 'single family home'],
    ['/building/building_type', 'barn', 'constructor'],
    ['/coverages/building_settlement_basis', 'actual_cash_value', 'acv'],
  ])('%s takes %s and refuses %s', (pointer, right, wrong) => {
    accepts(pointer, right);
    refuses(pointer, wrong);
    refuses(pointer, null);
    refuses(pointer, 1);
  });
});

describe('places', () => {
  it('take each of the 56 codes for the property, and the others for mail only', () => {
    for (const state of LOSS_LOCATION_STATES) accepts('/loss_location/state', state);
    for (const state of ['FM', 'MH', 'PW', 'AA', 'AE', 'AP', 'fl', 'Florida', 'XX', '']) {
      refuses('/loss_location/state', state);
    }
    for (const state of MAILING_STATES)
      accepts('/carrier/address', { street: 's', city: 'c', state, zip: '00601' });
  });

  it.each(['00000', '00601', '33931-4207'])('take the ZIP %s', (zip) => accepts('/loss_location/zip', zip));
  it.each(['3393', '339311', '33931-420', '33931 4207', '339314207', '٣٣٩٣١', '33931\n', 33931, null])(
    'refuse the ZIP %j',
    (zip) => refuses('/loss_location/zip', zip),
  );

  it.each(['/carrier/address', '/policyholder/address', '/policyholder/mailing_address'])(
    'want all four parts of %s or none',
    (pointer) => {
      const whole = { street: 's', city: 'c', state: 'FL', zip: '33931' };
      accepts(pointer, whole);
      for (const part of ['street', 'city', 'state', 'zip']) {
        const { [part as keyof typeof whole]: _, ...rest } = whole;
        expect(pointersOf(claimWith(pointer, rest))).toEqual([`${pointer}/${part}`]);
      }
      expect(pointersOf(claimWith(pointer, {}))).toEqual(
        ['street', 'city', 'state', 'zip'].map((part) => `${pointer}/${part}`),
      );
      refuses(pointer, null);
    },
  );

  it('are found in a number and a clock, too', () => {
    accepts('/policy/naic_number', '00064');
    for (const wrong of ['1006', '100644', 10064, null]) refuses('/policy/naic_number', wrong);
    accepts('/loss/time', '23:59');
    for (const wrong of ['24:00', '9:00', null]) refuses('/loss/time', wrong);
  });
});

describe('telephone numbers and emails', () => {
  it.each(['1', '+1 (239) 555-0142', 'ext. 5', '1'.repeat(20)])('take the number %j', (value) =>
    accepts('/carrier/phone', value),
  );
  it.each(['', 'n/a', '٢٣٩', '1'.repeat(21), '1\0', 5, null])('refuse the number %j', (value) =>
    refuses('/carrier/phone', value),
  );

  it.each(['a@b', `${'a'.repeat(250)}@b.co`, 'jörg@häuser.example', '🌊@b'])('take the email %j', (value) =>
    accepts('/carrier/email', value),
  );
  it.each(['', '@', 'a@', '@b', 'ab', 'a@b@c', 'a b@c', 'a@b ', 'a@b\n', `${'a'.repeat(251)}@b.co`, null, 3])(
    'refuse the email %j',
    (value) => refuses('/carrier/email', value),
  );

  it('refuse an email of two characters written with a pair', () => refuses('/carrier/email', '🌊@'));
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

  it('needs a phone or an email, and each complaint comes by itself', () => {
    accepts('/policyholder', { company_name: 'C', email: 'a@b' });
    expect(pointersOf(claimWith('/policyholder', { company_name: 'C' }))).toEqual(['/policyholder']);
    expect(pointersOf(claimWith('/policyholder', {}))).toEqual(['/policyholder', '/policyholder']);
    expect(pointersOf(claimWith('/policyholder', { nickname: 'A' }))).toEqual([
      '/policyholder/nickname',
      '/policyholder',
      '/policyholder',
    ]);
    refuses('/policyholder', null);
    refuses('/policyholder', []);
  });
});

describe.each(['/agent', '/mortgagee'])('%s', (pointer) => {
  it('needs a full personal name or a company, and nothing else', () => {
    accepts(pointer, { first_name: 'A', last_name: 'B' });
    accepts(pointer, { company_name: 'C' });
    expect(pointersOf(claimWith(pointer, {}))).toEqual([pointer]);
    expect(pointersOf(claimWith(pointer, { last_name: 'B' }))).toEqual([`${pointer}/first_name`]);
  });
});

describe('additional contacts', () => {
  const contact = { company_name: 'C' };
  it(`may be none, and up to ${LIMITS.additionalContacts}`, () => {
    accepts('/additional_contacts', []);
    accepts('/additional_contacts', Array(20).fill({ ...contact, role: 'Tenant' }));
  });
  it('make one complaint when they are 21, or 200,000, whatever they hold', () => {
    refuses('/additional_contacts', Array(21).fill(contact));
    refuses('/additional_contacts', Array(200_000).fill(1));
  });
  it('are pointed at by number', () => {
    expect(pointersOf(claimWith('/additional_contacts', [contact, { first_name: 'A' }, 5, null]))).toEqual([
      '/additional_contacts/1/last_name',
      '/additional_contacts/2',
      '/additional_contacts/3',
    ]);
    refuses('/additional_contacts', { 0: contact });
    refuses('/additional_contacts', null);
  });
});

describe('what a claim must hold', () => {
  it.each([
    ...[
      '/external_id',
      '/claim_number',
      '/adjuster_svc_id',
      '/loss',
      '/policy',
      '/carrier',
      '/loss_location',
    ],
    ...['/policyholder', '/loss/date', '/policy/number', '/carrier/name', '/loss_location/street'],
    ...['/loss_location/city', '/loss_location/state', '/loss_location/zip'],
  ])('%s is required', (pointer) => {
    const [error, ...others] = errorsOf(sendClaim(claimWith(pointer, undefined)));
    expect(others).toEqual([]);
    expect(error?.pointer).toBe(pointer);
    expect(error?.detail).toMatch(/^This field is required/);
  });

  it.each([
    '/agent',
    '/mortgagee',
    '/building',
    '/coverages',
    '/estimate',
    '/carrier/phone',
    '/instructions',
  ])('%s may be left out but is never null', (pointer) => {
    accepts(pointer, undefined);
    refuses(pointer, null);
  });

  it.each(['/building', '/coverages', '/estimate'])('%s may be empty', (pointer) => accepts(pointer, {}));
});
