import { describe, expect, test } from '@jest/globals';
import { changedEntries, rejectedEntries, requestBody, workWithEdits } from '../src/model/work-edits.ts';

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

  test('that wait show on the claim as if they had arrived, the later ones above the earlier ones', () => {
    const edits = [
      { entries: { notes: 'Wet', contact_date: '2026-08-30' } },
      { contact: contact('b', '2026-08-30T15:00:00.000Z') },
      { entries: { notes: '' } },
    ];
    const work = { notes: 'Old', contacts: [contact('c', '2026-08-30T16:00:00.000Z'), contact('b', 'x')] };
    expect(workWithEdits(work, edits)).toEqual({
      contact_date: '2026-08-30',
      contacts: [contact('b', '2026-08-30T15:00:00.000Z'), contact('c', '2026-08-30T16:00:00.000Z')],
    });
    expect(workWithEdits(work, [])).toBe(work);
  });

  test('that the service rejects stay as entries, a contact as a line of the notes after what was typed', () => {
    const date = { contact_date: '2026-08-30' };
    const sent = { ...date, notes: 'Sent' };
    expect(rejectedEntries(sent, undefined, { notes: 'Typed' }, 'Saved')).toEqual({
      ...date,
      notes: 'Typed',
    });
    expect(rejectedEntries(sent, undefined, undefined, 'Saved')).toEqual(sent);
    expect(rejectedEntries(sent, 'a', undefined, 'Saved')).toEqual({ ...date, notes: 'Sent\na' });
    expect(rejectedEntries(date, 'a', undefined, 'Saved')).toEqual({ ...date, notes: 'Saved\na' });
    expect(rejectedEntries(undefined, 'b', { notes: 'Typed\na' }, 'Saved')).toEqual({ notes: 'Typed\na\nb' });
    expect(rejectedEntries(date, 'a', { notes: '' }, 'Saved')).toEqual({ ...date, notes: 'a' });
  });
});
