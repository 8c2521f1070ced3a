import { describe, expect, it } from '@jest/globals';
import {
  ASSIGNMENT_STATUSES,
  BUILDING_TYPES,
  FLOOD_ZONES,
  LOSS_LOCATION_STATES,
  MAILING_STATES,
  NON_RESIDENTIAL_BUILDING_TYPES,
  nearestFloodZone,
  OCCUPANCY_TYPES,
  RESIDENTIAL_BUILDING_TYPES,
} from '../src/index.ts';

// Written out, so that a slip in what generates the list cannot agree with itself.
const ZONES_IN_FULL =
  'A AE A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15 A16 A17 A18 A19 A20 A21 A22 A23 A24 A25 A26 A27 A28 A29 A30 A99 AH AO AR ' +
  'V VE V1 V2 V3 V4 V5 V6 V7 V8 V9 V10 V11 V12 V13 V14 V15 V16 V17 V18 V19 V20 V21 V22 V23 V24 V25 V26 V27 V28 V29 V30 B C D X';

describe('the closed lists', () => {
  it('hold the 72 flood zones: 36 A, 32 V and four others', () => {
    expect(FLOOD_ZONES).toEqual(ZONES_IN_FULL.split(' '));
    expect(FLOOD_ZONES).toHaveLength(72);
  });

  it('hold nine occupancies and twenty-one building types, ten of them residential', () => {
    expect(OCCUPANCY_TYPES).toHaveLength(9);
    expect(BUILDING_TYPES).toHaveLength(21);
    expect(RESIDENTIAL_BUILDING_TYPES).toContain('main_dwelling');
    expect(NON_RESIDENTIAL_BUILDING_TYPES).toEqual(
      expect.arrayContaining(['manufactured_home', 'travel_trailer']),
    );
  });

  it('place property in 56 states and territories, and mail in six more', () => {
    expect(LOSS_LOCATION_STATES).toHaveLength(56);
    expect(LOSS_LOCATION_STATES).toEqual(
      expect.arrayContaining(['FL', 'PR', 'DC', 'AS', 'GU', 'MP', 'VI', 'WY']),
    );
    expect(
      MAILING_STATES.filter((state) => !(LOSS_LOCATION_STATES as readonly string[]).includes(state)),
    ).toEqual(['FM', 'MH', 'PW', 'AA', 'AE', 'AP']);
  });

  it.each([
    ['flood zone', FLOOD_ZONES],
    ['state', MAILING_STATES],
    ['building type', BUILDING_TYPES],
    ['assignment status', ASSIGNMENT_STATUSES],
  ])('list no %s twice', (_, values: readonly string[]) => {
    expect(new Set(values).size).toBe(values.length);
  });
});

describe('the nearest flood zone', () => {
  it.each(ZONES_IN_FULL.split(' '))('of %s is itself, also in small letters and with blanks', (zone) => {
    expect(nearestFloodZone(zone)).toBe(zone);
    expect(nearestFloodZone(zone.toLowerCase())).toBe(zone);
    expect(nearestFloodZone(`  ${zone}\t`)).toBe(zone);
  });

  it.each([
    ['A08', 'A8'],
    ['v01', 'V1'],
    ['A010', 'A10'],
    ['AHB', 'AH'],
    ['AOB', 'AO'],
    ['AR/AE', 'AR'],
    ['AR/A12', 'AR'],
    ['A 99', 'A99'],
    ['A31', 'A30'],
    ['V31', 'V30'],
    ['AF', 'AE'],
    ['VF', 'VE'],
    ['X500', 'X'],
    ['', 'A'],
  ])('of %j is %s', (sent, zone) => {
    expect(nearestFloodZone(sent)).toBe(zone);
  });

  it.each([
    ['Zone X', 'X'],
    ['Flood Zone VE', 'VE'],
    ['zone-a08', 'A8'],
    ['X (shaded)', 'X'],
    ['X PROTECTED BY LEVEE', 'X'],
    ['AE (EL 9)', 'AE'],
    ['B/X', 'B'],
    ['AR/A1-30', 'AR'],
    ['A1-30', 'A1'],
  ])('of %j, which names one among other words, is that one: %s', (sent, zone) => {
    expect(nearestFloodZone(sent)).toBe(zone);
  });

  it('is found without looking at all of a megabyte', () => {
    expect(FLOOD_ZONES).toContain(nearestFloodZone('V'.repeat(1_000_000)));
  });
});
