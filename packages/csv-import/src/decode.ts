export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** The file as a whole is not CSV. The message says what to change. */
export class UnreadableCsv extends Error {
  override readonly name = 'UnreadableCsv';
}

/** A byte order mark, or in UTF-16 without one the zero beside the first letter. */
export function markedEncoding([first, second, third]: Uint8Array): Encoding | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if ((first === 0xff && second === 0xfe) || second === 0) return 'utf-16le';
  return (first === 0xfe && second === 0xff) || first === 0 ? 'utf-16be' : undefined;
}

/**
 * A file in the encoding that is named, or else in the one that it shows: UTF-16, valid UTF-8, or else Windows-1252, which
 * spreadsheets write.
 */
export function decode(bytes: Uint8Array, named?: Encoding): { text: string; encoding: Encoding } {
  const wanted = named ?? markedEncoding(bytes);
  const encodings = wanted === undefined ? (['utf-8', 'windows-1252'] as const) : [wanted];
  for (const encoding of encodings) {
    const text = encoding === 'windows-1252' ? windows1252(bytes) : unicodeText(bytes, encoding);
    if (text !== null) return { text, encoding };
  }
  throw new UnreadableCsv(
    `The file is ${wanted === undefined ? 'neither UTF-8 nor Windows-1252' : `not ${wanted}`}. Save it as "CSV UTF-8".`,
  );
}

function unicodeText(bytes: Uint8Array, encoding: Encoding): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** The characters of the bytes from 0x80 to 0x9f; a space: none. Node 20 decodes this encoding as ISO 8859-1. */
const WINDOWS_1252 = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';

function windows1252(bytes: Uint8Array): string | null {
  let text = '';
  for (const byte of bytes) {
    const character = byte < 0x80 || byte > 0x9f ? String.fromCharCode(byte) : WINDOWS_1252[byte - 0x80];
    if (character === undefined || (character === ' ' && byte !== 0x20)) return null;
    text += character;
  }
  return text;
}
