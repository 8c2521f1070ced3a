import { describe, expect, test } from '@jest/globals';
import {
  ALWAYS_AVAILABLE,
  type Clocks,
  type DeadlineFacts,
  type DeadlineOverride,
  deadlinesOf,
  endOfDay,
  type LocalDays,
  localDays,
  localTime,
  nextLocalTime,
  quietUntil,
  REMINDER_TIME,
  takesOffers,
  weeksOf,
} from '../src/index.ts';

const at = (iso: string): number => Date.parse(iso);
const CHICAGO = 'America/Chicago';

describe('away days', () => {
  const away = (timeZone: string) => ({
    ...ALWAYS_AVAILABLE,
    away: [{ firstDay: '2026-09-07', lastDay: '2026-09-08', timeZone }],
  });
  test.each([
    ['the last minute before', CHICAGO, '2026-09-07T04:59:59Z', true],
    ['the first minute', CHICAGO, '2026-09-07T05:00:00Z', false],
    ['the last minute', CHICAGO, '2026-09-09T04:59:59Z', false],
    ['the first minute after', CHICAGO, '2026-09-09T05:00:00Z', true],
    ['the first minute in Guam', 'Pacific/Guam', '2026-09-06T14:00:00Z', false],
    ['the last minute in Samoa', 'Pacific/Pago_Pago', '2026-09-09T10:59:59Z', false],
  ])('begin and end on the calendar of their time zone: %s', (_, timeZone, instant, takes) => {
    expect(takesOffers(away(timeZone), 0, at(instant))).toBe(takes);
  });
});

test('of several away periods each counts, and the whole account can be paused besides', () => {
  const periods = ['2026-09-07', '2026-09-11'].map((day) => ({
    firstDay: day,
    lastDay: day,
    timeZone: 'UTC',
  }));
  const days = ['06', '07', '09', '11', '12'];
  const takes = (changes: object) =>
    days.filter((day) =>
      takesOffers({ ...ALWAYS_AVAILABLE, away: periods, ...changes }, 3, at(`2026-09-${day}T12:00:00Z`)),
    );
  expect(
    [{}, { maxOpenOffers: 4 }, { maxOpenOffers: 3 }, { acceptingAssignments: false }].map(takes),
  ).toEqual([...[['06', '09', '12'], ['06', '09', '12'], [], []]]);
});

describe('quiet hours', () => {
  const night = { start: '21:00', end: '06:30' };
  const noon = { start: '12:00', end: '13:00' };
  test.each([
    ['before the night', night, '2026-09-08T01:59:00Z', null],
    ['in the evening', night, '2026-09-08T02:00:00Z', '2026-09-08T11:30:00Z'],
    ['in the morning', night, '2026-09-08T11:29:59Z', '2026-09-08T11:30:00Z'],
    ['at their end', night, '2026-09-08T11:30:00Z', null],
    ['at noon', noon, '2026-09-08T17:30:20.500Z', '2026-09-08T18:00:00Z'],
    ['after noon', noon, '2026-09-08T18:00:00Z', null],
    ['before noon', noon, '2026-09-08T16:59:59Z', null],
    ['from their first minute', noon, '2026-09-08T17:00:00Z', '2026-09-08T18:00:00Z'],
    ['of no length', { start: '08:00', end: '08:00' }, '2026-09-08T13:00:00Z', null],
    // Clocks go back on 1 November at 2:00 and forward on 8 March at 2:00.
    ['in the longer night', night, '2026-11-01T03:00:00Z', '2026-11-01T12:30:00Z'],
    ['in the shorter night', night, '2026-03-08T04:00:00Z', '2026-03-08T11:30:00Z'],
  ])('end at their time on the clock of the device: %s', (_, hours, instant, end) => {
    expect(quietUntil(hours, CHICAGO, at(instant))).toBe(end === null ? null : at(end));
  });
});

