import { computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import type { Storage } from '../data/storage.ts';
import { en, type Texts } from '../texts/en.ts';
import type { MoreTexts } from '../texts/en-more.ts';
import { isLanguage, type Language, OTHER_LANGUAGES } from '../texts/language.ts';
import type { KeyValue } from './preferences.ts';

const STORAGE_KEY = 'language';

export function createLanguage(deps: {
  readonly choices: KeyValue;
  readonly storage: Storage;
  readonly deviceLanguage: () => Language;
  /** False: nothing may be called saved. */
  readonly isStored: ReadonlySignal<boolean>;
}) {
  const stored = deps.choices.read(STORAGE_KEY);
  const choice = signal<Language | 'device'>(isLanguage(stored) ? stored : 'device');
  /** Languages other than English, which have all their texts in one file. */
  const loaded = signal<Partial<Record<Language, Texts & MoreTexts>>>({});
  const wanted = computed<Language>(() => (choice.value === 'device' ? deps.deviceLanguage() : choice.value));
  /** The language that is shown: English until the texts of another one are loaded. */
  const language = computed<Language>(() => (loaded.value[wanted.value] === undefined ? 'en' : wanted.value));
  const loadedTexts = computed(() => loaded.value[language.value]);
  const texts = computed<Texts>(() => {
    const words = loadedTexts.value ?? en;
    return deps.isStored.value ? words : withoutStorage(words);
  });

  async function load(): Promise<void> {
    const name = wanted.value;
    if (name === 'en' || loaded.value[name] !== undefined) return;
    const found = await OTHER_LANGUAGES[name]();
    loaded.value = { ...loaded.value, [name]: found };
  }

  effect(() => void store(language.value).catch(() => {}));

  /** The service worker reads it. A write at each start would make the reading of the lists wait. */
  async function store(shown: Language): Promise<void> {
    if ((await deps.storage.get('language')) !== shown) await deps.storage.put('language', shown);
  }

  return {
    choice,
    language,
    loadedTexts,
    texts,
    load,
    choose(next: Language | 'device'): void {
      choice.value = next;
      deps.choices.write(STORAGE_KEY, next);
      void load().catch(() => {});
    },
  };
}

const withoutStorage = (words: Texts): Texts => {
  const { waits } = words.notStored;
  return {
    ...words,
    claim: { ...words.claim, queuedAccept: waits, queuedReject: waits },
    offers: { ...words.offers, queuedMore: waits, queuedCount: () => waits },
  };
};
