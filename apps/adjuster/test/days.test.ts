import { describe, expect, test } from '@jest/globals';
import type { AppClaim } from '@svc/contract';
import { awayWith } from '../src/model/away.ts';
import { calendarFile } from '../src/model/calendar-file.ts';
import { deadlinesOf, dueFirst, overridesFrom } from '../src/model/deadlines.ts';
import { offer, ownClaim } from './claims.ts';

const ACCEPTED = '2026-08-30T10:00:00.000Z';
const loss = (date: string, cat_code?: string) => ({
  loss: { date, peril: 'flood', ...(cat_code !== undefined && { cat_code }) },
});

describe('deadlines of an accepted claim', () => {
  test('are the first contact in 24 hours, the preliminary report in 15 days, and the proof of loss in 60 days', () => {
    const claim = ownClaim(ACCEPTED, { ...loss('2026-08-20'), contact_date: undefined });
    const due = deadlinesOf(claim, []);
    expect(due.map(({ kind }) => kind)).toEqual(['first_contact', 'preliminary_report', 'proof_of_loss']);
    expect(new Date(due[0]?.at ?? 0).toISOString()).toBe('2026-08-31T10:00:00.000Z');
    expect(new Date(due[1]?.at ?? 0).toISOString()).toBe('2026-09-14T10:00:00.000Z');
    const end = new Date(due[2]?.at ?? 0);
    expect([end.getFullYear(), end.getMonth() + 1, end.getDate(), end.getHours()]).toEqual([
      2026, 10, 19, 23,
    ]);
  });

  test('end with the entries of the adjuster, and a closed claim or an offer has none', () => {
    const done = {
      version: 'v2',
      contact_date: '2026-08-30',
      inspection_date: '2026-08-31',
      preliminary_report_date: '2026-09-01',
      proof_of_loss_date: '2026-09-20',
    };
    expect(deadlinesOf(ownClaim(ACCEPTED, { work: done }), [])).toEqual([]);
    const kindsWith = (work: object, sent = {}) =>
      deadlinesOf(
        ownClaim(ACCEPTED, {
          ...{ ...loss('2026-08-20'), contact_date: undefined, ...sent },
          work: { version: 'v2', ...work },
        }),
        [],
      ).map(({ kind }) => kind);
    const contacted = { contact_date: '2026-08-30' };
    const left = ['inspection', 'preliminary_report', 'proof_of_loss'];
    expect([kindsWith(contacted), kindsWith({}, contacted)]).toEqual([left, left]);
    for (const kind of left)
      expect(kindsWith({ ...contacted, [`${kind}_date`]: '2026-08-31' })).toEqual(
        left.filter((one) => one !== kind),
      );
    expect(deadlinesOf(ownClaim(ACCEPTED, { closed_at: ACCEPTED }), [])).toEqual([]);
    expect(deadlinesOf(offer(), [])).toEqual([]);
    const { assignment, ...rejected } = ownClaim(ACCEPTED);
    expect(deadlinesOf({ ...rejected, assignment: { ...assignment, status: 'rejected' } }, [])).toEqual([]);
  });

  test('are longer for an event for which they were extended, and only for it', () => {
    const rules = overridesFrom([
      {
        kind: 'proof_of_loss',
        from: 'loss',
        hours: 60 * 24,
        source: 'policy',
        events: [
          { cat_code: 'FL0224', hours: 120 * 24, source: 'bulletin' },
          { cat_code: 'FL0226', hours: 90 * 24, source: 'bulletin' },
        ],
      },
      { kind: 'of a later release', from: 'loss', hours: 1, source: '', events: [] },
    ]);
    const endOf = (cat: string | undefined): string => {
      const due = deadlinesOf(ownClaim(ACCEPTED, loss('2026-08-20', cat)), rules);
      const end = new Date(due.find(({ kind }) => kind === 'proof_of_loss')?.at ?? 0);
      return `${end.getMonth() + 1}/${end.getDate()}`;
    };
    expect(['FL0224', 'FL0226', 'FL0225', undefined, 'constructor'].map(endOf)).toEqual([
      ...['12/18', '11/18', '10/19', '10/19', '10/19'],
    ]);
  });

  test('count by what the firm owes the carrier, in its zone, the inspection from the contact', () => {
    const clocks = {
      ...{ contact_hours: 12, inspection_hours: 30, report_days: 3, time_zone: 'Pacific/Honolulu' },
    };
    const claim = { ...loss('2026-08-20'), contact_date: undefined, clocks };
    const dueAt = (changes: Partial<AppClaim>) =>
      Object.fromEntries(
        deadlinesOf(ownClaim(ACCEPTED, { ...claim, ...changes }), []).map(({ kind, at }) => [
          kind,
          new Date(at).toISOString(),
        ]),
      );
    expect(dueAt({})).toMatchObject({
      first_contact: '2026-08-30T22:00:00.000Z',
      preliminary_report: '2026-09-02T10:00:00.000Z',
    });
    const contacts = [
      { id: 'a', at: '2026-08-30T11:00:00.000Z', result: 'no_answer' },
      { id: 'b', at: '2026-08-30T12:00:00.000Z', result: 'reached' },
      { id: 'again', at: '2026-08-30T20:00:00.000Z', result: 'reached' },
    ];
    const contacted = dueAt({ work: { version: 'v2', contacts } });
    expect(contacted).toMatchObject({ inspection: '2026-08-31T18:00:00.000Z' });
    expect(contacted).not.toHaveProperty('first_contact');
    const inspected = { id: 'c', at: '2026-08-31T12:00:00.000Z', result: 'inspected' };
    expect(dueAt({ work: { version: 'v2', contacts: [...contacts, inspected] } })).not.toHaveProperty(
      'inspection',
    );
    // By the adjuster's own date before that of the firm.
    const dated = dueAt({ contact_date: '2026-08-20', work: { version: 'v2', contact_date: '2026-08-30' } });
    expect(dated).toMatchObject({ inspection: '2026-09-01T16:00:00.000Z' });
    // The clock of the device is set back in between.
    const hours = deadlinesOf(ownClaim('2026-10-25T10:00:00.000Z', loss('2026-10-01')), []).map(
      ({ kind, at }) => [kind, new Date(at).getHours()],
    );
    expect(Object.fromEntries(hours)).toMatchObject({ preliminary_report: 5, proof_of_loss: 23 });
  });

  test('order the claims, the next one first', () => {
    const contacted = { work: { version: 'v2', contact_date: '2026-08-30', inspection_date: '2026-08-31' } };
    const [late, soon, done] = [
      ownClaim('2026-08-29T00:00:00.000Z', { ...contacted, ...loss('2026-08-20') }),
      ownClaim('2026-09-01T00:00:00.000Z', { ...loss('2026-08-20', 'FL0224'), contact_date: undefined }),
      ownClaim(ACCEPTED, { closed_at: ACCEPTED }),
    ];
    expect(dueFirst([done, late, soon], [])).toEqual([soon, late, done]);
    const ofEvent = { event: 'FL0224', kind: 'first_contact', hours: 30 * 24, source: '' } as const;
    expect(dueFirst([done, soon, late], [ofEvent])).toEqual([late, soon, done]);
  });
});

