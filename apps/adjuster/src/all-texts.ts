import { computed } from '@preact/signals';
import { isStored, loadedTexts, texts } from './app.ts';
import type { Texts } from './texts/en.ts';
import { enMore, type MoreTexts } from './texts/en-more.ts';

/** All texts, for what is loaded when it is opened. */
export const allTexts = computed<Texts & MoreTexts>(() => {
  const more: MoreTexts = loadedTexts.value ?? enMore;
  const words = { ...more, ...texts.value };
  if (isStored.value) return words;
  const { waits } = words.notStored;
  return { ...words, work: { ...words.work, savedOffline: waits, closesLater: waits } };
});
