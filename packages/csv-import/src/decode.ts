export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'macintosh', 'ibm850'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** The file as a whole is not CSV. The message says what to change. */
export class UnreadableCsv extends Error {
  override readonly name = 'UnreadableCsv';
}

/** Its bytes are text in more than one encoding: a person sees which one is right. */
export class UncertainEncoding extends UnreadableCsv {
  constructor(readonly samples: readonly { readonly encoding: Encoding; readonly sample: string }[]) {
    const shown = samples.map(({ encoding, sample }) => `${encoding} (${sample})`).join(', ');
    super(`The encoding is not certain. Choose the one with the right text: ${shown}.`);
  }
}

/** A byte order mark, or in UTF-16 without one the zero beside the first letter. */
export function markedEncoding([first, second, third]: Uint8Array): Encoding | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if ((first === 0xff && second === 0xfe) || second === 0) return 'utf-16le';
  return (first === 0xfe && second === 0xff) || first === 0 ? 'utf-16be' : undefined;
}

/** What a page holds in memory. */
export const MAX_CHARACTERS = 20_000_000;

/** A ZIP file, also an empty one. */
export const isWorkbook = ([first, second, third]: Uint8Array): boolean =>
  first === 0x50 && second === 0x4b && (third === 3 || third === 5);

const OLD_OFFICE_FILE = '\xd0\xcf\x11\xe0';
const OTHER_FILES: readonly (readonly [start: string, what: string])[] = [
  [OLD_OFFICE_FILE, 'an old Excel workbook (.xls)'],
  ['%PDF', 'a PDF file'],
  ['{\\rtf', 'a Word document'],
];
export const HAS_PASSWORD =
  'The workbook has a password. Remove it in your spreadsheet program, and save it again.';

/** Others have text, too, which is not their rows. */
export function rejectOtherFiles(bytes: Uint8Array): void {
  const start = String.fromCharCode(...bytes.subarray(0, 512));
  const isPage = /^\s*(<!doctype html|<html|<table|<\?xml)/i.test(start.replace(/^\xef\xbb\xbf/, ''));
  const [first, what] =
    OTHER_FILES.find(([one]) => start.startsWith(one)) ?? (isPage ? ['', 'a web page or XML'] : []);
  if (what === undefined) return;
  if (first === OLD_OFFICE_FILE && new TextDecoder('utf-16le').decode(bytes).includes('EncryptedPackage'))
    throw new UnreadableCsv(HAS_PASSWORD);
  throw new UnreadableCsv(
    `This is ${what}. Open it in your spreadsheet program, and save it as "Excel Workbook (.xlsx)" or "CSV UTF-8".`,
  );
}

/**
 * A file in the encoding that is named, or else in the one that it shows: UTF-16, UTF-8, or the only one of the others in
 * which its words are plausible. Bytes that are wrong in a file that otherwise is UTF-8 become U+FFFD, in their rows alone.
 * @throws UncertainEncoding when it shows none, or more than one.
 */
export function decode(bytes: Uint8Array, named?: Encoding): { text: string; encoding: Encoding } {
  rejectOtherFiles(bytes);
  const encoding = named ?? markedEncoding(bytes) ?? shownEncoding(bytes);
  const text = textIn(encoding, bytes, named === undefined && encoding === 'utf-8');
  if (text !== null) return { text, encoding };
  throw new UnreadableCsv(`The file is not ${encoding}. Save it as "CSV UTF-8".`);
}

function shownEncoding(bytes: Uint8Array): Encoding {
  if (unicodeText(bytes, 'utf-8') !== null) return 'utf-8';
  const binary = latin1(bytes);
  // Two bytes that are one letter in UTF-8 are hardly ever two in another encoding.
  if (UTF_8_LETTER.test(binary)) return 'utf-8';
  const words = [...new Set(binary.match(FOREIGN_WORDS) ?? [])];
  const possible = SINGLE_BYTE.filter((encoding) => words.every((word) => isText(decoded(word, encoding))));
  const plausible = possible.filter((encoding) =>
    words.every((word) => isPlausible(decoded(word, encoding))),
  );
  const [one, ...others] = plausible;
  if (one !== undefined && others.length === 0) return one;
  const shown = plausible.length > 0 ? plausible : possible;
  // Words that differ show which is right, and any word whether the only one is.
  const differing = words.filter(
    (word) => shown.length === 1 || new Set(shown.map((encoding) => decoded(word, encoding))).size > 1,
  );
  throw new UncertainEncoding(
    shown.map((encoding) => ({
      encoding,
      sample: differing
        .slice(0, 3)
        .map((word) => decoded(word, encoding))
        .join(' · '),
    })),
  );
}

