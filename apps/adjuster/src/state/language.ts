import { computed, effect, signal } from '@preact/signals';
import { storage } from '../data/storage.ts';
import { deviceLanguage, isLanguage, LANGUAGES, type Language } from '../texts/language.ts';

const STORAGE_KEY = 'language';

function storedChoice(): Language | 'device' {
  const stored = localStorage.getItem(STORAGE_KEY);
  return isLanguage(stored) ? stored : 'device';
}

export const languageChoice = signal<Language | 'device'>(storedChoice());
export const language = computed<Language>(() =>
  languageChoice.value === 'device' ? deviceLanguage() : languageChoice.value,
);
export const texts = computed(() => LANGUAGES[language.value]);

export function chooseLanguage(choice: Language | 'device'): void {
  languageChoice.value = choice;
  localStorage.setItem(STORAGE_KEY, choice);
}

effect(() => {
  document.documentElement.lang = language.value;
  // The service worker cannot read localStorage.
  void storage.put('language', language.value).catch(() => {});
});
