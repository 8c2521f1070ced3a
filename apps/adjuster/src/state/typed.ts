import { signal } from '@preact/signals';
import { storedContactNotes, storedRejections } from '../data/storage.ts';
import { queuedAnswerTo } from './answers.ts';
import { lists } from './lists.ts';
import { session } from './session.ts';

type Texts<T> = Readonly<Record<string, T>>;

/** Text by claim that is typed and not sent: it survives a closed dialog, a closed page, Undo and a refused answer. */
function createTyped<Text>(stored: {
  read(): Promise<Texts<Text> | undefined>;
  update(change: (before: Texts<Text> | undefined) => Texts<Text>): Promise<unknown>;
}) {
  const texts = signal<Texts<Text>>({});
  const without = (before: Texts<Text>, ids: readonly string[]): Texts<Text> =>
    Object.fromEntries(Object.entries(before).filter(([id]) => !ids.includes(id)));
  session.onForget.push(() => {
    texts.value = {};
  });
  return {
    texts,
    /** Undefined removes what is typed. */
    keep(ids: readonly string[], text: Text | undefined): void {
      const added = text === undefined ? {} : Object.fromEntries(ids.map((id) => [id, text]));
      const change = (before: Texts<Text> = {}): Texts<Text> => ({ ...without(before, ids), ...added });
      texts.value = change(texts.value);
      void stored.update(change).catch(() => {});
    },
    async restore(): Promise<void> {
      const before = await stored.read().catch(() => undefined);
      // What was typed while this was loading is newer.
      texts.value = { ...before, ...texts.value };
    },
  };
}

export const typedRejections = createTyped(storedRejections);
export const typedNotes = createTyped(storedContactNotes);

export const restoreTyped = (): Promise<unknown> =>
  Promise.all([typedRejections.restore(), typedNotes.restore()]);

// A reason is needed until its offer has ended, however it ended.
lists.onCurrent.push(() => {
  const open = new Set(lists.offers.value?.map(({ id }) => id));
  const ended = Object.keys(typedRejections.texts.value).filter(
    (id) => !open.has(id) && queuedAnswerTo(id) === undefined,
  );
  if (ended.length > 0) typedRejections.keep(ended, undefined);
});
