export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** The file as a whole is not CSV. The message says what to change. */
export class UnreadableCsv extends Error {
  override readonly name = 'UnreadableCsv';
}

/** A byte order mark, or in UTF-16 without one the zero beside the first letter. */
function markedEncoding([first, second, third]: Uint8Array): Encoding | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if ((first === 0xff && second === 0xfe) || second === 0) return 'utf-16le';
  return (first === 0xfe && second === 0xff) || first === 0 ? 'utf-16be' : undefined;
}

/**
 * A file in the encoding that is named, or else in the one that it shows: UTF-16, valid UTF-8, or else Windows-1252, which
 * spreadsheets write. What no encoding fits is found by `rejectUnreadable`, also in another process.
 */
export function decode(bytes: Uint8Array, named?: Encoding): { text: string; encoding: Encoding } {
  const wanted = named ?? markedEncoding(bytes);
  const encoding = wanted ?? 'utf-8';
  if (encoding === 'windows-1252') return { text: windows1252(bytes), encoding };
  try {
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes), encoding };
  } catch {
    if (wanted === undefined) return { text: windows1252(bytes), encoding: 'windows-1252' };
    throw new UnreadableCsv(`The file is not ${wanted}. Save it as "CSV UTF-8".`);
  }
}

/** Bytes that Windows-1252 does not have, as `decode` leaves them. */
export function rejectUnreadable(text: string): void {
  if (/[\u0080-\u009f]/.test(text))
    throw new UnreadableCsv('The file is neither UTF-8 nor Windows-1252. Save it as "CSV UTF-8".');
}

/** The characters of the bytes from 0x80 to 0x9f; a space: none. Node 20 decodes this encoding as ISO 8859-1. */
const WINDOWS_1252 = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';

function windows1252(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) {
    const character = WINDOWS_1252[byte - 0x80] ?? ' ';
    text += character === ' ' ? String.fromCharCode(byte) : character;
  }
  return text;
}
