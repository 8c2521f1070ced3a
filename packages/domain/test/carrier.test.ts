import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type CarrierAddress,
  type CarrierDetails,
  carrierForForms,
  carrierNameKey,
  correctCarrier,
  mergeCarrier,
  sameAddress,
  sameEmail,
  samePhone,
} from '../src/index.ts';

const ADDRESS: CarrierAddress = { street: '1 Levee Rd', city: 'Slidell', state: 'LA', zip: '70458' };

describe('carrier names', () => {
  test.each([
    ['Gulf Mutual', 'GULF MUTUAL'],
    ['Gulf Mutual', '  gulf   mutual '],
    ['Gulf Mutual', 'gulf\tmutual'],
    ['Gulf Mutual', 'gulf\u00a0mutual'],
    ['Gulf Mutual', 'gulf\u3000\nmutual'],
    ['Straße', 'STRASSE'],
    ['straße', 'STRAẞE'],
    ['ΟΔΟΣ', 'οδος'],
    ['οδοσ', 'οδος'],
    ['ΟΔΟΣ ΑΕ', 'οδοσ αε'],
    ['Éclair', 'éclair'],
  ])('%j and %j are equal', (one, other) => {
    expect(carrierNameKey(one)).toBe(carrierNameKey(other));
  });

  test.each([
    ['Gulf Mutual', 'Gulf-Mutual'],
    ['Gulf Mutual', 'GulfMutual'],
    ['Gulf Mutual', 'Gulf Mutual.'],
    ['Gulf Mutual', 'Gulf Mutual Inc'],
    ['Gulf & Co', 'Gulf and Co'],
    ['Eclair', 'Éclair'],
    ['Gulf Mutual 1', 'Gulf Mutual １'],
    ['Gulf\u200bMutual', 'Gulf Mutual'],
  ])('%j and %j differ', (one, other) => {
    expect(carrierNameKey(one)).not.toBe(carrierNameKey(other));
  });

  test('the key is the name in lower case with single spaces', () => {
    expect(carrierNameKey(' Gulf  Mutual \t Co ')).toBe('gulf mutual co');
  });

  test('the key ignores case in every script, and the key of a key is itself', () => {
    // Every script with upper case is in the first two planes.
    for (let point = 0; point <= 0x1ffff; point++) {
      if (point >= 0xd800 && point <= 0xdfff) continue;
      const letter = String.fromCodePoint(point);
      const lower = letter.toLowerCase();
      const upper = letter.toUpperCase();
      if (lower === letter && upper === letter) continue;
      const key = carrierNameKey(`a${letter}a`);
      const keys = [lower, upper].map((form) => carrierNameKey(`a${form}a`));
      if (keys.some((k) => k !== key) || carrierNameKey(key) !== key) {
        throw new Error(`U+${point.toString(16)}: ${[key, ...keys].join(' ')}`);
      }
    }
  });
});

describe('carrier details are compared:', () => {
  test.each([
    ['(985) 555-0142', '985.555.0142', true],
    ['+1 985 555 0142', '9855550142', true],
    ['1-985-555-0142', '9855550142', true],
    ['9855550142', '9855550143', false],
    ['+44 985 555 0142', '9855550142', false],
    ['11234567890', '1234567890', true],
    ['119855550142', '19855550142', false],
    ['985555014', '1985555014', false],
    ['29855550142', '9855550142', false],
    ['985-555-0142 x7', '985-555-0142', false],
  ])('phones %s and %s: %s', (one, other, same) => {
    expect(samePhone(one, other)).toBe(same);
    expect(samePhone(other, one)).toBe(same);
  });

  test.each([
    ['Claims@Gulf.example', 'claims@gulf.EXAMPLE', true],
    ['claims@gulf.example', 'claim@gulf.example', false],
    ['claims+a@gulf.example', 'claims@gulf.example', false],
  ])('emails %s and %s: %s', (one, other, same) => {
    expect(sameEmail(one, other)).toBe(same);
  });

  test.each<[Partial<CarrierAddress>, boolean]>([
    [{}, true],
    [{ street: ' 1  LEVEE rd ', city: 'SLIDELL' }, true],
    [{ state: 'la' }, true],
    [{ zip: '70458-1234' }, true],
    [{ zip: ' 70458' }, true],
    [{ street: '1 Levee Road' }, false],
    [{ city: 'Slidel' }, false],
    [{ state: 'MS' }, false],
    [{ zip: '70459' }, false],
    [{ zip: '70459-0458' }, false],
  ])('addresses that differ by %j: %s', (change, same) => {
    expect(sameAddress(ADDRESS, { ...ADDRESS, ...change })).toBe(same);
    expect(sameAddress({ ...ADDRESS, ...change }, ADDRESS)).toBe(same);
  });

  // Few letters and digits, so that equal values are frequent.
  const phone = fc.string({ unit: fc.constantFrom('1', '2', ' ', '-', '+'), minLength: 1, maxLength: 13 });
  const email = fc.string({
    unit: fc.constantFrom('a', 'A', '@', 'ß', 'É', 'é'),
    minLength: 1,
    maxLength: 3,
  });
  const name = fc.string({
    unit: fc.constantFrom('a', 'A', ' ', '\t', 'ß', 'ẞ', 'S', 'σ', 'ς'),
    maxLength: 4,
  });
  const address = fc.record({
    street: fc.constantFrom('1 A St', '1 a  st', '2 A St'),
    city: fc.constantFrom('Slidell', 'SLIDELL '),
    state: fc.constantFrom('LA', 'MS'),
    zip: fc.constantFrom('70458', '70458-0001', '70459', '70459-0001'),
  });

  const relations = [
    ['names', name, (a: string, b: string) => carrierNameKey(a) === carrierNameKey(b)],
    ['phones', phone, samePhone],
    ['emails', email, sameEmail],
    ['addresses', address, sameAddress],
  ] as const;

  test.each(relations)('equality of %s is reflexive, symmetric and transitive', (_what, values, relation) => {
    const same = relation as (one: unknown, other: unknown) => boolean;
    fc.assert(
      fc.property(
        values as fc.Arbitrary<unknown>,
        values,
        values,
        (a, b, c) => same(a, a) && same(a, b) === same(b, a) && (!(same(a, b) && same(b, c)) || same(a, c)),
      ),
      { numRuns: 1_000 },
    );
  });
});

