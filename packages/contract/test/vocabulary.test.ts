import { describe, expect, it } from '@jest/globals';
import { intendedOneOf } from '../src/fields.ts';
import {
  ASSIGNMENT_STATUSES,
  BUILDING_TYPES,
  FLOOD_ZONES,
  MAILING_STATES,
  suggestedFloodZone,
} from '../src/index.ts';

const ZONES_IN_FULL =
  'A AE A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15 A16 A17 A18 A19 A20 A21 A22 A23 A24 A25 A26 A27 A28 A29 A30 A99 AH AO AR ' +
  'V VE V1 V2 V3 V4 V5 V6 V7 V8 V9 V10 V11 V12 V13 V14 V15 V16 V17 V18 V19 V20 V21 V22 V23 V24 V25 V26 V27 V28 V29 V30 B C D X';

describe('the enums', () => {
  it('are suggested for another way to write a value, and for no text that is too long to be one', () => {
    expect(intendedOneOf(['single_family'], ' Single-Family')).toBe('single_family');
    expect(intendedOneOf(['single_family'], `single_family${' '.repeat(1e6)}`)).toBe(null);
  });

  it.each([
    ['flood zone', FLOOD_ZONES],
    ['state', MAILING_STATES],
    ['building type', BUILDING_TYPES],
    ['assignment status', ASSIGNMENT_STATUSES],
  ])('have no duplicate %s', (_, values: readonly string[]) => {
    expect(new Set(values).size).toBe(values.length);
  });
});

describe('the suggested flood zone', () => {
  it.each(ZONES_IN_FULL.split(' '))(
    'for %s is itself, also in lowercase and with surrounding whitespace',
    (zone) => {
      expect(suggestedFloodZone(zone)).toBe(zone);
      expect(suggestedFloodZone(zone.toLowerCase())).toBe(zone);
      expect(suggestedFloodZone(`  ${zone}\t`)).toBe(zone);
    },
  );

  it.each([
    ['A08', 'A8'],
    ['v01', 'V1'],
    ['V08', 'V8'],
    ['AHB', 'AH'],
    ['aob', 'AO'],
    ['AR/AE', 'AR'],
    ['AR/A12', 'AR'],
    ['AR/A1-30', 'AR'],
    ['AR/AO', 'AR'],
    ['AR/A08', 'AR'],
    ['AR/A', 'AR'],
    ['ARE', 'AR'],
    ['ARA', 'AR'],
    [' A08 ', 'A8'],
  ])('for %j, a spelling in FEMA files, is %s', (sent, zone) => {
    expect(suggestedFloodZone(sent)).toBe(zone);
  });

  it.each([
    ...'NSFHA,NONE,UNK,UNKNOWN,N/A,TBD,EMG,SFHA,OPEN WATER,AREA NOT INCLUDED,A0,A00,A31,A031,A100'.split(','),
    ...'V31,V99,AF,VF,AEE,E,X500,B08,AR/,AR/X,AR/AREA NOT INCLUDED,AR/A31,Zone X,X (shaded)'.split(','),
    ...'X PROTECTED BY LEVEE,AE (EL 9),B/X,A1-30,A 99,A-7,0.2 PCT'.split(','),
    ...['', 'toString', '__proto__', 'A\u0130', 'V'.repeat(1_000_000)],
  ])('for %.30j is null', (sent) => {
    expect(suggestedFloodZone(sent)).toBeNull();
  });
});
