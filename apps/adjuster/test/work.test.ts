import { describe, expect, test } from '@jest/globals';
import {
  canUndo,
  changedEntries,
  emptyPendingWork,
  isDelayed,
  mergePending,
  rejectedEntries,
  remainingPending,
  requestBody,
  workWithPending,
} from '../src/model/work-edits.ts';

const contact = (id: string, at: string) => ({ id, at, result: 'no_answer' as const });

describe('own edits', () => {
  test('are those that differ from what is saved, and an empty one clears its field', () => {
    const changed = changedEntries(
      { notes: '', contact_date: '2026-08-30', inspection_date: '' },
      { notes: 'Old', contact_date: '2026-08-30' },
    );
    expect(changed).toEqual({ notes: '' });
    expect(requestBody({ notes: ' ', contact_date: '2026-08-30' })).toEqual({
      notes: null,
      contact_date: '2026-08-30',
    });
  });

  test('that wait show on the claim as if they had arrived', () => {
    const pending = mergePending(emptyPendingWork('SVC-1'), {
      entries: { notes: '', contact_date: '2026-08-30' },
      contacts: [contact('b', '2026-08-30T15:00:00.000Z')],
    });
    const work = { notes: 'Old', contacts: [contact('c', '2026-08-30T16:00:00.000Z'), contact('b', 'x')] };
    expect(workWithPending(work, pending)).toEqual({
      contact_date: '2026-08-30',
      contacts: [contact('b', '2026-08-30T15:00:00.000Z'), contact('c', '2026-08-30T16:00:00.000Z')],
    });
    expect(workWithPending(work, undefined)).toBe(work);
  });

  test('made while earlier ones are on their way stay until they are confirmed too', () => {
    const sent = mergePending(emptyPendingWork('SVC-1'), {
      entries: { notes: 'First' },
      contacts: [contact('a', '1')],
    });
    const later = mergePending(sent, { entries: { notes: 'First and second' }, close: true });
    const afterEntries = remainingPending(later, { entries: { notes: 'First' } });
    expect(afterEntries).toMatchObject({ entries: { notes: 'First and second' }, close: true });
    const afterContact = remainingPending(sent, { entries: sent.entries, contacts: sent.contacts });
    expect(afterContact).toBeUndefined();
    expect(remainingPending(later, { entries: later.entries, contacts: later.contacts })).toMatchObject({
      close: true,
    });
    expect(remainingPending(later, later)).toBeUndefined();
  });

  test('that can be undone are held until a later edit or the end of their time, and undone alone', () => {
    const edits = { contacts: [contact('a', '1')], entries: { contact_date: '2026-08-30' }, notBefore: 5000 };
    const held = mergePending(
      mergePending(emptyPendingWork('SVC-1'), { contacts: [contact('b', '0')] }),
      edits,
    );
    expect([isDelayed(held, 4999), isDelayed(held, 5000)]).toEqual([true, false]);
    expect(isDelayed(mergePending(held, { entries: { notes: 'Saved' } }), 4999)).toBe(false);
    expect(remainingPending(held, edits)).toMatchObject({ contacts: [contact('b', '0')], entries: {} });
    // A date that was typed over the one of the entry stays.
    const typed = mergePending(held, { entries: { contact_date: '2026-08-29' } });
    expect(remainingPending(typed, edits)).toMatchObject({ entries: { contact_date: '2026-08-29' } });
  });

  test('that may have been sent cannot be undone, even while they wait because the response was lost', () => {
    const first = { contacts: [contact('a', '1')], notBefore: 5000 };
    const held = mergePending(emptyPendingWork('SVC-1'), first);
    expect(canUndo(held, first, 4999)).toBe(true);
    expect(canUndo(held, first, 5000)).toBe(false);
    // The first entry still waits when a second one is logged.
    const second = { contacts: [contact('b', '2')], notBefore: 9000 };
    const both = mergePending(held, second);
    expect(both.contacts).toHaveLength(2);
    expect(canUndo(both, second, 8000)).toBe(true);
    expect(canUndo(both, first, 8000)).toBe(false);
    // A saved edit of the claim sends everything at once.
    expect(canUndo(mergePending(both, { entries: { notes: 'Saved' } }), second, 8000)).toBe(false);
  });

  test('that are sent at once cannot be undone during the request', () => {
    const edits = { contacts: [contact('a', '1')] };
    expect(canUndo(mergePending(emptyPendingWork('SVC-1'), edits), edits, 0)).toBe(false);
  });

  test('that the service rejects stay as entries, contacts as lines of the notes after what was typed', () => {
    const lineOf = ({ id, note }: { id: string; note?: string | undefined }) => `${id}: ${note}`;
    const rejected = mergePending(emptyPendingWork('SVC-1'), {
      entries: { contact_date: '2026-08-30', notes: 'Sent' },
      contacts: [contact('a', '1'), contact('b', '2')],
    });
    const lines = ['a', 'b'].map((id) => lineOf(contact(id, '1')));
    const date = { contact_date: '2026-08-30' };
    const notesAfter = (text: string) => ({ ...date, notes: [text, ...lines].join('\n') });
    expect(rejectedEntries(rejected, { notes: 'Typed' }, 'Saved', lineOf)).toEqual(notesAfter('Typed'));
    expect(rejectedEntries(rejected, undefined, 'Saved', lineOf)).toEqual(notesAfter('Sent'));
    const withoutNotes = { ...rejected, entries: date };
    expect(rejectedEntries(withoutNotes, undefined, 'Saved', lineOf)).toEqual(notesAfter('Saved'));
    expect(rejectedEntries(withoutNotes, { notes: '' }, 'Saved', lineOf)).toEqual({
      ...date,
      notes: lines.join('\n'),
    });
    expect(rejectedEntries({ ...withoutNotes, contacts: [] }, undefined, 'Saved', lineOf)).toEqual(date);
  });
});
