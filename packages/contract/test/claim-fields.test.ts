import { describe, expect, it } from '@jest/globals';
import { endpoints, LIMITS } from '../src/index.ts';
import { claimWith, errorsOf, pointersOf, sendClaim } from './requests.ts';

// What the formats of fields mean. That each field takes what its documentation says, `endpoints.test.ts` proves.

const accepts = (pointer: string, ...values: readonly unknown[]): void =>
  expect(values.map((value) => [value, pointersOf(claimWith(pointer, value))])).toEqual(
    values.map((value) => [value, []]),
  );
/** Each value alone, with exactly one error, at its pointer. */
const rejects = (pointer: string, ...values: readonly unknown[]): void =>
  expect(values.map((value) => [value, pointersOf(claimWith(pointer, value))])).toEqual(
    values.map((value) => [value, [pointer]]),
  );

it.each(['/building', '/coverages', '/estimate'])('%s may be empty', (pointer) => accepts(pointer, {}));

it('an identifier may have inner whitespace and any script, but neither outer whitespace nor a line break', () => {
  accepts('/claim_number', 'a', 'a b', 'ä', '-1/2 #', '一', 'a  \t b');
  rejects('/claim_number', ' ', ' a', 'a ', '\ta', 'a\n', 'a\nb', 'a\rb');
  rejects('/claim_number', '\u00a0a', 'a\u2003', 'a\u3000', '\ufeffa');
});

it('a name has a visible character, while an optional text may be blank', () => {
  const blanks = [
    ...[' ', '\t\r\n', '\u00a0\u2003\u3000', '\u200b\u2060\ufeff', '\u00ad', '\u3164', '\u2800'],
    '\u{e0020}',
  ];
  rejects('/carrier/name', ...blanks);
  accepts('/carrier/name', ' \u200ba\u200d ');
  accepts('/instructions', ...blanks);
});

describe('a number', () => {
  const parsed = (...written: readonly string[]): unknown[] => written.map((text) => JSON.parse(text));
  const amounts = Object.entries(endpoints.sendClaim.body.shape.coverages.unwrap().shape)
    .filter(([, field]) => field.meta()?.type !== 'string' && 'maximum' in (field.unwrap().meta() ?? {}))
    .map(([name]) => `/coverages/${name}`);

  it('that is an amount has at most two decimals, in each of the 14 fields', () => {
    expect(amounts).toHaveLength(14);
    for (const amount of amounts) {
      accepts(amount, ...parsed('-0', '0.01', '0.29', '4.35', '1234.57', '2500.0', '2.5e3', '9999999999.99'));
      rejects(amount, ...parsed('-0.01', '2500.001', '0.005', '1e-7', '9999999999.991', '1e300', '1e999'));
    }
  });
  it('that is a rate is a fraction with any decimals', () => {
    accepts('/estimate/overhead_rate', 0.07, 0.0625, 0.062512, 0.123456789);
    rejects('/estimate/overhead_rate', -0.0001, 1.0001, 7);
  });
});

it('a ZIP code, a ZIP+4 and a NAIC number are texts of ASCII digits', () => {
  accepts('/loss_location/zip', '00000', '00501', '33931-4207');
  rejects('/loss_location/zip', '3393', '339311', '33931-', '33931-420', '339314207', '33931 4207', ' 33931');
  rejects('/loss_location/zip', 'ABCDE', '٣٣٩٣١', '33931\n', 33931);
  accepts('/policy/naic_number', '00012');
  rejects('/policy/naic_number', '1006', '100645', 'A0064', 10064);
});

it('a phone number has a digit, and any other characters', () => {
  accepts('/carrier/phone', '1', '+1 (239) 555-0142', 'ext. 5');
  rejects('/carrier/phone', 'n/a', '٢٣٩', '1\0', 5);
});

it('an email address has one @ with text around it, and nothing invisible', () => {
  accepts('/carrier/email', 'a@b', `${'a'.repeat(250)}@b.co`, 'jörg@häuser.example', '🌊@b');
  rejects('/carrier/email', '@', 'a@', '@b', 'ab', 'a@b@c', 'a b@c', 'a@b ', 'a@b\n', 3);
  // Two code points, three UTF-16 units.
  rejects('/carrier/email', '🌊@');
  const invisible = '\u200b \u00ad \u200f \u202e \u2066 \u2060 \u180e \ufeff \u0007 \u{e0061}'.split(' ');
  for (const one of invisible) rejects('/carrier/email', `${one}a@b.co`, `a${one}@b.co`, `a@b.c${one}o`);
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

  it('is told which fields go together', () => {
    const forms = 'Send first_name and last_name, or company_name, or all three.';
    const detailsOf = (value: object) =>
      errorsOf(sendClaim(claimWith('/policyholder', value))).map(({ detail }) => detail);
    expect([{ ...reach, first_name: 'A' }, { ...reach, last_name: 'B' }, {}].flatMap(detailsOf)).toEqual([
      `This field is required with first_name. ${forms}`,
      `This field is required with last_name. ${forms}`,
      `A name is required. ${forms}`,
      'Contact details are required. Send phone or email, or both.',
    ]);
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
