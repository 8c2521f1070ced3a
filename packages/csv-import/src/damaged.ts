import { invisibleCharacter } from '@svc/contract';
import type { ClaimField } from './fields.ts';
import { FORMULA_WITHOUT_VALUE } from './read-workbook.ts';

// What spreadsheets and programs write in place of a value, or make of one.

/** In any language, such as `#¡VALOR!`. */
const ERRORS =
  /^(?:#{2,}|#(?:N\/A|N\/D|N\/V|GETTING_DATA)|#[¡¿]?[\p{L}\d/]{2,20}[!?]|Err:\d{3}|Loading\.{3})$/iu;
/** Excel takes `3-10` and `SEP2` for days. */
const DAY =
  /^(?:\d{1,2}-(?:JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC|ENE|ABR|AGO|DIC)|(?:JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC|ENE|ABR|AGO|DIC)-\d{2}|(?:0?[1-9]|[12]\d|3[01])\/(?:0?[1-9]|[12]\d|3[01])\/(?:19|20)\d{2}|\d{4}-\d{2}-\d{2}(?: 00:00:00)?)$/i;
const WITH_THOUSANDS = /^\d{1,3}(?:,\d{3})+(?:\.0+)?$/;
const HTML_ENTITY = /&(?:#\d{2,6}|#x[\da-f]{2,6}|[a-z]{2,8}\d{0,2});/i;
/** As programs write a letter that their encoding does not have. */
const LOST_LETTER = /\p{L}\?\p{L}/u;
/** As programs write them. `Null` and `Nan` are names, too. */
const PLACEHOLDERS =
  /^(?:nan|NaN|-nan|null|none|None|nil|undefined|NaT|nat|<NA>|<null>|\(null\)|\(blank\)|\\N|n\/a|N\/A|\[object \w+\])$/;
const UPPER_CASE_PLACEHOLDERS = /^(?:NULL|NAN|NONE|NIL|UNDEFINED|NAT)$/;
/** In the place of another name, it is none. */
const ANY_CASE_PLACEHOLDERS = /^(?:nan|null|none|nil|undefined|nat|n\/a)$/i;
const SCIENTIFIC = /^[+-]?\d+(?:[.,]\d+)?E[+-]\d+$/i;
const DECIMAL = /^\d+[.,]0$/;
/** UTF-8 that was read as another encoding, and characters that no encoding has. */
const MISREAD = /\ufffd|[ÃÂ][\u0080-\u00bf]|â€|ï»¿/;

const FORMULA = 'Is a formula, not its value. Save the file with values.';

const PHONES = new Set(['phone', 'alternate_phone']);
const NAMES = new Set(['first_name', 'last_name']);
export const lastPart = (path: string): string => path.slice(path.lastIndexOf('.') + 1);

/** @param otherName the first name beside a last name, or the other way round. */
export function damage(field: ClaimField, text: string, otherName: string): string | null {
  if (text === FORMULA_WITHOUT_VALUE) return FORMULA;
  if (MISREAD.test(text))
    return 'Has characters that were damaged when the file was saved. Save it again as "CSV UTF-8".';
  if (ERRORS.test(text)) return `Is an error of a spreadsheet (${shown(text)}), not a value.`;
  if (field.isLong || field.kind === 'choice' || field.kind === 'date') return null;
  if (text.startsWith('=')) return FORMULA;
  if (HTML_ENTITY.test(text) || LOST_LETTER.test(text))
    return `Has characters that were damaged when the file was made (${shown(text)}).`;
  if (field.kind !== 'number' && !/[\p{L}\p{N}]/u.test(text))
    return `Is ${shown(text)}, which has no letter and no digit.`;
  if (isPlaceholder(field, text, otherName)) return `Is ${shown(text)}, which stands for a missing value.`;
  if (SCIENTIFIC.test(text))
    return `Is a rounded number (${shown(text)}). Format the column as text, and enter the digits again.`;
  if (field.kind === 'number') return null;
  if (DECIMAL.test(text))
    return `Is a number with decimals (${shown(text)}). Format the column as text, and remove them.`;
  if (field.isIdentifier && WITH_THOUSANDS.test(text))
    return `Is a number with separators (${shown(text)}). Format the column as text, and remove them.`;
  if (field.isIdentifier && DAY.test(text))
    return `Is a day (${shown(text)}), which spreadsheets make of other text. Format the column as text, and enter it again.`;
  if ((field.isIdentifier || PHONES.has(lastPart(field.path))) && text.startsWith("'"))
    return 'Starts with an apostrophe, which spreadsheets hide. Remove it.';
  const invisible = invisibleCharacter(text.replace(/ /g, ''));
  const isAllowed = invisible === null || (invisible === 'U+00A0' && !field.isIdentifier);
  // A line break has a problem that says more.
  return isAllowed || /[\r\n]/.test(text)
    ? null
    : `Must not contain invisible characters, such as ${invisible} here.`;
}

function isPlaceholder({ path }: ClaimField, text: string, otherName: string): boolean {
  if (PLACEHOLDERS.test(text)) return true;
  if (!NAMES.has(lastPart(path))) return UPPER_CASE_PLACEHOLDERS.test(text);
  if (!ANY_CASE_PLACEHOLDERS.test(text)) return false;
  // People are named Null and Nan, and some files have every name in capitals.
  if (otherName === '' || ANY_CASE_PLACEHOLDERS.test(otherName)) return true;
  return UPPER_CASE_PLACEHOLDERS.test(text) && otherName !== otherName.toUpperCase();
}

const shown = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text);
