import { drafts } from '../app.ts';
import type { WorkEntries, WorkField } from '../model/work-edits.ts';

/** Entries that the service does not have yet, stored on the device as they are typed. */
export function useDraft(claimId: string): [WorkEntries, (field: WorkField, text: string) => void] {
  const draft = drafts.of(claimId);
  return [draft.texts.value, (field, text) => draft.keep([field], text)];
}
