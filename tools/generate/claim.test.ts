import { describe, expect, test } from '@jest/globals';
import {
  endpoints,
  FLOOD_ZONES,
  NON_RESIDENTIAL_BUILDING_TYPES,
  NON_RESIDENTIAL_OCCUPANCY_TYPES,
  parseRequest,
  type SendClaimBody,
} from '@svc/contract';
import fc from 'fast-check';
import { generateClaim } from './claim.ts';

const errorsOf = (body: unknown) => {
  const parsed = parseRequest(endpoints.sendClaim, { headers: { 'idempotency-key': 'k' }, body });
  return parsed.ok ? [] : parsed.errors;
};

const MANY = 5_000;
const many: readonly SendClaimBody[] = Array.from({ length: MANY }, (_, index) => generateClaim(index, 7));
const share = (is: (claim: SendClaimBody) => boolean): number => many.filter(is).length / MANY;

describe('every claim', () => {
  test('is valid for any index and seed', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.maxSafeNat(), (index, seed) => {
        const claim = generateClaim(index, seed);
        expect(errorsOf(JSON.parse(JSON.stringify(claim)))).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  test('is valid under the cross-field rules, for five hundred indexes', () => {
    const wrong = many.slice(0, 500).filter((claim) => {
      const { occupancy_type: use, building_type: type } = claim.building ?? {};
      const business = (NON_RESIDENTIAL_OCCUPANCY_TYPES as readonly unknown[]).includes(use);
      const { effective_date: from = '', expiration_date: to = '' } = claim.policy;
      return (
        errorsOf(claim).length > 0 ||
        to < from ||
        (type !== undefined &&
          (NON_RESIDENTIAL_BUILDING_TYPES as readonly unknown[]).includes(type) !== business)
      );
    });
    expect(wrong).toEqual([]);
  });

  test('depends only on seed and index', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.maxSafeNat(), (index, seed) => {
        const alone = generateClaim(index, seed);
        generateClaim(index + 1 > Number.MAX_SAFE_INTEGER ? 0 : index + 1, seed);
        expect(generateClaim(index, seed)).toEqual(alone);
      }),
    );
    expect(many[4_999]).toEqual(generateClaim(4_999, 7));
  });

  test('does not change between versions of the generator', () => {
    expect(generateClaim(0, 1)).toMatchObject({
      external_id: 'GEN-1-0000000',
      claim_number: 'FL25-1-0000000',
      loss: { date: '2025-08-30', cause: 'stream_river_lake_overflow', cat_code: '2541' },
      policy: { number: '71-7672104893-2025' },
      carrier: { name: 'Laguna Madre Insurance' },
      loss_location: { street: '5696 Heron Point', city: 'Cape Coral', state: 'FL', zip: '33904-8971' },
      policyholder: { first_name: 'Gabriela', last_name: 'Rodríguez', phone: '239-555-0119' },
      building: { construction_date: '1961-02-01', flood_zone: 'AE', flood_opening_count: 1 },
      coverages: { building_limit: 250000, contents_reserve: 14800 },
    });
  });

  test('is offered to the given adjuster', () => {
    expect(generateClaim(3, 7, 'SVC-X').adjuster_svc_id).toBe('SVC-X');
    expect({ ...generateClaim(3, 7, 'SVC-X'), adjuster_svc_id: '' }).toEqual({
      ...generateClaim(3, 7),
      adjuster_svc_id: '',
    });
  });

  test.each([
    [-1, 1],
    [0.5, 1],
    [Number.NaN, 1],
    [0, -1],
    [0, 1.5],
  ])('throws for the index %d of seed %d', (index, seed) => {
    expect(() => generateClaim(index, seed)).toThrow(RangeError);
  });
});

describe('many claims', () => {
  test('external ids and claim numbers are unique within and across seeds', () => {
    const ids = new Set<string>();
    const numbers = new Set<string>();
    for (const seed of [0, 1, 11, 111]) {
      for (let index = 0; index < 500; index++) {
        const { external_id, claim_number } = generateClaim(index, seed);
        ids.add(external_id);
        numbers.add(claim_number);
      }
    }
    expect(ids.size).toBe(2_000);
    expect(numbers.size).toBe(2_000);
  });

  test('causes have the shares rain 45%, tide 26%, river 21%, others 8%', () => {
    const byCause = (cause: string) => share(({ loss }) => loss.cause === cause);
    expect(Math.abs(byCause('rainfall_snowmelt_accumulation') - 0.45)).toBeLessThan(0.015);
    expect(Math.abs(byCause('tidal_water_overflow') - 0.26)).toBeLessThan(0.015);
    expect(Math.abs(byCause('stream_river_lake_overflow') - 0.21)).toBeLessThan(0.015);
    for (const rare of ['other', 'earth_movement', 'alluvial_fan_overflow', 'closed_basin_lake'])
      expect(byCause(rare)).toBeGreaterThan(0);
  });

  test('every flood zone and occupancy, the territories and non-ASCII letters occur', () => {
    const zones = new Set(many.map(({ building }) => building?.flood_zone));
    expect(FLOOD_ZONES.filter((zone) => !zones.has(zone))).toEqual([]);
    expect(zones).toContain(undefined);
    expect(new Set(many.map(({ building }) => building?.occupancy_type)).size).toBe(10);
    const states = new Set(many.map(({ loss_location }) => loss_location.state));
    for (const state of ['PR', 'VI', 'GU', 'AS', 'MP', 'FL', 'TX', 'NJ', 'HI', 'AK'])
      expect(states).toContain(state);
    expect(share(({ policyholder }) => /\P{ASCII}/u.test(policyholder.last_name ?? ''))).toBeGreaterThan(0.2);
  });

  test('there are about forty carriers, often with incomplete details', () => {
    expect(new Set(many.map(({ carrier }) => carrier.name.toLowerCase())).size).toBe(40);
    for (const detail of ['phone', 'email', 'address'] as const) {
      const known = share(({ carrier }) => carrier[detail] !== undefined);
      expect(known).toBeGreaterThan(0.3);
      expect(known).toBeLessThan(0.9);
    }
  });

  test('phones are reserved for fiction and emails use example.com', () => {
    const text = JSON.stringify(many);
    const valuesOf = (name: RegExp): string[] =>
      [...text.matchAll(new RegExp(`"(?:${name.source})":"([^"]+)"`, 'g'))].map(([, value = '']) => value);
    const phones = valuesOf(/phone|alternate_phone/).map((phone) => phone.replace(/\D/g, ''));
    expect(phones.length).toBeGreaterThan(MANY);
    expect(phones.filter((phone) => !/^1?\d{3}55501\d\d$/.test(phone))).toEqual([]);
    const emails = valuesOf(/email/);
    expect(emails.length).toBeGreaterThan(MANY / 2);
    expect(emails.filter((email) => !email.endsWith('example.com'))).toEqual([]);
  });
});
