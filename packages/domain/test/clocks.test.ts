import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  bySpecificity,
  type ClaimWork,
  type ClockFacts,
  type ClockRule,
  type Clocks,
  claimClocksOf,
  clockRuleKey,
  clocksFor,
  DAY,
  doneAt,
  HOUR,
  isStepLate,
  localDays,
  NO_CLOCKS,
  type StepTime,
  stepTimesOf,
} from '../src/index.ts';

// Some differ by case alone, which counts for events, or begin like another one and its event.
const CARRIERS = ['Palmetto Mutual', 'Bayou', 'Bayou FL26-09'];
const EVENTS = ['FL26-09', 'fl26-09'];
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });
const rule: fc.Arbitrary<ClockRule> = fc.record({
  carrier: optional(fc.constantFrom(...CARRIERS, '  PALMETTO  mutual ')),
  catCode: optional(fc.constantFrom(...EVENTS)),
  contactHours: optional(fc.integer({ min: 1, max: 99 })),
  inspectionHours: optional(fc.integer({ min: 1, max: 99 })),
  reportDays: optional(fc.integer({ min: 1, max: 99 })),
});
const rules = fc.uniqueArray(rule, { selector: clockRuleKey, maxLength: 9 });
const FIELDS: readonly (keyof Clocks)[] = ['contactHours', 'inspectionHours', 'reportDays'];

describe('the rules of a firm', () => {
  test('of those for a claim, the most specific one that has a time sets it, in any order of the rules', () => {
    const claim = fc.record({
      carrier: fc.constantFrom(...CARRIERS, 'Other'),
      catCode: fc.constantFrom(...EVENTS, null),
    });
    const shuffled = rules.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    );
    fc.assert(
      fc.property(shuffled, claim, ([all, others], { carrier, catCode }) => {
        const clocks = clocksFor(all, carrier, catCode);
        expect(clocksFor(others, carrier, catCode)).toEqual(clocks);
        for (const field of FIELDS) {
          const exact = [
            { carrier, catCode: catCode ?? undefined },
            { carrier },
            { catCode: catCode ?? undefined },
            {},
          ];
          const keys = exact.map(clockRuleKey);
          const expected = keys
            .map((key) => all.find((each) => clockRuleKey(each) === key)?.[field])
            .find((value) => value !== undefined);
          expect(clocks[field]).toBe(expected);
        }
      }),
    );
  });

  test('a carrier says more than an event', () => {
    const ofEvent = { catCode: 'FL26-09', contactHours: 1 };
    const ofCarrier = { carrier: 'Bayou', contactHours: 2 };
    // The rules of a firm stay in the order in which it has them.
    expect(bySpecificity(Object.freeze([{}, ofEvent, ofCarrier]))).toEqual([ofCarrier, ofEvent, {}]);
  });
});

const at = (text: string) => Date.parse(text);
const NO_WORK: ClaimWork = { contactDate: null, inspectionDate: null, notes: null };

describe('the steps of an adjuster', () => {
  test('are the earliest entries of the contact log, else the dates that were entered', () => {
    const contacts = [
      { id: 'z', at: 0, result: 'inspected' },
      { id: 'a', at: 1, receivedAt: 9, result: 'no_answer', note: 'secret' },
      { id: 'b', at: 2, receivedAt: 8, result: 'reached', note: 'secret' },
      { id: 'c', at: 3, receivedAt: 7, result: 'reached' },
      { id: 'd', at: 4, receivedAt: 6, result: 'inspected' },
    ] as const;
    const dates = { contactDate: '2026-09-01', inspectionDate: '2026-09-02' };
    expect(stepTimesOf({ ...NO_WORK, ...dates, details: { contacts } })).toEqual({
      contact: { deviceAt: 2, at: 8, date: null },
      inspection: { deviceAt: 0, at: null, date: null },
    });
    const unlogged = { contacts: contacts.filter(({ result }) => result === 'no_answer') };
    for (const details of [undefined, {}, unlogged])
      expect(stepTimesOf({ ...NO_WORK, ...dates, ...(details && { details }) })).toEqual({
        contact: { deviceAt: null, at: null, date: '2026-09-01' },
        inspection: { deviceAt: null, at: null, date: '2026-09-02' },
      });
    expect(stepTimesOf(NO_WORK)).toEqual({ contact: null, inspection: null });
  });

  test('are in time by the device, but not later than the service knew of them', () => {
    const days = localDays('UTC');
    const step = (deviceAt: number, receivedAt: number | null): StepTime => ({
      ...{ deviceAt, at: receivedAt, date: null },
    });
    const steps = [step(5, 9), step(9, 5), step(5, null), step(0, 9), step(9, 0)];
    expect(steps.map((each) => doneAt(each, days))).toEqual([5, 5, 5, 0, 0]);
    fc.assert(
      fc.property(fc.nat(99), fc.nat(99), fc.nat(99), (deviceAt, receivedAt, due) => {
        const late = isStepLate(step(deviceAt, receivedAt), due, 0, days);
        expect(late).toBe(due < Math.min(deviceAt, receivedAt));
      }),
    );
    expect([isStepLate(null, 5, 5, days), isStepLate(null, 5, 6, days)]).toEqual([false, true]);
  });

  test('of which only the date is known are in time on the day on which they are due, in the zone of the firm', () => {
    const onSecond: StepTime = { deviceAt: null, at: null, date: '2026-09-02' };
    const late = (due: string, zone: string) => isStepLate(onSecond, at(due), 0, localDays(zone));
    expect(late('2026-09-02T05:00:00Z', 'America/Chicago')).toBe(false);
    expect(late('2026-09-02T04:59:00Z', 'America/Chicago')).toBe(true);
    expect(late('2026-09-02T04:59:00Z', 'UTC')).toBe(false);
  });
});

