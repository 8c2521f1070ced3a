declare const ascii: unique symbol;

/**
 * JSON text, or a part of it, in ASCII only; all other characters are escaped.
 *
 * Claims are stored and sent in this form. A single character beyond Latin-1 makes V8 store the whole page in two bytes
 * per character, and joining and encoding such a page costs ten times as much. Its length in bytes is known without a look
 * at the text, which V8 would copy for it.
 */
export type AsciiJson = string & { readonly [ascii]: true };

/** The same JSON text in ASCII: what another writer has stored is not escaped. */
export const inAscii = (json: string): AsciiJson =>
  (Buffer.byteLength(json) === json.length ? json : escaped(json)) as AsciiJson;

const escaped = (json: string): string =>
  json.replace(/[\u0080-\uffff]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });

export const asciiJson = (value: unknown): AsciiJson => inAscii(JSON.stringify(value));
