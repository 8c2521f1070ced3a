import { computed, signal } from '@preact/signals';
import { createChoice } from './choice.ts';
import type { KeyValue } from './choices.ts';
import type { Language } from './texts/languages.ts';

export const LANGUAGES = ['device', 'en', 'es'] as const;

/**
 * The language that is shown: English, which is part of the first load, until the texts of another one are loaded.
 * @param others languages other than English, which have all their texts in one file
 */
export function createLanguage<Loaded>(deps: {
  readonly choices: KeyValue;
  readonly deviceLanguage: () => Language;
  readonly others: Readonly<Record<Exclude<Language, 'en'>, () => Promise<Loaded>>>;
}) {
  const { choice, choose } = createChoice(deps.choices, 'language', LANGUAGES);
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
      choose(next);
      void load().catch(() => {});
    },
  };
}
