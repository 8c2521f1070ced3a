import { signal } from '@preact/signals';

type Texts<T> = Readonly<Record<string, T>>;
type Change<T> = (now: T | undefined) => T | undefined;

/** Where texts are kept on the device. `update` changes them in one transaction; undefined removes them all. */
export interface TypedStore<Text> {
  read(): Promise<Texts<Text> | undefined>;
  update(change: (before: Texts<Text> | undefined) => Texts<Text> | undefined): Promise<unknown>;
}

export type Typed<Text> = ReturnType<typeof createTyped<Text>>;

/**
 * Texts by key that are typed and not sent: they survive a closed dialog, a closed page, Undo and a refused answer. Each is
 * stored by itself, so a tab never replaces what another one has typed elsewhere.
 */
export function createTyped<Text>(stored: TypedStore<Text>) {
  const texts = signal<Texts<Text>>({});
  /** Changes that are not stored yet, or could not be: the page still has them. */
  const unstored = new Map<string, Change<Text>>();
  /** Counts adjusters: what arrives late is not shown to the next one. */
  let owners = 0;

  function changed(before: Texts<Text> = {}, changes: Iterable<readonly [string, Change<Text>]> = unstored) {
    const after: Record<string, Text> = { ...before };
    for (const [key, change] of changes) {
      const text = change(after[key]);
      if (text === undefined) delete after[key];
      else after[key] = text;
    }
    return after;
  }

  async function store(): Promise<void> {
    const [writing, owner] = [[...unstored], owners];
    let after: Texts<Text> = {};
    await stored.update((before) => {
      after = changed(before, writing);
      return Object.keys(after).length > 0 ? after : undefined;
    });
    if (owner !== owners) return;
    for (const [key, change] of writing) if (unstored.get(key) === change) unstored.delete(key);
    texts.value = changed(after);
  }

  const storeQuietly = (): Promise<void> => store().catch(() => {});
  const read = async (): Promise<void> => {
    const owner = owners;
    try {
      const found = await stored.read();
      if (owner === owners) texts.value = changed(found);
    } catch {
      // What is shown stays.
    }
  };

  return {
    texts,
    /** Undefined removes what is typed. */
    keep(keys: readonly string[], text: Text | undefined): void {
      for (const key of keys) unstored.set(key, () => text);
      texts.value = changed(texts.value);
      void storeQuietly();
    },
    /**
     * Changes texts as they are when they are stored, which another tab may have changed. A change may be applied twice.
     * Resolves when it was stored, or could not be.
     */
    change(changes: Iterable<readonly [string, Change<Text>]>): Promise<void> {
      for (const [key, change] of changes) {
        const earlier = unstored.get(key);
        unstored.set(key, earlier === undefined ? change : (now) => change(earlier(now)));
      }
      texts.value = changed(texts.value);
      return storeQuietly();
    },
    /** Reads what an earlier visit, or another tab, has stored. What was typed here and is not stored yet is newer. */
    read,
    /** Tries again what could not be stored. */
    store: async (): Promise<void> => {
      if (unstored.size > 0) await storeQuietly();
    },
    forget(): void {
      owners += 1;
      unstored.clear();
      texts.value = {};
    },
  };
}

/** For `change`: removes a text unless something else was typed since. */
export const unless =
  <Text>(sent: Text): Change<Text> =>
  (now) =>
    now === sent ? undefined : now;
