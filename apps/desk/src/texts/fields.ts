import { FIELD_PATHS } from '@svc/csv-import/in-page';

/** The path of a field in words, such as "Loss location: ZIP code". */
export function fieldLabel(path: string, names: Readonly<Record<string, string>>): string {
  const text = path
    .split('.')
    .map((part) => names[part] ?? part)
    .join(': ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

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
  text.replace(PATHS, (path) => `“${fieldLabel(path, names)}”`);
