import { describe, expect, it } from '@jest/globals';
import { intendedOneOf } from '../src/fields.ts';
import { FLOOD_ZONES, LOSS_LOCATION_STATES, MAILING_STATES, suggestedFloodZone } from '../src/index.ts';
import { intendedState } from '../src/states.ts';

const ZONES_IN_FULL =
  'A AE A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15 A16 A17 A18 A19 A20 A21 A22 A23 A24 A25 A26 A27 A28 A29 A30 A99 AH AO AR ' +
  'V VE V1 V2 V3 V4 V5 V6 V7 V8 V9 V10 V11 V12 V13 V14 V15 V16 V17 V18 V19 V20 V21 V22 V23 V24 V25 V26 V27 V28 V29 V30 B C D X';

describe('the enums', () => {
  it('are suggested for another way to write a value, and for no text that is too long to be one', () => {
    expect(intendedOneOf(['single_family'], ' Single-Family')).toBe('single_family');
    const spaced = (spaces: number) => intendedOneOf(['single_family'], `single_family${' '.repeat(spaces)}`);
    expect([spaced(187), spaced(188)]).toEqual(['single_family', null]);
  });

  it('of flood zones are the 72 on the maps of FEMA', () => {
    expect(FLOOD_ZONES).toEqual(ZONES_IN_FULL.split(' '));
  });
});

// USPS Publication 28, appendix B.
const STATES = `AL Alabama, AK Alaska, AZ Arizona, AR Arkansas, CA California, CO Colorado, CT Connecticut, DE Delaware,
FL Florida, GA Georgia, HI Hawaii, ID Idaho, IL Illinois, IN Indiana, IA Iowa, KS Kansas, KY Kentucky, LA Louisiana, ME Maine,
MD Maryland, MA Massachusetts, MI Michigan, MN Minnesota, MS Mississippi, MO Missouri, MT Montana, NE Nebraska, NV Nevada,
NH New Hampshire, NJ New Jersey, NM New Mexico, NY New York, NC North Carolina, ND North Dakota, OH Ohio, OK Oklahoma,
OR Oregon, PA Pennsylvania, RI Rhode Island, SC South Carolina, SD South Dakota, TN Tennessee, TX Texas, UT Utah, VT Vermont,
VA Virginia, WA Washington, WV West Virginia, WI Wisconsin, WY Wyoming, DC District of Columbia, AS American Samoa, GU Guam,
MP Northern Mariana Islands, PR Puerto Rico, VI Virgin Islands, FM Federated States of Micronesia, MH Marshall Islands,
PW Palau, AA Armed Forces Americas, AE Armed Forces Europe, AP Armed Forces Pacific`;

it('each state is suggested for its name, in any case, where its code may be sent', () => {
  const states = STATES.split(/,\s/).map((each) => [each.slice(0, 2), each.slice(3)] as const);
  expect(states.map(([code]) => code)).toEqual([...MAILING_STATES]);
  // The first 56 are the states, the district and the territories.
  expect(MAILING_STATES.slice(0, 56)).toEqual([...LOSS_LOCATION_STATES]);
  expect(states.map(([, name]) => intendedState(MAILING_STATES, name.toUpperCase()))).toEqual([
    ...MAILING_STATES,
  ]);
  expect(states.flatMap(([, name]) => intendedState(LOSS_LOCATION_STATES, name) ?? [])).toEqual([
    ...LOSS_LOCATION_STATES,
  ]);
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
