import { computed } from '@preact/signals';
import type { AppClaim } from '@svc/contract';
import { hasEntries, type WorkEntries, workWithEdits } from '../model/work-edits.ts';
import { canCancel, type Entry, type WorkContent } from '../outbox/entry.ts';
import { cancelEntries, entries, outbox, readOutbox, sendOutbox } from './outbox.ts';

type Edit = Entry<WorkContent>;
export type Edits = Pick<WorkContent, 'entries' | 'contact'>;

const edits = computed(() => entries.value.filter((entry): entry is Edit => entry.kind === 'work'));

/** Own edits of a claim that the service has not confirmed. */
export const unsentWork = (claimId: string): readonly Edit[] =>
  edits.value.filter(({ key }) => key === claimId);

/** The claim with the adjuster's edits that are still on the device. */
export const withOwnEdits = (claim: AppClaim): AppClaim => ({
  ...claim,
  work: workWithEdits(claim.work, unsentWork(claim.id)),
});

/** Stores edits on the device and sends them, now or when there is a network. */
export async function saveWork(
  key: string,
  changed: WorkEntries,
  close: boolean,
): Promise<'saved' | 'waiting' | 'rejected'> {
  const contents: WorkContent[] = [
    ...(hasEntries(changed) ? [{ kind: 'work', key, entries: changed } as const] : []),
    ...(close ? [{ kind: 'work', key, close } as const] : []),
  ];
  const ids = new Set(await outbox.add(contents));
  const { dropped } = await sendOutbox();
  if (dropped.some((id) => ids.has(id))) return 'rejected';
  return unsentWork(key).some(({ id }) => ids.has(id)) ? 'waiting' : 'saved';
}

/** Stores an entry of the contact log, which can be undone for a time. Returns the id to undo it by. */
export async function logContact(key: string, edits: Edits, undoMs: number): Promise<string | undefined> {
  const [id] = await outbox.add([{ kind: 'work', key, ...edits }], undoMs);
  await (undoMs > 0 ? readOutbox() : sendOutbox());
  return id;
}

export const isWorkUndoable = (claimId: string, id: string | undefined): boolean =>
  unsentWork(claimId).some((edit) => edit.id === id && canCancel(edit, Date.now()));

/** False when the edits may have arrived. */
export const undoWork = async (id: string): Promise<boolean> => (await cancelEntries([id])) === 0;
