import { expect, test } from '@jest/globals';
import { dateOf, datesOf, implausibleDate } from '../src/dates.ts';

test.each([
  ['3/4/2026 0:00', '2026-03-04'],
  ['3/4/2026 12:00 AM', '2026-03-04'],
  ['3/4/2026 0:00:00', '2026-03-04'],
  ['3/4/2026 12:00AM', '2026-03-04'],
  ['3/4/2026 12:00:00 AM', '2026-03-04'],
  ['3/4/2026 12:00 PM', '3/4/2026 12:00 PM'],
  ['3/4/2026 12:00:00 PM', '3/4/2026 12:00:00 PM'],
  ['3/4/2026 12:00', '3/4/2026 12:00'],
])('the time of day of %s is left out only if it is midnight', (text, value) => {
  expect(dateOf(text, { order: 'mdy', hasShortYears: true, hasSerials: false })).toEqual({ value });
});

test.each([
  ['loss.date', '1967-12-31', 'Is before 1968, when the National Flood Insurance Program began.'],
  ['loss.date', '1968-01-01', null],
  ['loss.date', '2026-03-04', null],
  ['loss.date', '2026-03-05', 'Is in the future.'],
  ['reported_date', '2026-03-05', 'Is in the future.'],
  ['inspection_date', '2026-03-05', null],
  ['building.construction_date', '1912-03-05', null],
  ['building.firm_date', '1912-03-05', null],
])('what is implausible in a %s of %s on 2026-03-04: %s', (path, date, detail) => {
  expect(implausibleDate(path, date, '2026-03-04')).toBe(detail);
});

test('a date is read only as it is surely meant', () => {
  const dates = { order: 'mdy', hasShortYears: true, hasSerials: true } as const;
  const table = {
    ...{ '2026-03-04T00:00': true, '2026-03-04t00:00:00.000z': true, '2026-03-04 00:00:00+05:30': true },
    ...{ '2026-03-04T00:01': false, '2026-03-04T12:00': false, '2026-3-4': false },
    ...{ 20260304: true, '2026/3/4': true, '18260304': false, '2026/3/4 0:00': false },
    ...{
      '3/4/2026': true,
      '03.04.26': true,
      '3-4-2026': true,
      '3/4/2026 00:00:00 am': true,
      '3/4/026': false,
    },
    ...{
      '4 Mar 2026': true,
      '4-march-26': true,
      '04MAR2026': true,
      '4 Mar. 2026': true,
      'Mar. 4, 2026': true,
    },
    ...{ 'Mar 4 26': false, 'Mar 32, 2026': false, '4 Mrz 2026': false, 46085: true, '46085.0': true },
    ...{ '46085.5': false, 29999: false, 60000: false },
  };
  const read = Object.keys(table).map((text) => [text, dateOf(text, dates).value === '2026-03-04']);
  expect(Object.fromEntries(read)).toEqual(table);
  const others = ['30000', '59999', '19960501', 'May 1 1996'].map((text) => dateOf(text, dates).value);
  expect(others).toEqual(['1982-02-18', '2064-04-07', '1996-05-01', '1996-05-01']);
  const ofLong = ['9 Sept 2026', '9 Sept 26'].map((text) => dateOf(text, { ...dates, hasShortYears: false }));
  expect(ofLong).toEqual([{ value: '2026-09-09' }, { value: '9 Sept 26' }]);
});

test('each month is known by its name and by three letters', () => {
  const months = 'January February March April May June July August September October November December';
  const dates = { order: 'unclear', hasShortYears: false, hasSerials: false } as const;
  for (const [n, name] of months.split(' ').entries())
    for (const text of [`3-${name.slice(0, 3).toUpperCase()}-2026`, `${name} 3, 2026`])
      expect([text, dateOf(text, dates).value]).toEqual([text, `2026-${String(n + 1).padStart(2, '0')}-03`]);
});

test('years of two digits are certain except of buildings, and a column without a date shows nothing', () => {
  const paths = ['loss.date', 'building.construction_date', 'building.firm_date'];
  expect(paths.map((path) => datesOf(path, ['', ''], undefined))).toEqual(
    [true, false, false].map((hasShortYears) => ({ order: 'unclear', hasSerials: false, hasShortYears })),
  );
  expect(datesOf('loss.date', ['46261', '', '46235.0'], undefined).hasSerials).toBe(true);
});

test.each(['Pacific/Kiritimati', 'Pacific/Pago_Pago'])(
  'a day serial is the same day on a machine in %s',
  (zone) => {
    const before = process.env.TZ;
    try {
      process.env.TZ = zone;
      expect(dateOf('46085', { order: 'mdy', hasShortYears: true, hasSerials: true })).toEqual({
        value: '2026-03-04',
      });
    } finally {
      if (before === undefined) delete process.env.TZ;
      else process.env.TZ = before;
    }
  },
);

test.each([
  [['13/4/2026', '14/4/2026'], 'dmy'],
  [['13/4/2026'], 'dmy'],
  [['4/13/2026'], 'mdy'],
  [['12/12/2026'], 'unclear'],
  [['13/4/26', '14/4/2026'], 'unclear'],
  [['14/4/2026', '13/4/26'], 'unclear'],
  [['4/13/26', '4/14/2026'], 'mdy'],
])('the order of %j is %s, whichever date comes last', (cells, order) => {
  expect(datesOf('loss.date', cells, undefined).order).toBe(order);
});
