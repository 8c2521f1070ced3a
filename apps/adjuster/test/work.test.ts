import { describe, expect, test } from '@jest/globals';
import type { ContactResult } from '@svc/domain';
import fc from 'fast-check';
import { contactEdits } from '../src/model/contact-edits.ts';
import { changedElsewhere, mergedEntries, withoutOwn } from '../src/model/merge-edits.ts';
import {
  basesOf,
  changedEntries,
  rejectedEntries,
  requestBody,
  type WorkEntries,
  workWithEdits,
} from '../src/model/work-edits.ts';

const contact = (id: string, at: string) => ({ id, at, result: 'no_answer' as const });

describe('edits of two devices', () => {
  const merge = (own: WorkEntries, base: WorkEntries, saved: WorkEntries) =>
    mergedEntries(own, base, { version: 'v', ...saved }, (field) => field);
  const notes = (own: string, base: string, other: string) =>
    merge({ notes: own }, { notes: base }, { notes: other }).notes;

  test.each([
    ['added on both', 'A\nown', 'A', 'A\nother', 'A\nother\nown'],
    ['written on both', 'own', '', 'other', 'other\n\nown'],
    ['rewritten here, added to there', 'own', 'A', 'A\nother', 'own\nother'],
    ['added to here, rewritten there', 'A\nown', 'A', 'other', 'other\nown'],
    ['rewritten here with what was added there', 'own\nother', 'A', 'A\nother', 'own\nother'],
    ['cleared here', '', 'A', 'A\nother', 'A\nother'],
    ['cleared there', 'A\nown', 'A', '', 'A\nown'],
    ['merged before', 'A\nown', 'A', 'A\nother\nown', 'A\nother\nown'],
    ['unchanged there', 'own', 'A', 'A', 'own'],
    ['part of a word there', '2', '', 'floor 12', 'floor 12\n\n2'],
    ['part of a word here', '15 in', '', '5', '5\n\n15 in'],
    ['an added line that is part of another', 'A\n2', 'A', 'A\nfloor 12', 'A\nfloor 12\n2'],
  ])('keep the notes of both: %s', (_, own, base, other, merged) => {
    expect(notes(own, base, other)).toBe(merged);
    expect(notes(own, base, merged)).toBe(merged);
  });

  test('lose nothing that was written, whatever was', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', ' '), maxLength: 8 });
    fc.assert(
      fc.property(text, text, text, (base, own, other) => {
        const merged = notes(own, base, other) ?? '';
        const written = [own, other].flatMap((one) => one.split('\n'));
        for (const line of written.filter((one) => one.trim() !== '' && !base.split('\n').includes(one)))
          expect(merged.split('\n').map((one) => one.trim())).toContain(line.trim());
      }),
    );
  });

  test('are told from what this device has saved without a response', () => {
    const elsewhere = (...earlier: WorkEntries[]) => {
      const work = { version: 'v', notes: 'Wet' };
      return changedElsewhere({ notes: 'Wet den' }, withoutOwn(work, { notes: '' }, earlier), work);
    };
    const found = [elsewhere(), elsewhere({ notes: 'Wet' }), elsewhere({ notes: 'Dry' })];
    expect(found).toEqual([['notes'], [], ['notes']]);
    // What was cleared elsewhere holds nothing that could be lost.
    expect(changedElsewhere({ notes: 'Wet' }, { notes: 'Dry' }, { version: 'v' })).toEqual([]);
  });

  test('keep the date of this device, and that of the other one in the notes', () => {
    const own = { contact_date: '2026-08-30' };
    const saved = { contact_date: '2026-08-29', notes: 'Wet', inspection_date: '2026-09-01' };
    expect(merge(own, { contact_date: '' }, saved)).toEqual({
      ...own,
      notes: 'Wet\ncontact_date: 2026-08-29',
    });
    const named = { ...saved, notes: 'Wet\ncontact_date: 2026-08-29' };
    expect(merge(own, { contact_date: '' }, named)).toEqual({ ...own, notes: named.notes });
    for (const base of [{ contact_date: '2026-08-29' }, {}]) expect(merge(own, base, saved)).toBe(own);
    expect(merge(own, { contact_date: '' }, { ...saved, ...own })).toBe(own);
    const dates = { ...own, inspection_date: '2026-09-02' };
    expect(merge(dates, { contact_date: '', inspection_date: '' }, saved)).toEqual({
      ...dates,
      notes: 'Wet\ncontact_date: 2026-08-29\ninspection_date: 2026-09-01',
    });
    expect(basesOf({ 'base:notes': 'A', notes: 'B', 'base:contact_date': '', 'base:other': 'C' })).toEqual({
      ...{ notes: 'A', contact_date: '' },
    });
  });
});

