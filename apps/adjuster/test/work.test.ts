import { describe, expect, test } from '@jest/globals';
import {
  changedEntries,
  mergedPending,
  nothingPending,
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
    const pending = mergedPending(nothingPending('SVC-1'), {
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
    const sent = mergedPending(nothingPending('SVC-1'), {
      entries: { notes: 'First' },
      contacts: [contact('a', '1')],
    });
    const later = mergedPending(sent, { entries: { notes: 'First and second' }, close: true });
    const afterEntries = remainingPending(later, { entries: { notes: 'First' } });
    expect(afterEntries).toMatchObject({ entries: { notes: 'First and second' }, close: true });
    const afterContact = remainingPending(sent, { entries: sent.entries, contacts: sent.contacts });
    expect(afterContact).toBeUndefined();
    expect(remainingPending(later, { entries: later.entries, contacts: later.contacts })).toMatchObject({
      close: true,
    });
    expect(remainingPending(later, later)).toBeUndefined();
  });
});
