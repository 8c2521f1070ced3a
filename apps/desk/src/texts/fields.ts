import { FIELD_PATHS } from '@svc/csv-import/in-page';
import { fieldLabel } from './field-names.ts';

/** Longer ones first, of which others are parts. A path of one plain word may be a word of the text. */
const PATHS = new RegExp(
  `(?<![\\w.])(?:${FIELD_PATHS.filter((path) => /[._]/.test(path))
    .toSorted((one, other) => other.length - one.length)
    .map((path) => path.replaceAll('.', '\\.'))
    .join('|')})(?![\\w.]\\w)`,
  'g',
);

/** A text with the names of fields in words. */
export const withLabels = (text: string, names: Readonly<Record<string, string>>): string =>
  text.replace(PATHS, (path) => `“${fieldLabel(path.split('.'), names)}”`);
