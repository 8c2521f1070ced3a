import type { Texts } from './en.ts';
import type { MoreTexts } from './en-more.ts';

export const LANGUAGE_NAMES = { en: 'English', es: 'Español' } as const;
export type Language = keyof typeof LANGUAGE_NAMES;
const LOCALES: Readonly<Record<Language, string>> = { en: 'en-US', es: 'es-PR' };

/** English is loaded in two parts, the first one with the app; another language is loaded whole where it is shown. */
export const OTHER_LANGUAGES: Readonly<Record<Exclude<Language, 'en'>, () => Promise<Texts & MoreTexts>>> = {
  es: async () => (await import('./es.ts')).es,
};

export const isLanguage = (value: unknown): value is Language =>
  typeof value === 'string' && Object.hasOwn(LANGUAGE_NAMES, value);

/** The first of the device's languages that is supported. */
export function deviceLanguage(): Language {
  const wanted = navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase());
  return wanted.find(isLanguage) ?? 'en';
}

export const localeOf = (language: Language): string => LOCALES[language];
