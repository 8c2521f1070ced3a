import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type AdjusterCredentials,
  credentialWarnings,
  DAY,
  daysUntil,
  type EnteredCredentials,
  endsOn,
  endToRemindOf,
  FCN_CATEGORIES,
  FORM_TYPES,
  LICENSE_KINDS,
  LOSS_LOCATION_STATES,
  withNextReminder,
} from '../src/index.ts';

const date = (day: number): string => new Date(day * DAY).toISOString().slice(0, 10);
const TODAY = 20_000;
const day = fc.integer({ min: TODAY - 400, max: TODAY + 400 }).map(date);
const fcn = fc.record({
  number: fc.string(),
  categories: fc.uniqueArray(fc.constantFrom(...FCN_CATEGORIES)),
  expiresOn: day,
});
const license = fc.record({
  state: fc.constantFrom(...LOSS_LOCATION_STATES),
  kind: fc.constantFrom(...LICENSE_KINDS),
  number: fc.string(),
  expiresOn: day,
});
const credentials: fc.Arbitrary<EnteredCredentials> = fc.record(
  { fcn, licenses: fc.array(license, { maxLength: 4 }) },
  { requiredKeys: [] },
);
const claim = fc.record({
  state: fc.constantFrom(...LOSS_LOCATION_STATES),
  form: fc.constantFrom(undefined, ...FORM_TYPES),
});

describe('warnings', () => {
  test('are none of what the adjuster has not said or does not share', () => {
    fc.assert(
      fc.property(credentials, claim, (known, about) => {
        expect(credentialWarnings(undefined, about, date(TODAY))).toEqual([]);
        const { fcn: _, ...noFcn } = known;
        expect(credentialWarnings({ ...noFcn, licenses: [] }, about, date(TODAY))).toEqual([]);
        const { licenses: __, ...noLicenses } = known;
        expect(credentialWarnings(noLicenses, about, date(TODAY))).not.toContain('license_missing');
        expect(credentialWarnings(noFcn, about, date(TODAY))).not.toContain('fcn_category');
        expect(credentialWarnings(known, { ...about, form: undefined }, date(TODAY))).not.toContain(
          'fcn_category',
        );
      }),
    );
  });

  test('of a missing license are given if and only if some are listed and none is of the state of the claim', () => {
    fc.assert(
      fc.property(credentials, claim, (known, about) => {
        const { licenses = [] } = known;
        const isMissing = licenses.length > 0 && !licenses.some(({ state }) => state === about.state);
        expect(credentialWarnings(known, about, date(TODAY)).includes('license_missing')).toBe(isMissing);
      }),
    );
  });

  test('do not end by adding a license of another state, and end by one of the state that lasts', () => {
    fc.assert(
      fc.property(credentials, license, claim, (known, extra, about) => {
        const before = credentialWarnings(known, about, date(TODAY));
        const lasting = { ...extra, expiresOn: date(TODAY + 15) };
        const listed = [...(known.licenses ?? []), { ...lasting, state: about.state }];
        const { fcn: _, ...own } = known;
        expect(credentialWarnings({ ...own, licenses: listed }, about, date(TODAY))).toEqual([]);
        if (extra.state === about.state) return;
        const after = credentialWarnings(
          { ...known, licenses: [...(known.licenses ?? []), lasting] },
          about,
          date(TODAY),
        );
        expect(after).toEqual(expect.arrayContaining(before));
      }),
    );
  });

  const warningsOf = (known: EnteredCredentials, form?: (typeof FORM_TYPES)[number]) =>
    credentialWarnings(known, { state: 'FL', form }, date(TODAY));
  const fl = (inDays: number) =>
    ({ state: 'FL', kind: 'emergency', number: '1', expiresOn: date(TODAY + inDays) }) as const;
  const until = (inDays: number, ...categories: (typeof FCN_CATEGORIES)[number][]) => ({
    fcn: { number: '1', categories, expiresOn: date(TODAY + inDays) },
  });

  test.each([
    [-1, true],
    [0, true],
    [14, true],
    [15, false],
  ])('of an end in %s days are given: %s', (inDays, isGiven) => {
    const expected = isGiven ? ['license_expires'] : [];
    expect(warningsOf({ licenses: [fl(inDays)] })).toEqual(expected);
    expect(warningsOf(until(inDays))).toEqual(expected);
    expect(warningsOf({ licenses: [fl(inDays), fl(100)] })).toEqual([]);
    const others = { ...until(inDays, 'rcbap'), licenses: [{ ...fl(100), state: 'TX' }] };
    expect(warningsOf(others, 'dwelling')).toEqual(['license_missing', ...expected, 'fcn_category']);
  });

  test.each([
    ['dwelling', ['residential', 'manufactured_home']],
    ['general_property', ['small_commercial', 'large_commercial']],
    ['rcbap', ['rcbap']],
  ] as const)('compare the categories of the FCN with the form %s', (form, authorized) => {
    for (const category of FCN_CATEGORIES)
      expect([category, warningsOf(until(100, category), form)]).toEqual([
        category,
        authorized.some((each) => each === category) ? [] : ['fcn_category'],
      ]);
    expect(warningsOf(until(100), form)).toEqual([]);
  });
});

