interface DialableNumber {
  /** For `tel:` and `sms:` links: with its country. */
  readonly number: string;
  /** Digits to dial after the call is answered. */
  readonly extension?: string;
}

const GAP = String.raw`[\s.\-‐-―/]{0,3}`;
const COUNTRY = String.raw`(?:\+?1${GAP})?`;
/** Three, three and four digits, and not a part of a longer or a foreign number. */
const US = new RegExp(
  String.raw`(?<!\d|\+(?!1\D?\(?[2-9])\d{1,3}${GAP}\(?)${COUNTRY}\(?([2-9]\d{2})\)?${GAP}([2-9]\d{2})${GAP}(\d{4})(?!\d)`,
);
/** With letters of the keypad, as toll-free numbers have them: 1-800-FLOODED. */
const TOLL_FREE = new RegExp(
  String.raw`(?<![a-z\d+])${COUNTRY}\(?(8(?:00|33|44|55|66|77|88))\)?${GAP}((?:[a-z\d][-. ]?){6}[a-z\d])(?![a-z\d])`,
  'i',
);
const FOREIGN = /^\s*\+([02-9](?:[\s().-]{0,3}\d){7,22})(?!\d)/;
/** Directly after the number. After a comma it may be the start of another number. */
const EXTENSION =
  /^(?:\.0+)?\s*(?:(?:[,;#]*\s*(?:#|ext(?:ension|n)?\b[.=:]?|x\.?))\s*(\d{1,7})(?!\d)|[,;]\s*(\d{1,7})(?!\d|[-. )‐-―]{1,2}\d))/i;

/** Letters on a US telephone keypad: 2 is ABC, and so on to 9, WXYZ. */
const KEYS = '22233344455566677778889999';
const keyOf = (letter: string): string => KEYS.charAt(letter.toUpperCase().charCodeAt(0) - 65);

/**
 * The number that a text has, as people and spreadsheets write it: the first whole US number with its extension, or a foreign
 * one that starts with + and its country. Null: there is none that could be dialed.
 */
export function parsePhone(text: string): DialableNumber | null {
  const us = US.exec(text) ?? TOLL_FREE.exec(text);
  const found = us ?? FOREIGN.exec(text);
  if (found === null) return null;
  const digits = found.slice(1).join('').replace(/[a-z]/gi, keyOf).replace(/\D/g, '');
  const number = us === null ? `+${digits}` : `+1${digits}`;
  const [, marked, extension = marked] = EXTENSION.exec(text.slice(found.index + found[0].length)) ?? [];
  return extension === undefined ? { number } : { number, extension };
}

/** The comma is a pause, after which the phone dials the extension. Undefined: there is no number to dial. */
export function telLink(text: string): string | undefined {
  const found = parsePhone(text);
  if (found === null) return undefined;
  return found.extension === undefined ? `tel:${found.number}` : `tel:${found.number},${found.extension}`;
}

export function smsLink(text: string): string | undefined {
  const found = parsePhone(text);
  return found === null ? undefined : `sms:${found.number}`;
}