test('days away are added in order, in the zone of the adjuster, without those that are over, and not reversed or over', () => {
  const period = (first_day: string, last_day = first_day) => ({
    ...{ first_day, last_day, time_zone: 'America/Chicago' },
  });
  const known = [
    period('2026-08-01', '2026-08-29'),
    period('2026-08-20', '2026-08-30'),
    period('2026-09-10'),
  ];
  const added = (first: string, last = '') => awayWith(known, first, last, '2026-08-30');
  expect(added('2026-09-01', '2026-09-02')).toEqual([known[1], period('2026-09-01', '2026-09-02'), known[2]]);
  expect(added('2026-08-30')).toEqual([known[1], period('2026-08-30'), known[2]]);
  expect([added('2026-08-29'), added('2026-09-02', '2026-09-01')]).toEqual(['over', 'reversed']);
});

describe('a calendar file', () => {
  const APPOINTMENT = {
    id: 'claim-1',
    start: '2026-09-02T10:30',
    minutes: 60,
    title: 'Inspection; Delgado, Marisol',
    place: `${'ñ'.repeat(60)}, Loíza, PR 00772`,
    description: 'Claim FL26-1\r\nGate code 4471 \\ call\rfirst. '.repeat(4),
  };

  test('has the visit in local time, escaped text, and lines of at most 75 bytes', () => {
    const file = calendarFile(APPOINTMENT, Date.parse('2026-08-30T12:00:00.000Z'));
    const bytes = file.split('\r\n').map((line) => new TextEncoder().encode(line).length);
    expect(Math.max(...bytes)).toBe(75);
    expect(file.replaceAll('\r\n ', '').split('\r\n')).toEqual([
      ...[
        'BEGIN:VCALENDAR',
        'VERSION:2.0',
        'PRODID:-//Claim assignments//Adjuster app//EN',
        'METHOD:PUBLISH',
      ],
      ...['BEGIN:VEVENT', 'UID:claim-1@claim-assignments', 'DTSTAMP:20260830T120000Z'],
      ...['DTSTART:20260902T103000', 'DURATION:PT60M', 'SUMMARY:Inspection\\; Delgado\\, Marisol'],
      `LOCATION:${'ñ'.repeat(60)}\\, Loíza\\, PR 00772`,
      `DESCRIPTION:${'Claim FL26-1\\nGate code 4471 \\\\ call\\nfirst. '.repeat(4)}`,
      ...['END:VEVENT', 'END:VCALENDAR', ''],
    ]);
  });
});
