import { computed, effect, signal } from '@preact/signals';
import { storage } from '../data/storage.ts';
import { en, type Texts } from '../texts/en.ts';
import { deviceLanguage, isLanguage, type Language, TEXTS } from '../texts/language.ts';
import { isStored } from './stored.ts';

const STORAGE_KEY = 'language';

function storedChoice(): Language | 'device' {
  try {
    const stored = localStorage.getItem(STORAGE_KEY);
    return isLanguage(stored) ? stored : 'device';
  } catch {
    return 'device'; // the browser stores nothing for this page
  }
}

export const languageChoice = signal<Language | 'device'>(storedChoice());

const loaded = signal<Partial<Record<Language, Texts>>>({ en });
const wanted = computed<Language>(() =>
  languageChoice.value === 'device' ? deviceLanguage() : languageChoice.value,
);
/** The language that is shown: English until the texts of another one are loaded. */
export const language = computed<Language>(() =>
  loaded.value[wanted.value] === undefined ? 'en' : wanted.value,
);
export const texts = computed<Texts>(() => {
  const words = loaded.value[language.value] ?? en;
  return isStored.value ? words : withoutStorage(words);
});

/** Nothing may be called saved where the browser stores nothing. */
const withoutStorage = (words: Texts): Texts => ({
  ...words,
  claim: { ...words.claim, queuedAccept: words.notStored.waits, queuedReject: words.notStored.waits },
  offers: { ...words.offers, queuedMore: words.notStored.waits, queuedCount: () => words.notStored.waits },
  work: { ...words.work, savedOffline: words.notStored.waits, closesLater: words.notStored.waits },
});

export async function loadLanguage(): Promise<void> {
  const name = wanted.value;
  if (loaded.value[name] !== undefined) return;
  const found = await TEXTS[name]();
  loaded.value = { ...loaded.value, [name]: found };
}

export function chooseLanguage(choice: Language | 'device'): void {
  languageChoice.value = choice;
  try {
    localStorage.setItem(STORAGE_KEY, choice);
  } catch {}
  void loadLanguage().catch(() => {});
}

effect(() => {
  document.documentElement.lang = language.value;
  void storeLanguage(language.value).catch(() => {});
});

/** The service worker cannot read localStorage. A write at each start would make the reading of the lists wait. */
async function storeLanguage(shown: Language): Promise<void> {
  if ((await storage.get('language')) !== shown) await storage.put('language', shown);
}