test('the next time on a clock that is set back is the first of the two, and of one that it shows tomorrow', () => {
  expect(nextLocalTime(at('2026-09-01T13:00:20Z'), '08:00', CHICAGO)).toBe(at('2026-09-02T13:00:00Z'));
  expect(nextLocalTime(at('2026-11-01T05:30:00Z'), '01:30', CHICAGO)).toBe(at('2026-11-01T06:30:00Z'));
});

test('a device is reminded at eight', () => expect(REMINDER_TIME).toBe('08:00'));

test('a year before 1000 has four digits', () => {
  expect(localTime(at('0999-06-01T12:05:00Z'), 'UTC')).toEqual({ date: '0999-06-01', minutes: 725 });
});

test('an adjuster who has set nothing takes offers without a limit', () => {
  expect(ALWAYS_AVAILABLE).toEqual({
    ...{ acceptingAssignments: true, away: [], maxOpenOffers: null, workZip: null },
  });
});

test('the next time on a clock is later, even where the clock skips it', () => {
  const starts = Array.from({ length: 400 }, (_, n) => at('2026-03-06T00:00:00Z') + n * 1_234_567);
  const times = ['00:00', '02:30', '08:00', '23:59'];
  const wrong = starts.flatMap((start) =>
    times.flatMap((time) => {
      const next = nextLocalTime(start, time, CHICAGO);
      const isLater = next > start && next <= start + 25 * 3_600_000;
      const shows = localTime(next, CHICAGO).minutes;
      const wanted = Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
      const isSkipped = time === '02:30' && localTime(next, CHICAGO).date === '2026-03-08';
      return isLater && (shows === wanted || isSkipped) ? [] : [[new Date(start).toISOString(), time]];
    }),
  );
  expect(wrong).toEqual([]);
});

test.each([
  ['Pacific/Auckland', '2026-09-01T12:00:00Z'],
  ['Pacific/Pago_Pago', '2026-09-02T11:00:00Z'],
  [CHICAGO, '2026-09-02T05:00:00Z'],
])('a day ends at midnight in %s', (timeZone, end) => {
  expect(endOfDay('2026-09-01', timeZone)).toBe(at(end));
});

