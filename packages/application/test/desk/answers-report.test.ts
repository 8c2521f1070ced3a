import { expect, test } from '@jest/globals';
import { carrierNameKey, claimClocksOf, DAY, type DeadlineOverride, HOUR, type Svcid } from '@svc/domain';
import { type AnswersGroup, type AnswersQuery, makeReportAnswers } from '../../src/index.ts';
import { memoryFixture } from '../memory-fixture.ts';

const RULES = [
  { contactHours: 12 },
  { catCode: 'FL26-09', contactHours: 6 },
  { carrier: 'Bayou', contactHours: 3 },
  { carrier: 'Bayou', catCode: 'FL26-09', reportDays: 2 },
  { carrier: 'Gulf', catCode: 'LA26-01', contactHours: 2, inspectionHours: 5 },
];
const override = (event: string, kind: DeadlineOverride['kind'], hours: number): DeadlineOverride => ({
  ...{ event, kind, hours, source: 'Bulletin' },
});
const OVERRIDES = [
  override('FL26-09', 'inspection', 96),
  override('FL26-09', 'first_contact', 48),
  override('LA26-01', 'first_contact', 72),
];

const group = (name: string): AnswersGroup => ({
  ...{ group: name, offers: 1, pending: 0, accepted: 1, rejected: 0, unassigned: 0, withdrawn: 0, closed: 0 },
  ...{ medianAnswerMs: null, p90AnswerMs: null, contactsShared: 0, contactsInTime: 0, contactsLate: 0 },
});

/** The report of a firm with these rules whose store finds these groups, and what the store was asked for. */
async function underTest(rules: typeof RULES | [], groups: string[] = []) {
  const { newTeam, memory, clock, use } = memoryFixture();
  const { firm, svcId } = await newTeam();
  const asked: AnswersQuery[] = [];
  const { signal } = new AbortController();
  const reportAnswers = makeReportAnswers({
    boardReads: {
      ...memory.boardReads,
      clocks: async () => ({ rules, timeZone: 'America/Chicago' }),
      async answers(firmId, query, given) {
        expect([firmId, given === signal]).toEqual([firm.id, true]);
        asked.push(query);
        return { total: group('all'), groups: groups.map((name) => group(name.replace('SVCID', svcId))) };
      },
    },
    jobReads: { deadlineOverrides: async () => OVERRIDES },
    clock,
  });
  const report = (...[firmId, filter]: Parameters<typeof reportAnswers>) =>
    reportAnswers(firmId, filter, signal);
  return { firm, svcId, use, clock, asked, report };
}

const at = (text: string) => Date.parse(text);
const PERIOD = {
  ...({ environment: 'live', timeZone: 'America/Chicago' } as const),
  ...{ since: at('2026-10-26T05:00:00Z'), until: at('2026-11-12T06:00:00Z') },
};

test('contacts are counted against the time that their claims show, whatever the carrier and the event', async () => {
  for (const rules of [RULES, RULES.slice(1), [] as []]) {
    const { firm, asked, report } = await underTest(rules);
    await report(firm.id, { ...PERIOD, by: 'adjuster' });
    const limits = asked[0]?.contactHours ?? [];
    for (const carrier of ['BAYOU ', 'Gulf', 'Other'])
      for (const catCode of ['FL26-09', 'LA26-01', 'TX26-01', null]) {
        const claim = { acceptedAt: 0, closedAt: null, contact: null, inspection: null, carrier, catCode };
        const shown = claimClocksOf(claim, { rules, timeZone: 'UTC' }, OVERRIDES, 0).contact.dueAt;
        const counted = limits.find(
          ({ carrierKey, catCode: event }) =>
            (carrierKey === null || carrierKey === carrierNameKey(carrier)) &&
            (event === null || event === catCode),
        );
        expect([carrier, catCode, (counted?.hours ?? 0) * HOUR]).toEqual([carrier, catCode, shown]);
      }
  }
});

test('weeks begin where the person is, contacts are on the calendar of the firm, and a week is partial on either side', async () => {
  const { firm, clock, asked, report } = await underTest([], ['1', '3', '9']);
  const partialOf = async (since: number, until: number) =>
    (await report(firm.id, { ...PERIOD, since, until, by: 'week' })).rows.map(
      ({ group: monday, label, partial }) => [monday, label === monday, partial],
    );
  const shown = (...partial: boolean[]) =>
    ['2026-10-26', '2026-11-09'].map((monday, n) => [monday, true, partial[n]]);
  expect(await partialOf(PERIOD.since, PERIOD.until)).toEqual(shown(false, true));
  expect(await partialOf(PERIOD.since + 1, at('2026-11-16T06:00:00Z'))).toEqual(shown(true, false));
  expect(await partialOf(PERIOD.since, at('2026-11-16T05:59:59Z'))).toEqual(shown(false, true));
  // A Sunday evening, which is Monday in UTC; the period ends as a third week begins.
  const twoWeeks = await partialOf(at('2026-11-09T03:00:00Z'), at('2026-11-16T06:00:00Z'));
  expect(twoWeeks).toEqual([['2026-11-02', true, true]]);
  const weekStarts = [PERIOD.since, at('2026-11-02T06:00:00Z'), at('2026-11-09T06:00:00Z')];
  const { environment, since, until } = PERIOD;
  const query = { environment, since, until, by: 'week', weekStarts, firmTimeZone: 'America/Chicago' };
  expect(asked[0]).toEqual({ ...query, now: clock.now(), contactHours: expect.any(Array) });
  await report(firm.id, { ...PERIOD, timeZone: 'UTC', since: 0, until: DAY, by: 'carrier' });
  expect(asked.at(-1)).toMatchObject({
    ...{ weekStarts: [at('1969-12-29T00:00:00Z')], firmTimeZone: 'America/Chicago' },
    now: clock.now(),
  });
});

test('adjusters are named while they are members; carriers are named as they are grouped', async () => {
  const { firm, svcId, use, report } = await underTest([], ['SVC-unknown', 'SVCID', 'Gulf']);
  const labels = async (by: 'adjuster' | 'carrier') =>
    (await report(firm.id, { ...PERIOD, by })).rows.map(({ label }) => label);
  expect(await labels('adjuster')).toEqual(['SVC-unknown', expect.stringMatching(/^Renée /), 'Gulf']);
  expect(await labels('carrier')).toEqual(['SVC-unknown', svcId, 'Gulf']);
  await use.leaveFirm({ svcId: svcId as Svcid }, firm.id);
  expect(await labels('adjuster')).toEqual(['SVC-unknown', svcId, 'Gulf']);
  const { total, rows } = await report(firm.id, { ...PERIOD, by: 'carrier' });
  expect([total, rows[2]]).toEqual([group('all'), { ...group('Gulf'), label: 'Gulf' }]);
});