describe("the firm's carrier book", () => {
  const detail = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined, freq: 2 });
  const sent: fc.Arbitrary<CarrierDetails> = fc.record({
    name: fc.constantFrom('Gulf Mutual', 'GULF  mutual'),
    phone: detail(fc.constantFrom('985-555-0142', '+1 985 555 0142', '504-555-0199')),
    email: detail(fc.constantFrom('claims@gulf.example', 'Claims@Gulf.example', 'fnol@gulf.example')),
    address: detail(
      fc.constantFrom(ADDRESS, { ...ADDRESS, zip: '70458-0001' }, { ...ADDRESS, city: 'Kenner' }),
    ),
  });
  const book = (claims: readonly CarrierDetails[]): CarrierDetails | null =>
    claims.reduce<CarrierDetails | null>((entry, claim) => mergeCarrier(entry, claim).entry, null);
  const DETAILS = ['phone', 'email', 'address'] as const;

  test('the book holds the first value sent of each detail', () => {
    fc.assert(
      fc.property(fc.array(sent, { minLength: 1, maxLength: 8 }), (claims) => {
        const entry = book(claims);
        expect(entry?.name).toBe(claims[0]?.name);
        for (const d of DETAILS)
          expect(entry?.[d]).toEqual(claims.find((claim) => claim[d] !== undefined)?.[d]);
      }),
    );
  });

  test('a merge returns exactly the details gained and differing', () => {
    const entry = { name: 'Gulf Mutual', phone: '985-555-0142', address: ADDRESS };
    const claim = {
      name: 'GULF MUTUAL',
      phone: '504-555-0199',
      email: 'claims@gulf.example',
      address: { ...ADDRESS, zip: '70458-0001' },
    };
    expect(mergeCarrier(entry, claim)).toEqual({
      entry: { ...entry, email: 'claims@gulf.example' },
      gained: ['email'],
      differing: ['phone'],
    });
    const { name, email } = claim;
    expect(mergeCarrier({ name }, { name, email }).gained).toEqual(['email']);
  });

  test('an address is merged as one detail', () => {
    const entry = { name: 'Gulf Mutual', phone: '9855550142', email: 'a@gulf.example', address: ADDRESS };
    const elsewhere = { street: '9 Canal St', city: 'Kenner', state: 'LA', zip: '70062-1111' };
    const written = { phone: '(985) 555-0142', email: 'A@Gulf.example' };
    expect(mergeCarrier(entry, { name: 'Gulf Mutual', ...written, address: elsewhere })).toEqual({
      entry,
      gained: [],
      differing: ['address'],
    });
  });

  test('the first claim creates the entry from its details', () => {
    expect(mergeCarrier(null, { name: 'Gulf Mutual', phone: undefined, email: 'a@b.example' })).toEqual({
      entry: { name: 'Gulf Mutual', email: 'a@b.example' },
      gained: ['email'],
      differing: [],
    });
  });

  test('forms show the details of the claim, and those of the book where the claim sent none', () => {
    const entry = { name: 'Gulf Mutual', phone: '985-555-0142', email: 'claims@gulf.example' };
    expect(carrierForForms({ name: 'GULF MUTUAL', phone: '504-555-0199' }, entry)).toEqual({
      name: 'GULF MUTUAL',
      phone: '504-555-0199',
      email: 'claims@gulf.example',
    });
    expect(Object.keys(carrierForForms({ name: 'GULF MUTUAL' }, null))).toEqual(['name']);
  });
});

describe('a correction of the book', () => {
  const entry = { name: 'Gulf Mutual', phone: '985-555-0142', address: ADDRESS };

  test('replaces, adds and removes details, and leaves the others', () => {
    const address = { ...ADDRESS, street: '2 Levee Rd' };
    expect(correctCarrier(entry, { address, email: 'claims@gulf.example' })).toEqual({
      entry: { name: 'Gulf Mutual', phone: '985-555-0142', email: 'claims@gulf.example', address },
      changed: ['email', 'address'],
    });
    expect(correctCarrier(entry, { phone: null, address: null })).toEqual({
      entry: { name: 'Gulf Mutual' },
      changed: ['phone', 'address'],
    });
    expect(correctCarrier({ name: entry.name }, { address }).changed).toEqual(['address']);
  });

  test('names only details that differ in any character', () => {
    expect(correctCarrier(entry, { phone: entry.phone, email: null, address: { ...ADDRESS } })).toEqual({
      entry,
      changed: [],
    });
    expect(correctCarrier(entry, { phone: '(985) 555-0142' }).changed).toEqual(['phone']);
    for (const part of ['street', 'city', 'state', 'zip'])
      expect(correctCarrier(entry, { address: { ...ADDRESS, [part]: 'x' } }).changed).toEqual(['address']);
  });
});
