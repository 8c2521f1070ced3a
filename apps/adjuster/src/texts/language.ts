import { en, type Texts } from './en.ts';
import { es } from './es.ts';

export const LANGUAGES = { en, es } as const satisfies Record<string, Texts>;
export type Language = keyof typeof LANGUAGES;
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', es: 'Español' };
const LOCALES: Readonly<Record<Language, string>> = { en: 'en-US', es: 'es-PR' };

export const isLanguage = (value: unknown): value is Language =>
  typeof value === 'string' && Object.hasOwn(LANGUAGES, value);

/** The first of the device's languages that is supported. */
export function deviceLanguage(): Language {
  const wanted = navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase());
  return wanted.find(isLanguage) ?? 'en';
}

export const localeOf = (language: Language): string => LOCALES[language];
