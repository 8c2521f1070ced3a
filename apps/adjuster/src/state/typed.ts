import { signal } from '@preact/signals';

type Texts<T> = Readonly<Record<string, T>>;

/** Text by claim that is typed and not sent: it survives a closed dialog, a closed page, Undo and a refused answer. */
export function createTyped<Text>(stored: {
  read(): Promise<Texts<Text> | undefined>;
  update(change: (before: Texts<Text> | undefined) => Texts<Text>): Promise<unknown>;
}) {
  const texts = signal<Texts<Text>>({});
  const without = (before: Texts<Text>, ids: readonly string[]): Texts<Text> =>
    Object.fromEntries(Object.entries(before).filter(([id]) => !ids.includes(id)));
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
    forget(): void {
      texts.value = {};
    },
  };
}
