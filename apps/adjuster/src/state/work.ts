import { computed, effect, type ReadonlySignal, untracked } from '@preact/signals';
import type { AppClaim } from '@svc/contract';
import type { Toasts } from '@svc/web-app/toasts';
import type { createFormat } from '../format.ts';
import {
  baseKey,
  type ContactEntry,
  hasEntries,
  rejectedEntries,
  type WorkEntries,
  workWithEdits,
} from '../model/work-edits.ts';
import { canCancel, type Entry, type WorkContent } from '../outbox/entry.ts';
import { afterLogging, afterUndo } from '../outbox/notes.ts';
import type { Texts } from '../texts/en.ts';
import type { AppOutbox } from './outbox.ts';
import { createTyped, type Typed, type TypedStore, unless } from './typed.ts';

type Edit = Entry<WorkContent>;
export type Edits = Pick<WorkContent, 'entries' | 'base' | 'contact'>;

/**
 * What is typed on claims. An entry stays typed until the service has saved it, so nothing is lost on the way, whichever tab
 * sends it; what the service does not accept is added to what is typed.
 */
export function createDrafts(deps: {
  readonly storeOf: (claimId: string) => TypedStore<string>;
  readonly texts: ReadonlySignal<Texts>;
  readonly format: Pick<ReturnType<typeof createFormat>, 'dateTime'>;
  readonly toasts: Pick<Toasts, 'showToast'>;
  readonly savedNotes: (claimId: string) => string | undefined;
}) {
  const drafts = new Map<string, Typed<string>>();
  function of(claimId: string): Typed<string> {
    const known = drafts.get(claimId);
    if (known !== undefined) return known;
    const draft = createTyped(deps.storeOf(claimId));
    drafts.set(claimId, draft);
    void draft.read();
    return draft;
  }
  /** Claims whose entries were saved together with those of another device. */
  const merged = new Set<string>();
  const contactLine = ({ at, result, note }: ContactEntry): string => {
    const words = deps.texts.value.contactResults;
    return `${deps.format.dateTime(at)}: ${words[result] ?? result}${note === undefined ? '' : ` · ${note}`}`;
  };
  return {
    of,
    contactLine,
    /** The service has saved these entries; what was typed since stays, and was made from them. */
    async saved(claimId: string, entries: WorkEntries): Promise<void> {
      const draft = of(claimId);
      await draft.read();
      const { value: typed } = draft.texts;
      await draft.change(
        Object.entries(entries).flatMap(([field, text]) => {
          const isTypedSince = typed[field] !== undefined && typed[field] !== text;
          return [
            [field, unless(text)],
            [baseKey(field), () => (isTypedSince ? text : undefined)],
          ] as const;
        }),
      );
    },
    /** Adds edits that the service rejected to what is typed on the claim. */
    keep: ({ key, entries, base = {}, contact }: WorkContent): Promise<void> =>
      of(key).change([
        ...rejectedEntries(entries, contact && contactLine(contact), deps.savedNotes(key)),
        ...Object.entries(base).map(
          ([field, before]) => [baseKey(field), (known: string | undefined) => known ?? before] as const,
        ),
      ]),
    merged(claimId: string): void {
      merged.add(claimId);
      deps.toasts.showToast(() => deps.texts.value.merged);
    },
    /** Whether it was said since the last call that entries of another device were there, too. */
    takeMerged: (claimId: string): boolean => merged.delete(claimId),
    store: () => Promise.all([...drafts.values()].map((draft) => draft.store())),
    /** Another tab has changed what is typed on a claim. */
    readChanged: (claimId: string): void => void drafts.get(claimId)?.read(),
    forget(): void {
      for (const draft of drafts.values()) draft.forget();
      drafts.clear();
      merged.clear();
    },
  };
}

/** The adjuster's own entries on accepted claims. */
export function createWork(outbox: AppOutbox, notes: Typed<string>) {
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
    async save(
      key: string,
      changed: WorkEntries,
      close: boolean,
      base: WorkEntries = {},
    ): Promise<'saved' | 'waiting' | 'rejected'> {
      const contents: WorkContent[] = [
        ...(hasEntries(changed) ? [{ kind: 'work', key, entries: changed, base } as const] : []),
        ...(close ? [{ kind: 'work', key, close } as const] : []),
      ];
      const ids = await outbox.add(contents);
      await outbox.send();
      // Another sending, such as one of another tab, may have been first.
      if (await outbox.isRefused(ids)) return 'rejected';
      return unsent(key).some(({ id }) => ids.includes(id)) ? 'waiting' : 'saved';
    },

    /**
     * Stores an entry of the contact log, which can be undone for a time. Its note leaves the field once it is stored or, on
     * a full disk, sent. Returns the id to undo it by.
     */
    async logContact(key: string, edits: Edits, undoMs: number): Promise<string | undefined> {
      const [id] = await outbox.add([{ kind: 'work', key, ...edits }], undoMs);
      const { note } = edits.contact ?? {};
      const forget = (): void => {
        if (note !== undefined) void notes.change([[key, (typed) => afterLogging(note, typed) || undefined]]);
      };
      if (outbox.isStored()) forget();
      else {
        const stop = effect(() => {
          if (unsent(key).some((edit) => edit.id === id)) return;
          untracked(forget);
          queueMicrotask(() => stop());
        });
      }
      void outbox.send().catch(() => {});
      return id;
    },

    isUndoable: (claimId: string, id: string | undefined): boolean =>
      unsent(claimId).some((edit) => edit.id === id && canCancel(edit, Date.now())),

    /** False when the entry of the contact log may have arrived. */
    async undoContact(claimId: string, id: string): Promise<boolean> {
      const note = unsent(claimId).find((edit) => edit.id === id)?.contact?.note;
      if ((await outbox.cancel([id])).late > 0) return false;
      if (note !== undefined) void notes.change([[claimId, (typed) => afterUndo(note, typed)]]);
      return true;
    },
  };
}
