import { describe, expect, test } from '@jest/globals';
import {
  changedEntries,
  rejectedEntries,
  requestBody,
  type WorkEntries,
  workWithEdits,
} from '../src/model/work-edits.ts';

const contact = (id: string, at: string) => ({ id, at, result: 'no_answer' as const });

describe('own edits', () => {
  test('are those that differ from what is saved, and an empty one clears its field', () => {
    const changed = changedEntries(
      { notes: '', contact_date: '2026-08-30', inspection_date: '' },
      { version: 'v1', notes: 'Old', contact_date: '2026-08-30' },
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
