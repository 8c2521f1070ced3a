/**
 * JSON text in ASCII only; all other characters are escaped.
 *
 * Claims are stored and sent in this form. A single character beyond Latin-1 makes V8 store the whole page in two bytes
 * per character, and joining and encoding such a page costs ten times as much.
 */
export const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[\u007f-\uffff]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
