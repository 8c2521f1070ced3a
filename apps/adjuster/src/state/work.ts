import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { AppClaim } from '@svc/contract';
import type { Storage } from '../data/storage.ts';
import type { createFormat } from '../format.ts';
import {
  type ContactEntry,
  hasEntries,
  rejectedEntries,
  type WorkEntries,
  workWithEdits,
} from '../model/work-edits.ts';
import { canCancel, type Entry, type WorkContent } from '../outbox/entry.ts';
import type { Texts } from '../texts/en.ts';
import type { AppOutbox } from './outbox.ts';

type Edit = Entry<WorkContent>;
export type Edits = Pick<WorkContent, 'entries' | 'contact'>;

/** What the service does not accept becomes typed text again. */
export function createDrafts(
  storage: Storage,
  texts: ReadonlySignal<Texts>,
  { dateTime }: Pick<ReturnType<typeof createFormat>, 'dateTime'>,
) {
  /** Changes when entries that the service rejected were added to the stored drafts. */
  const rejections = signal(0);
  const contactLine = ({ at, result, note }: ContactEntry): string =>
    `${dateTime(at)}: ${texts.value.contactResults[result] ?? result}${note === undefined ? '' : ` · ${note}`}`;
  return {
    rejections,
    contactLine,
    /** Adds edits that the service rejected to what is typed on the claim. */
    async keep({ key, entries, contact }: WorkContent): Promise<void> {
      const [typed, accepted] = [await storage.get(`draft:${key}`), await storage.get('accepted')];
      const saved = accepted?.find(({ id }) => id === key)?.work.notes;
      const line = contact && contactLine(contact);
      await storage.put(`draft:${key}`, rejectedEntries(entries, line, typed, saved));
      rejections.value += 1;
    },
  };
}

/** The adjuster's own entries on accepted claims. */
export function createWork(outbox: AppOutbox) {
  const edits = computed(() => outbox.entries.value.filter((entry) => entry.kind === 'work'));
  /** Own edits of a claim that the service has not confirmed. */
  const unsent = (claimId: string): readonly Edit[] => edits.value.filter(({ key }) => key === claimId);

  return {
    unsent,
    /** The claim with the adjuster's edits that are still on the device. */
    withOwnEdits: (claim: AppClaim): AppClaim => ({
      ...claim,
      work: workWithEdits(claim.work, unsent(claim.id)),
    }),

    /** Stores edits on the device and sends them, now or when there is a network. */
    async save(key: string, changed: WorkEntries, close: boolean): Promise<'saved' | 'waiting' | 'rejected'> {
      const contents: WorkContent[] = [
        ...(hasEntries(changed) ? [{ kind: 'work', key, entries: changed } as const] : []),
        ...(close ? [{ kind: 'work', key, close } as const] : []),
      ];
      const ids = await outbox.add(contents);
      await outbox.send();
      // Another sending, such as one after the lists were read, may have been first.
      if (ids.some(outbox.isRejected)) return 'rejected';
      return unsent(key).some(({ id }) => ids.includes(id)) ? 'waiting' : 'saved';
    },

    /** Stores an entry of the contact log, which can be undone for a time. Returns the id to undo it by. */
    async logContact(key: string, entry: Edits, undoMs: number): Promise<string | undefined> {
      const [id] = await outbox.add([{ kind: 'work', key, ...entry }], undoMs);
      if (undoMs === 0) await outbox.send();
      return id;
    },

    isUndoable: (claimId: string, id: string | undefined): boolean =>
      unsent(claimId).some((edit) => edit.id === id && canCancel(edit, Date.now())),

    /** False when the edits may have arrived. */
    undo: async (id: string): Promise<boolean> => (await outbox.cancel([id])) === 0,
  };
}