describe('the clocks of a claim', () => {
  const facts: ClockFacts = {
    ...{ acceptedAt: at('2026-10-25T15:00:00Z'), closedAt: null, carrier: 'Bayou', catCode: 'FL26-09' },
    ...{ contact: null, inspection: null },
  };
  const step = (deviceAt: number, at = deviceAt + 1): StepTime => ({ deviceAt, at, date: null });

  test('without rules are those of the program: contact 24 hours after the acceptance, inspection 48 after it, report in 15 days', () => {
    const early = facts.acceptedAt + HOUR;
    expect(claimClocksOf(facts, NO_CLOCKS, [], early)).toEqual({
      contact: { step: null, dueAt: facts.acceptedAt + 24 * HOUR, late: false },
      inspection: { step: null, dueAt: null, late: false },
      reportDueAt: facts.acceptedAt + 15 * DAY,
    });
    // The clock of the device is ahead.
    const contact = step(early + HOUR, early);
    const late = claimClocksOf({ ...facts, contact }, NO_CLOCKS, [], early + 48 * HOUR + 1);
    expect(late.contact).toEqual({ step: contact, dueAt: facts.acceptedAt + 24 * HOUR, late: false });
    expect(late.inspection).toEqual({ step: null, dueAt: early + 48 * HOUR, late: true });
    // Without a contact, nothing is counted from an inspection, and it is no contact.
    const inspected = { ...facts, closedAt: early, inspection: contact };
    expect(claimClocksOf(inspected, NO_CLOCKS, [], early + 48 * HOUR)).toEqual({
      contact: { step: null, dueAt: facts.acceptedAt + 24 * HOUR, late: false },
      inspection: { step: contact, dueAt: null, late: false },
      reportDueAt: facts.acceptedAt + 15 * DAY,
    });
  });

  test('hours are hours and days are days, over a change of the clocks in the zone of the firm', () => {
    const rules = [{ carrier: 'BAYOU', contactHours: 240, reportDays: 10 }];
    const { contact, reportDueAt } = claimClocksOf(
      facts,
      { rules, timeZone: 'America/Chicago' },
      [],
      facts.acceptedAt,
    );
    expect(contact.dueAt).toBe(facts.acceptedAt + 240 * HOUR);
    expect(reportDueAt).toBe(facts.acceptedAt + 241 * HOUR);
    const withoutRules = claimClocksOf(facts, { rules: [], timeZone: 'America/Chicago' }, [], 0);
    expect(withoutRules.reportDueAt).toBe(facts.acceptedAt + (15 * 24 + 1) * HOUR);
  });

  test('each step has the time that the firm sets for it, the inspection from the end of the day of a contact by date', () => {
    const rules = [{ contactHours: 6, inspectionHours: 30, reportDays: 9 }];
    const contact: StepTime = { deviceAt: null, at: null, date: '2026-10-27' };
    const clocks = { rules, timeZone: 'America/Chicago' };
    const due = claimClocksOf({ ...facts, contact }, clocks, [], facts.acceptedAt);
    expect([due.contact.dueAt, due.inspection.dueAt, due.reportDueAt]).toEqual([
      facts.acceptedAt + 6 * HOUR,
      at('2026-10-28T05:00:00Z') + 30 * HOUR,
      at('2026-11-03T16:00:00Z'),
    ]);
  });

  test('the rules are those for the event of the claim, and a step that was done late is late', () => {
    const rules = [
      { catCode: 'TX26-01', contactHours: 4 },
      { catCode: 'FL26-09', contactHours: 3, inspectionHours: 5 },
    ];
    const of = (changes: Partial<ClockFacts>) =>
      claimClocksOf({ ...facts, ...changes }, { rules, timeZone: 'UTC' }, [], facts.acceptedAt);
    const hours = [{}, { catCode: 'TX26-01' }, { catCode: null }].map(
      (changes) => ((of(changes).contact.dueAt ?? 0) - facts.acceptedAt) / HOUR,
    );
    expect(hours).toEqual([3, 4, 24]);
    const contact = step(facts.acceptedAt + 3 * HOUR);
    const lateAfter = (ms: number) => {
      const inspection = step(facts.acceptedAt + 8 * HOUR + ms);
      const clocks = of({ contact, inspection });
      expect(clocks.inspection.step).toBe(inspection);
      return [clocks.contact.late, clocks.inspection.late];
    };
    expect([lateAfter(0), lateAfter(1)]).toEqual([
      ...[
        [false, false],
        [false, true],
      ],
    ]);
  });

  test("a rule of the firm counts before the event's, and that before the general one", () => {
    const override = { event: 'FL26-09', kind: 'first_contact', hours: 72, source: 'Bulletin' } as const;
    const dueWith = (clocks: readonly ClockRule[]) =>
      claimClocksOf(facts, { rules: clocks, timeZone: 'UTC' }, [override], 0).contact.dueAt;
    expect(dueWith([])).toBe(facts.acceptedAt + 72 * HOUR);
    expect(dueWith([{ contactHours: 6 }])).toBe(facts.acceptedAt + 6 * HOUR);
  });

  test('a claim that was closed in time is not late afterwards', () => {
    const closedAt = facts.acceptedAt + HOUR;
    const lateOf = (changes: Partial<ClockFacts>, now = facts.acceptedAt + 9 * DAY) =>
      claimClocksOf({ ...facts, ...changes }, NO_CLOCKS, [], now).contact.late;
    const closedLate = { closedAt: facts.acceptedAt + 2 * DAY };
    // The last one by a process whose clock is behind the one that closed it.
    expect([lateOf({ closedAt }), lateOf({}), lateOf(closedLate), lateOf(closedLate, closedAt)]).toEqual([
      ...[false, true, true, false],
    ]);
  });
});
