/**
 * JSON text in ASCII alone; everything else is escaped, which means the same to every reader.
 *
 * Claims are kept and answered so. A single character beyond Latin-1 makes the engine hold the whole page it is
 * part of in two bytes a character, and joining and encoding such a page costs ten times as much.
 */
export const asciiJson = (value: unknown): string => {
  if (typeof value === 'string' && PLAIN.test(value)) return `"${value}"`;
  return JSON.stringify(value).replace(/[\u007f-\uffff]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
};

/** Most ids and names: nothing in them has to be escaped. */
const PLAIN = /^[ !#-[\]-~]*$/;
