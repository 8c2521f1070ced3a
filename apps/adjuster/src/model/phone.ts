interface DialableNumber {
  /** For `tel:` and `sms:` links: digits, with a leading + where the country is known. */
  readonly number: string;
  /** Digits to dial after the call is answered. */
  readonly extension?: string;
}

const EXTENSION =
  /^(.*?\d.*?)\s*(?:[,;#]+|(?:[;,]?\s*ext(?:ension|n)?\b[.=:]?)|(?<=[\d\s).])x\.?)\s*(\d{1,7})\s*$/i;

/** Letters on a US telephone keypad: 2 is ABC, and so on to 9, WXYZ. */
const KEYS = '22233344455566677778889999';
const keyOf = (letter: string): string => KEYS.charAt(letter.toUpperCase().charCodeAt(0) - 65);

/** Reads a phone number as people write it: with punctuation, letters of the keypad, and an extension. */
export function parsePhone(phone: string): DialableNumber {
  const [, main = phone, extension] = EXTENSION.exec(phone) ?? [];
  const digits = main.replace(/[a-z]/gi, keyOf).replace(/\D/g, '');
  const international = main.trim().startsWith('+');
  const number = international
    ? `+${digits}`
    : digits.length === 10
      ? `+1${digits}`
      : digits.length === 11 && digits.startsWith('1')
        ? `+${digits}`
        : digits;
  return extension === undefined ? { number } : { number, extension };
}

/** The comma is a pause, after which the phone dials the extension. */
export function telLink(phone: string): string {
  const { number, extension } = parsePhone(phone);
  return extension === undefined ? `tel:${number}` : `tel:${number},${extension}`;
}

export const smsLink = (phone: string): string => `sms:${parsePhone(phone).number}`;
