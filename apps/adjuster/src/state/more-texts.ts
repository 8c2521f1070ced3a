import { computed } from '@preact/signals';
import { MORE_TEXTS, type MoreTexts } from '../texts/more.ts';
import { language } from './language.ts';

export { texts } from './language.ts';

/** Texts of screens that are loaded when they are opened. */
export const moreTexts = computed<MoreTexts>(() => MORE_TEXTS[language.value]);
