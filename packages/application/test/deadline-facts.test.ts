import { expect, test } from '@jest/globals';
import type { ClaimWork, FirmClocks, Svcid } from '@svc/domain';
import type { AppClaimView, AppReads } from '../src/index.ts';
import { readDeadlineFacts } from '../src/jobs/deadline-facts.ts';

const NO_WORK: ClaimWork = { contactDate: null, inspectionDate: null, notes: null };
const SENT = { loss: { date: '2026-08-29' }, carrier: { name: 'Bayou' } };

const CLOCKS: FirmClocks = {
  rules: [
    { carrier: 'BAYOU', contactHours: 12 },
    { catCode: 'FL26-09', reportDays: 9 },
  ],
  timeZone: 'America/Chicago',
};

const claim = (sent: object = SENT, work: Partial<ClaimWork> = {}, respondedAt: number | null = 7) =>
  ({
    asSent: JSON.stringify(sent),
    work: { ...NO_WORK, ...work },
    assignment: { respondedAt },
    clocks: CLOCKS,
  }) as AppClaimView;

/** The facts of claims that are read in pages. */
const factsOf = (...claims: AppClaimView[]) => {
  const rows: AppReads['claims'] = async (_svcId, _list, { after, limit }) => {
    const end = (after?.at ?? 0) + limit;
    const next = end < claims.length ? { at: end, id: '' } : null;
    return { rows: claims.slice(end - limit, end), next };
  };
  return readDeadlineFacts({ claims: rows } as AppReads, 'anna' as Svcid);
};

test.each([
  ['nothing', claim(), []],
  ['a contact', claim(SENT, { contactDate: '2026-09-01' }), ['first_contact']],
  ['a contact that the firm sent', claim({ ...SENT, contact_date: '2026-09-01' }), ['first_contact']],
  [
    'a contact, whatever the firm sent',
    claim({ ...SENT, contact_date: '2026-08-30' }, { contactDate: '2026-09-01' }),
    ['first_contact'],
  ],
  [
    'a preliminary report',
    claim(SENT, { details: { preliminaryReportDate: '2026-09-01', proofOfLossDate: null } }),
    ['preliminary_report'],
  ],
  ['an inspection', claim(SENT, { inspectionDate: '2026-09-03' }), ['inspection']],
  ['a proof of loss', claim(SENT, { details: { proofOfLossDate: '2026-09-01' } }), ['proof_of_loss']],
])('a deadline is over with its entry: %s', async (_name, entered, done) => {
  const contactedAt = (done as string[]).includes('first_contact')
    ? Date.parse('2026-09-02T05:00:00Z')
    : null;
  const clocks = { contactHours: 12 };
  const facts = { acceptedAt: 7, contactedAt, clocks, lossDate: '2026-08-29', event: null, done };
  expect(await factsOf(entered)).toEqual([facts]);
});

test('deadlines depend on the event of each accepted claim, on every page', async () => {
  const ofEvent = claim({ ...SENT, loss: { date: '2026-08-30', cat_code: 'FL26-09' } });
  const others = Array.from({ length: 800 }, () => claim());
  const facts = await factsOf(...others, claim(SENT, {}, null), ofEvent);
  const ofOther = ['2026-08-29', null, { contactHours: 12 }];
  expect(facts.map(({ lossDate, event, clocks }) => [lossDate, event, clocks])).toEqual([
    ...others.map(() => ofOther),
    ['2026-08-30', 'FL26-09', { contactHours: 12, reportDays: 9 }],
  ]);
});
