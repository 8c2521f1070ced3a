export const LANGUAGE_NAMES = { en: 'English', es: 'Español' } as const;
export type Language = keyof typeof LANGUAGE_NAMES;
const LOCALES: Readonly<Record<Language, string>> = { en: 'en-US', es: 'es-PR' };

export const isLanguage = (value: unknown): value is Language =>
  typeof value === 'string' && Object.hasOwn(LANGUAGE_NAMES, value);

/** The first of the device's languages that is supported. */
export function deviceLanguage(): Language {
  const wanted = navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase());
  return wanted.find(isLanguage) ?? 'en';
}

export const localeOf = (language: Language): string => LOCALES[language];
