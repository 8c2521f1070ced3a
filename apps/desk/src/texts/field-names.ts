import type { Language } from '@svc/web-app/texts/languages';
import { type FieldNames, fieldNamesEn } from './fields-en.ts';
import { fieldNamesEs } from './fields-es.ts';

/** Not among the texts, which are part of the first load: only screens that are loaded later show them. */
export const FIELD_NAMES: Readonly<Record<Language, FieldNames>> = { en: fieldNamesEn, es: fieldNamesEs };
