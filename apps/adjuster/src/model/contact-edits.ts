import type { AppClaim, LIMITS } from '@svc/contract';
import { type ContactResult, MAX_CONTACTS } from '@svc/domain';
import type { WorkContent } from '../outbox/entry.ts';

export const MAX_CONTACT_NOTE_LENGTH: (typeof LIMITS)['contactNote']['max'] = 500;

const DATE_FIELDS: Partial<Record<ContactResult, 'contact_date' | 'inspection_date'>> = {
  reached: 'contact_date',
  inspected: 'inspection_date',
};

/** An entry of the contact log; why there is none: the log is full, or the note too long. */
export function contactEdits(
  work: AppClaim['work'],
  made: { readonly id: string; readonly at: string; readonly result: ContactResult },
  note: string,
  today: string,
): Pick<WorkContent, 'entries' | 'base' | 'contact'> | 'full' | 'long' {
  if ((work.contacts ?? []).length >= MAX_CONTACTS) return 'full';
  // The field itself does not limit a note to which an undone one was added.
  if (note.length > MAX_CONTACT_NOTE_LENGTH) return 'long';
  // The first one also sets the date, which the forms print.
  const { [made.result]: field } = DATE_FIELDS;
  const isFirst = field !== undefined && work[field] === undefined;
  return {
    contact: { ...made, ...(note !== '' && { note }) },
    ...(isFirst && { entries: { [field]: today }, base: { [field]: '' } }),
  };
}
