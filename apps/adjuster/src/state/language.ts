import { computed, effect, type ReadonlySignal } from '@preact/signals';
import type { KeyValue } from '@svc/web-app/choices';
import { createLanguage } from '@svc/web-app/language';
import type { Language } from '@svc/web-app/texts/languages';
import type { Storage } from '../data/storage.ts';
import { en, type Texts } from '../texts/en.ts';

export function createAppLanguage(deps: {
  readonly choices: KeyValue;
  readonly storage: Storage;
  readonly deviceLanguage: () => Language;
  /** False: nothing may be called saved. */
  readonly isStored: ReadonlySignal<boolean>;
}) {
  const others = { es: async () => (await import('../texts/es.ts')).es };
  const chosen = createLanguage({ ...deps, others });
  const texts = computed<Texts>(() => {
    const words = chosen.loadedTexts.value ?? en;
    return deps.isStored.value ? words : withoutStorage(words);
  });

  effect(() => void store(chosen.language.value).catch(() => {}));

  /** The service worker reads it. A write at each start would make the reading of the lists wait. */
  async function store(shown: Language): Promise<void> {
    if ((await deps.storage.get('language')) !== shown) await deps.storage.put('language', shown);
  }

  return { ...chosen, texts };
}

const withoutStorage = (words: Texts): Texts => {
  const { waits } = words.notStored;
  return {
    ...words,
    claim: { ...words.claim, queuedAccept: waits, queuedReject: waits },
    offers: { ...words.offers, queuedMore: waits, queuedCount: () => waits },
  };
};
