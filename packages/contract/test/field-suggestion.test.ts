import { describe, expect, it, test } from '@jest/globals';
import { z } from 'zod';
import { editDistance } from '../src/edit-distance.ts';
import { suggestedField } from '../src/field-suggestion.ts';

const text = z.string();
const objectOf = (...names: string[]) => z.object(Object.fromEntries(names.map((name) => [name, text])));
/** The suggestion for a name in an object with these fields. */
const among = (known: string[], name: string) => suggestedField(name, objectOf(...known), []);

test.each([
  ['', 'abc', 3],
  ['abc', '', 3],
  ['ab', 'ba', 1],
  ['abcd', 'badc', 2],
  ['ca', 'abc', 3],
  ['abc', 'xbc', 1],
  ['abc', 'bc', 1],
  ['sunday', 'saturday', 3],
  ['aab', 'aba', 1],
  ['abb', 'bab', 1],
])('from %j to %j are %d edits, a swap of neighbors being one', (from, to, edits) => {
  expect([editDistance(from, to), editDistance(to, from)]).toEqual([edits, edits]);
});

describe('a misspelled name', () => {
  it.each<[field: string, name: string, meant?: string | null]>([
    ['city', 'ctiy'],
    ['city', 'cityx', null],
    ['city', 'cxty', null],
    ['city', 'icyt', null],
    ['city', 'tciy', null],
    ['zip', 'zpi', null],
    ['zip', 'zipp', null],
    ['phone', 'phnoe'],
    ['phone', 'phne'],
    ['phone', 'phe', null],
    ['carrier', 'carier'],
    ['carrier', 'crrierr', null],
    ['building', 'bilding'],
    ['building', 'bildng'],
    ['building', 'blildnig'],
    ['building', 'bldng', null],
    ['loss_location', 'loss_locaton'],
    ['policy_number', 'polic_nmber'],
    ['policy_number', 'plc_number', null],
  ])(
    'of %s, %s, is recognized by the number of wrong letters that its length allows',
    (field, name, meant = field) => {
      expect(among([field], name)).toBe(meant);
    },
  );

  it.each<[field: string, name: string, meant?: string | null]>([
    ['claim_number', 'claimNumber'],
    ['claim_number', 'ClaimNumber'],
    ['claim_number', 'ClaimNumbr'],
    ['claim_number', '_claim__numbr_'],
    ['claim_number', ' claim-numbr'],
    ['claim_number', 'claimnumber'],
    ['policyholder', 'policy_holder'],
    ['policyholder', 'policy_holdr', null],
    ['claim_number', 'claim', null],
  ])('is compared word by word with %s: %s', (field, name, meant = field) => {
    expect(among([field], name)).toBe(meant);
  });

  it.each([
    ['street2', 'stret2', 'street2'],
    ['street2', 'street3', null],
    ['street2', 'street', null],
    ['line_12', 'line1_2', 'line_12'],
    ['number_1_of_2', 'numbr_1_of_2', 'number_1_of_2'],
    ['number_1_of_2', 'numbr_2_of_1', null],
  ])('stands for no field with another number: for %s, %s', (field, name, meant) => {
    expect(among([field], name)).toBe(meant);
  });

  it('stands for the field with the fewest typos, whatever their order', () => {
    const known = ['building_limit', 'buildings_limit'];
    expect(among(known, 'building_limt')).toBe('building_limit');
    expect(among(known.toReversed(), 'building_limt')).toBe('building_limit');
    expect(among(['exterior_city', 'exterior_ctiy'], 'exteriorCtiy')).toBe('exterior_ctiy');
    expect(among(['exterior_ctiy', 'exterior_city'], 'exteriorCtiy')).toBe('exterior_ctiy');
    expect(among(['exterir_ctiy', 'exterior_city'], 'exterior_ctiy')).toBe('exterir_ctiy');
  });

  it.each([
    ['county', 'country'],
    ['contact', 'contract'],
    ['estimate', 'estimator'],
    ['mortgagee', 'mortgagor'],
    ['mortgagee', 'mortgager'],
    ['inspection', 'inspector'],
  ])('of %s is not %s, another word', (field, name) => {
    expect(among([field], name)).toBeNull();
  });

  it('is not looked for in names of more than 40 characters', () => {
    expect(among(['claim_number'], `claim${'_'.repeat(29)}number`)).toBe('claim_number');
    expect(among(['claim_number'], `claim${'_'.repeat(30)}number`)).toBeNull();
  });
});

describe('the usual name of a field in other systems', () => {
  it.each(
    Object.entries({
      zip: ['zip_code', 'zipcode', 'postal_code', 'postcode', 'postalCode', 'Zip-Code'],
      street: [
        ...['street1', 'street_address', 'address1', 'address_1', 'address_line1', 'address_line_1'],
        ...['line1', 'urbanization'],
      ],
      street2: [
        ...['urbanization', 'street_2', 'address2', 'address_2', 'address_line2', 'address_line_2'],
        'line2',
      ],
      phone: ['phone_number', 'telephone', 'telephone_number'],
      email: ['email_address', 'e_mail'],
      company_name: ['company', 'organization', 'business_name'],
      first_name: ['given_name'],
      last_name: ['surname', 'family_name'],
      policyholder: ['insured'],
      loss_location: ['property_address', 'risk_address', 'loss_address'],
    }).flatMap(([field, names]) => names.map((name) => [field, name] as const)),
  )('%s is %s', (field, name) => {
    expect(among(['other', field], name)).toBe(field);
    expect(among(['other'], name)).toBeNull();
    if (field === 'street2') expect(among(['street', 'street2'], name)).toBe('street2');
  });
});

describe('the name of a field below', () => {
  const schema = z.object({
    policy: z.object({ number: text, effective_date: text }).optional(),
    building: z.object({ flood_zone: text, unit_count: text }),
    carrier: z
      .object({ unit_count: text })
      .transform((carrier) => carrier)
      .pipe(z.object({ unit_count: text })),
    contacts: z.array(z.object({ phone: text, employer: z.object({ tax_number: text }) })),
  });
  const at = (name: string, ...path: (string | number)[]) => suggestedField(name, schema, path);

  it('is recognized after the name of its object, or if it has several words', () => {
    expect(at('policy_number')).toBe('/policy/number');
    expect(at('policyNumber')).toBe('/policy/number');
    expect(at('effective_date')).toBe('/policy/effective_date');
    expect(at('number')).toBeNull();
    expect(at('policy_date')).toBeNull();
  });

  it('is not recognized if two objects have it', () => {
    expect(at('unit_count')).toBeNull();
    expect(at('carrier_unit_count')).toBe('/carrier/unit_count');
  });

  it('is recognized in objects of arrays too, and has the pointer of the object before it', () => {
    expect(at('phne', 'contacts', 0)).toBe('phone');
    expect(at('employer_tax_number', 'contacts', 7)).toBe('/contacts/7/employer/tax_number');
    expect(at('tax_numbr', 'contacts', 7, 'employer')).toBe('tax_number');
    expect(at('phone', 'contacts')).toBeNull();
  });
});
