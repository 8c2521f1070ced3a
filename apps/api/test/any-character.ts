import fc from 'fast-check';

/** Not fast-check's `unit: 'binary'` or `'grapheme'`, which first build maps of up to a million entries. */
export const anyCharacter = fc.nat({ max: 0x10ffff }).map((point) => String.fromCodePoint(point));