function textIn(encoding: Encoding, bytes: Uint8Array, mayBeDamaged: boolean): string | null {
  if (isSingleByte(encoding)) {
    const text = decoded(latin1(bytes), encoding);
    return isText(text) ? text : null;
  }
  return unicodeText(bytes, encoding) ?? (mayBeDamaged ? new TextDecoder(encoding).decode(bytes) : null);
}

function unicodeText(bytes: Uint8Array, encoding: Encoding): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Each byte as the character of its number. */
function latin1(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 8192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return text;
}

const UTF_8_LETTER = /[\xc3-\xcb][\x80-\xbf]|\xe2[\x80-\x84][\x80-\xbf]/;
const FOREIGN_WORDS = /[A-Za-z]{0,20}[\x80-\xff][A-Za-z\x80-\xff]{0,20}/g;

/** The characters from 0x80 on; a space: none. Not every version of Node decodes them. */
const UPPER_HALF = {
  'windows-1252':
    '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ\u00a0¡¢£¤¥¦§¨©ª«¬\u00ad®¯°±²³´µ¶·¸¹º»¼½¾¿' +
    'ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ',
  macintosh:
    'ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø' +
    '¿¡¬√ƒ≈∆«»…\u00a0ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ',
  ibm850:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐' +
    '└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0',
} as const satisfies Partial<Record<Encoding, string>>;
type SingleByte = keyof typeof UPPER_HALF;
const SINGLE_BYTE: readonly SingleByte[] = ['windows-1252', 'macintosh', 'ibm850'];
const isSingleByte = (encoding: Encoding): encoding is SingleByte => encoding in UPPER_HALF;

const decoded = (binary: string, encoding: SingleByte): string =>
  binary.replace(/[\x80-\xff]/g, (byte) => {
    const character = UPPER_HALF[encoding][byte.charCodeAt(0) - 0x80];
    return character === undefined || character === ' ' ? NONE : character;
  });
const NONE = '\ufffd';
const isText = (text: string): boolean => !text.includes(NONE);

/** Of names and places in the US. With others, most bytes would be a letter in some encoding. */
const LETTERS = 'áâäãåçéèêëíîïñóôöøúûüýÿæœß';
const LOWER = new RegExp(`[a-z${LETTERS}]`, 'u');
const UPPER = new RegExp(`[A-Z${LETTERS.toUpperCase().replace('SS', '')}]`, 'u');
const PUNCTUATION = /[\u00a0‘’“”–—…•·½¼¾°®©™€§¿¡º´]/u;

/** Whether each foreign character is a letter in the case of its neighbors, or punctuation where it may stand. */
function isPlausible(word: string): boolean {
  const isLetter = (one: string): boolean => LOWER.test(one) || UPPER.test(one);
  return [...word].every((character, n) => {
    if (character <= '\x7f') return true;
    const [before = '', after = ''] = [word[n - 1], word[n + 1]];
    if (isLetter(character) && !isLetter(before) && !isLetter(after)) return false;
    // Within a word, only with capitals to its end.
    if (UPPER.test(character)) return !isLetter(before) || !LOWER.test(before + word.slice(n));
    if (LOWER.test(character)) return !UPPER.test(after) && !/[A-Z]{2}$/.test(word.slice(0, n));
    if (!PUNCTUATION.test(character)) return false;
    // Between letters, apostrophes, and dashes of two names.
    if (!isLetter(before) || !isLetter(after)) return true;
    return (
      /[’\u00a0]/u.test(character) || (/[–—]/u.test(character) && UPPER.test(after) && LOWER.test(before))
    );
  });
}