describe('reminders', () => {
  /** All dates that are announced until nothing is left, by jobs that run so late after their time. */
  function told(known: AdjusterCredentials, from: number, lateMs: number): [at: number, date: string][] {
    const all: [number, string][] = [];
    for (let held = withNextReminder(known, from); held.remindAt !== undefined; ) {
      const now = held.remindAt + lateMs;
      const end = endToRemindOf(held, held.remindAt, now);
      if (end !== undefined) all.push([now, end]);
      held = withNextReminder(held, now);
      // Otherwise a mistake would have no end instead of a name.
      expect(held.remindAt ?? Number.POSITIVE_INFINITY).toBeGreaterThan(now);
    }
    return all;
  }

  test('come 60 and 14 days before each end, by day in every state, once', () => {
    const known = {
      fcn: { number: '1', categories: [], expiresOn: '2027-12-31' },
      licenses: [
        { state: 'FL', kind: 'resident', number: '1', expiresOn: '2027-04-30' },
        { state: 'TX', kind: 'emergency', number: '2', expiresOn: '2027-04-30' },
      ],
    } as const;
    const shown = (from: string) =>
      told(known, Date.parse(from), 0).map(([at, end]) => [new Date(at).toISOString().slice(0, 16), end]);
    const all = [
      ['2027-03-01T16:00', '2027-04-30'],
      ['2027-04-16T16:00', '2027-04-30'],
      ['2027-11-01T16:00', '2027-12-31'],
      ['2027-12-17T16:00', '2027-12-31'],
    ];
    expect(shown('2026-11-28T12:00:00Z')).toEqual(all);
    expect(shown('2027-03-01T16:00:00Z')).toEqual(all.slice(1));
    expect(shown('2028-01-01T00:00:00Z')).toEqual([]);
  });

  test('are neither lost nor repeated by jobs that run late', () => {
    fc.assert(
      fc.property(credentials, fc.integer({ min: 0, max: 100 * DAY }), (known, lateMs) => {
        const ends = [...(known.fcn ? [known.fcn] : []), ...(known.licenses ?? [])];
        const all = ends.flatMap(({ expiresOn: on }) =>
          [60, 14].map((days) => ({ on, at: Date.parse(on) - days * DAY + 16 * 3_600_000 })),
        );
        for (const [now, end] of told(known, TODAY * DAY, lateMs)) {
          const due = all
            .filter(({ at }) => now - lateMs <= at && at <= now)
            .map(({ on }) => on)
            .sort();
          expect(end).toBe(due[0]);
        }
        const onTime = new Set(told(known, TODAY * DAY, 0).map(([, end]) => end));
        const late = told(known, TODAY * DAY, lateMs);
        for (const [, end] of late) expect(onTime).toContain(end);
        expect(late.length).toBeLessThanOrEqual(told(known, TODAY * DAY, 0).length);
        if (onTime.size > 0) expect(late).not.toEqual([]);
      }),
    );
  });

  test('a queued one stays, and an earlier one is queued besides', () => {
    const ending = (on: string) => ({ fcn: { number: '1', categories: [], expiresOn: on } });
    const now = Date.parse('2027-01-01T00:00:00Z');
    const first = withNextReminder(ending('2027-06-30'), now);
    expect(first.remindAt).toBe(Date.parse('2027-05-01T16:00:00Z'));
    expect(withNextReminder(ending('2027-12-31'), now, first.remindAt).remindAt).toBe(first.remindAt);
    expect(withNextReminder({}, now, first.remindAt).remindAt).toBe(first.remindAt);
    const earlier = withNextReminder(ending('2027-04-30'), now, first.remindAt);
    expect(earlier.remindAt).toBe(Date.parse('2027-03-01T16:00:00Z'));
    expect(withNextReminder({ remindAt: 5, licenses: [] }, now)).toEqual({ licenses: [] });
  });

  test('count days on the calendar', () => {
    expect([daysUntil('2027-03-01', '2027-02-28'), daysUntil('2027-02-28', '2027-03-01')]).toEqual([1, -1]);
    const known = {
      licenses: [{ state: 'FL', kind: 'resident', number: '1', expiresOn: '2027-04-30' }],
    } as const;
    expect([endsOn(known, '2027-04-30'), endsOn(known, '2027-04-29'), endsOn(undefined, '')]).toEqual([
      ...[true, false, false],
    ]);
  });
});