describe('own edits', () => {
  test('are those that differ from what is saved, and an empty one clears its field', () => {
    const changed = changedEntries(
      { notes: '', contact_date: '2026-08-30', inspection_date: '' },
      { version: 'v1', notes: 'Old', contact_date: '2026-08-30' },
    );
    expect(changed).toEqual({ notes: '' });
    const all = {
      ...{ contact_date: '1', inspection_date: '2', planned_visit_date: '3', planned_visit_time: '4' },
      ...{ preliminary_report_date: '5', proof_of_loss_date: '6', notes: '7' },
    };
    expect(changedEntries(all, { version: 'v1' })).toEqual(all);
    expect(requestBody({ notes: ' ', contact_date: '2026-08-30' })).toEqual({
      notes: null,
      contact_date: '2026-08-30',
    });
  });

  test('that wait show on the claim as if they had arrived, the later ones above the earlier ones', () => {
    const edits = [
      { entries: { notes: 'Wet', contact_date: '2026-08-30' } },
      { contact: contact('b', '2026-08-30T15:00:00.000Z') },
      { entries: { notes: '' } },
    ];
    const work = {
      version: 'v1',
      notes: 'Old',
      contacts: [contact('c', '2026-08-30T16:00:00.000Z'), contact('b', 'x')],
    };
    expect(workWithEdits(work, edits)).toEqual({
      version: 'v1',
      contact_date: '2026-08-30',
      contacts: [contact('b', '2026-08-30T15:00:00.000Z'), contact('c', '2026-08-30T16:00:00.000Z')],
    });
    expect(workWithEdits(work, [])).toBe(work);
    const entered = workWithEdits({ version: 'v1' }, [{ entries: { notes: 'Wet' } }]);
    expect(entered).toEqual({ version: 'v1', notes: 'Wet' });
  });

  test('of the contact log have the date of the first contact and inspection, and end at 200 entries and long notes', () => {
    // Still August 30 where the adjuster is.
    const made = (result: ContactResult) => ({ id: 'a', at: '2026-08-31T02:00:00.000Z', result });
    const edits = (result: ContactResult, count = 0, note = '', dates = {}) =>
      contactEdits(
        { version: 'v1', contacts: Array.from({ length: count }, () => contact('b', '')), ...dates },
        ...([made(result), note, '2026-08-30'] as const),
      );
    expect([edits('reached', 200), edits('reached', 199, 'x'.repeat(501))]).toEqual(['full', 'long']);
    const note = 'x'.repeat(500);
    expect(edits('no_answer', 199, note)).toEqual({ contact: { ...made('no_answer'), note } });
    for (const [result, field] of [
      ['reached', 'contact_date'],
      ['inspected', 'inspection_date'],
    ] as const) {
      const first = { contact: made(result), entries: { [field]: '2026-08-30' }, base: { [field]: '' } };
      expect(edits(result)).toEqual(first);
      expect(edits(result, 1, '', { [field]: '2026-08-01' })).toEqual({ contact: made(result) });
    }
  });

  test('that the service rejects stay as entries, a contact as a line of the notes after what was typed', () => {
    const date = { contact_date: '2026-08-30' };
    const sent = { ...date, notes: 'Sent' };
    const typedAfter = (
      rejected: WorkEntries | undefined,
      line: string | undefined,
      typed: WorkEntries = {},
    ): object => {
      const after: Record<string, string> = { ...typed };
      // Twice, as when the page was closed between the two: nothing is added again.
      for (const [field, change] of [1, 2].flatMap(() => rejectedEntries(rejected, line, 'Saved')))
        after[field] = change(after[field]);
      return after;
    };
    expect(typedAfter(sent, undefined, { notes: 'Typed' })).toEqual({ ...date, notes: 'Typed' });
    expect(typedAfter(sent, undefined)).toEqual(sent);
    expect(typedAfter(sent, 'a')).toEqual({ ...date, notes: 'Sent\na' });
    expect(typedAfter(date, 'b')).toEqual({ ...date, notes: 'Saved\nb' });
    expect(typedAfter(undefined, 'b', { notes: 'Typed\na' })).toEqual({ notes: 'Typed\na\nb' });
    expect(typedAfter(date, 'a', { notes: '' })).toEqual({ ...date, notes: 'a' });
  });
});
