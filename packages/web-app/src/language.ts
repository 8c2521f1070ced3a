import { computed, signal } from '@preact/signals';
import type { KeyValue } from './choices.ts';
import { isLanguage, type Language } from './texts/languages.ts';

const STORAGE_KEY = 'language';

/**
 * The language that is shown: English, which is part of the first load, until the texts of another one are loaded.
 * @param others languages other than English, which have all their texts in one file
 */
export function createLanguage<Loaded>(deps: {
  readonly choices: KeyValue;
  readonly deviceLanguage: () => Language;
  readonly others: Readonly<Record<Exclude<Language, 'en'>, () => Promise<Loaded>>>;
}) {
  const stored = deps.choices.read(STORAGE_KEY);
  const choice = signal<Language | 'device'>(isLanguage(stored) ? stored : 'device');
  const loaded = signal<Partial<Record<Language, Loaded>>>({});
  const wanted = computed<Language>(() => (choice.value === 'device' ? deps.deviceLanguage() : choice.value));
  const language = computed<Language>(() => (loaded.value[wanted.value] === undefined ? 'en' : wanted.value));

  async function load(): Promise<void> {
    const name = wanted.value;
    if (name === 'en' || loaded.value[name] !== undefined) return;
    const found = await deps.others[name]();
    loaded.value = { ...loaded.value, [name]: found };
  }

  return {
    choice,
    language,
    /** Undefined while English is shown. */
    loadedTexts: computed(() => loaded.value[language.value]),
    load,
    choose(next: Language | 'device'): void {
      choice.value = next;
      deps.choices.write(STORAGE_KEY, next);
      void load().catch(() => {});
    },
  };
}
