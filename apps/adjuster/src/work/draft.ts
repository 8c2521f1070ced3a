import type { AppClaim } from '@svc/contract';
import { drafts } from '../app.ts';
import { baseKey, type WorkField } from '../model/work-edits.ts';

/** Entries that the service does not have yet, stored on the device as they are typed. `claim`: with its edits that wait. */
export function useDraft(
  claim: AppClaim,
): [Readonly<Record<string, string>>, (field: WorkField, text: string) => void] {
  const draft = drafts.of(claim.id);
  const enter = (field: WorkField, text: string): void => {
    const base = claim.work[field] ?? '';
    if (draft.texts.value[baseKey(field)] === undefined)
      void draft.change([[baseKey(field), (known) => known ?? base]]);
    draft.keep([field], text);
  };
  return [draft.texts.value, enter];
}