describe('deadlines', () => {
  const facts: DeadlineFacts = {
    acceptedAt: at('2026-09-01T15:00:00Z'),
    lossDate: '2026-08-29',
    event: 'FL26-09',
    contactedAt: null,
    clocks: {},
    done: [],
  };
  const utcDays: LocalDays = {
    ...localDays('UTC'),
    endOfDay: (date) => at(`${date}T23:59:59Z`),
  };
  const due = (...[of, overrides]: [DeadlineFacts, Parameters<typeof deadlinesOf>[1]]) =>
    deadlinesOf(of, overrides, utcDays).map(({ kind, at: when }) => [kind, new Date(when).toISOString()]);

  test('name the rule that sets them, also that of an event', () => {
    const override: DeadlineOverride = {
      ...{ event: 'FL26-09', kind: 'first_contact', hours: 48, source: 'Bulletin' },
    };
    const sources = (clocks: Clocks, of = override) =>
      deadlinesOf({ ...facts, clocks }, [of], utcDays).map(({ source }) => source);
    const others = [
      'NFIP Claims Manual: preliminary report within 15 days of the assignment',
      'Standard Flood Insurance Policy, VII.G: proof of loss within 60 days after the date of loss',
    ];
    expect(sources({})).toEqual(['Bulletin', ...others]);
    expect(sources({}, { ...override, event: 'FL26-10' })).toEqual([
      'NFIP Claims Manual: contact with the policyholder within 24 hours of the assignment',
      ...others,
    ]);
    expect(sources({ contactHours: 2 })).toEqual(['A rule of the firm', ...others]);
    expect(sources({ reportDays: 20 })).toEqual(['Bulletin', 'A rule of the firm', others[1]]);
  });

  test('count from the acceptance and from the date of loss, until an entry ends them', () => {
    expect(due(facts, [])).toEqual([
      ['first_contact', '2026-09-02T15:00:00.000Z'],
      ['preliminary_report', '2026-09-16T15:00:00.000Z'],
      ['proof_of_loss', '2026-10-28T23:59:59.000Z'],
    ]);
    expect(due({ ...facts, done: ['first_contact', 'proof_of_loss'] }, [])).toEqual([
      ['preliminary_report', '2026-09-16T15:00:00.000Z'],
    ]);
  });

  test('of an event apply to its claims only', () => {
    const override = {
      event: 'FL26-09',
      kind: 'proof_of_loss',
      hours: 365 * 24,
      source: 'Bulletin',
    } as const;
    expect(due(facts, [override]).at(-1)).toEqual(['proof_of_loss', '2027-08-29T23:59:59.000Z']);
    expect(due({ ...facts, event: 'FL26-10' }, [override]).at(-1)).toEqual([
      'proof_of_loss',
      '2026-10-28T23:59:59.000Z',
    ]);
    expect(due({ ...facts, event: null }, [override])).toHaveLength(3);
  });

  test('are listed earliest first', () => {
    const late = { event: 'FL26-09', kind: 'first_contact', hours: 30 * 24, source: 'Bulletin' } as const;
    expect(due(facts, [late]).map(([kind]) => kind)).toEqual([
      'preliminary_report',
      'first_contact',
      'proof_of_loss',
    ]);
  });

  test('from the date of loss count whole days on the calendar, then hours', () => {
    const override = {
      event: 'FL26-09',
      kind: 'proof_of_loss',
      hours: 70 * 24 + 6,
      source: 'Bulletin',
    } as const;
    const inChicago = deadlinesOf(facts, [override], localDays(CHICAGO));
    expect(inChicago.at(-1)?.at).toBe(at('2026-11-08T12:00:00Z'));
  });

  test.each([
    ['2026-10-25T15:00:00Z', '2026-11-09T16:00:00Z'],
    ['2026-03-01T16:00:00Z', '2026-03-16T15:00:00Z'],
    ['2026-03-01T05:30:00Z', '2026-03-16T04:30:00Z'],
    ['2026-10-25T05:30:00Z', '2026-11-09T06:30:00Z'],
    // The clocks change within the last day, and within the first one.
    ['2026-10-17T15:00:00Z', '2026-11-01T16:00:00Z'],
    ['2026-10-31T15:00:00Z', '2026-11-15T16:00:00Z'],
  ])(
    'of days from an acceptance at %s end at the same time of day, also over a change of the clocks',
    (from, end) => {
      const due = deadlinesOf({ ...facts, acceptedAt: at(from) }, [], localDays(CHICAGO));
      expect(due.find(({ kind }) => kind === 'preliminary_report')?.at).toBe(at(end));
      // Hours are hours.
      expect(due.find(({ kind }) => kind === 'first_contact')?.at).toBe(at(from) + 24 * 3_600_000);
    },
  );
});

test('weeks begin on Monday on a clock in the time zone, also over a change of the clocks', () => {
  const weeks = (since: string, until: string, timeZone: string) =>
    weeksOf(at(since), at(until), timeZone).map(({ monday, start, end }) => [
      monday,
      ...[start, end].map((each) => new Date(each).toISOString().slice(0, 13)),
    ]);
  expect(weeks('2026-10-20T00:00:00Z', '2026-11-02T12:00:00Z', CHICAGO)).toEqual([
    ['2026-10-19', '2026-10-19T05', '2026-10-26T05'],
    ['2026-10-26', '2026-10-26T05', '2026-11-02T06'],
    ['2026-11-02', '2026-11-02T06', '2026-11-09T06'],
  ]);
  // Sunday evening in Chicago is Monday in UTC.
  expect(weeks('2026-11-02T01:00:00Z', '2026-11-02T02:00:00Z', CHICAGO).map(([monday]) => monday)).toEqual([
    '2026-10-26',
  ]);
  expect(weeks('2026-11-02T00:00:00Z', '2026-11-09T00:00:00Z', 'UTC').map(([monday]) => monday)).toEqual([
    '2026-11-02',
  ]);
});
