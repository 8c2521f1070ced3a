import { createHmac, timingSafeEqual } from 'node:crypto';
import type { KeysetPosition } from '@svc/application';

/** Whose list a cursor walks, and which: it is of no use for any other. */
export interface CursorScope {
  readonly list: string;
  /** The firm and environment, or the adjuster. */
  readonly reader: string;
  /** The filters of the first page, as compared (times in milliseconds). */
  readonly filters: Readonly<Record<string, string | number | undefined>>;
}

const MAC_LENGTH = 16;

/** Ids that may stand in a URL as they are: uuids, and SVCIDs as they usually come. */
const PLAIN_ID = /^[\w-]+$/;
const CODE_POINT_BITS = 21n;
const CODE_POINT_MASK = (1n << CODE_POINT_BITS) - 1n;

/** Any other id goes by code points, packed: 128 characters of four bytes each would outgrow a cursor in base64. */
function idToText(id: string): string {
  if (PLAIN_ID.test(id)) return id;
  let bits = 1n;
  for (const character of id) bits = (bits << CODE_POINT_BITS) | BigInt(character.codePointAt(0) ?? 0);
  const hex = bits.toString(16);
  return `~${Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex').toString('base64url')}`;
}

function idFromText(text: string): string {
  if (!text.startsWith('~')) return text;
  let bits = BigInt(`0x${Buffer.from(text.slice(1), 'base64url').toString('hex')}`);
  const characters: string[] = [];
  for (; bits > 1n; bits >>= CODE_POINT_BITS) {
    characters.push(String.fromCodePoint(Number(bits & CODE_POINT_MASK)));
  }
  return characters.reverse().join('');
}

/** Opaque, signed page positions. The signature covers reader and filters. */
export function createCursors(secret: Uint8Array) {
  const mac = (payload: string, scope: CursorScope): string =>
    createHmac('sha256', secret)
      .update(JSON.stringify([scope.list, scope.reader, scope.filters, payload]))
      .digest()
      .subarray(0, MAC_LENGTH)
      .toString('base64url');

  return {
    write(position: KeysetPosition, scope: CursorScope): string {
      const payload = `${position.at}~${idToText(position.id)}`;
      return `${payload}.${mac(payload, scope)}`;
    },
    /** Null for anything this service did not write, to the letter, for this very list. */
    read(cursor: string, scope: CursorScope): KeysetPosition | null {
      const [payload, signature, ...rest] = cursor.split('.');
      if (payload === undefined || signature === undefined || rest.length > 0) return null;
      // The text and not the bytes it stands for: base64 has several spellings of the same bytes.
      const [given, expected] = [Buffer.from(signature), Buffer.from(mac(payload, scope))];
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
      const mark = payload.indexOf('~');
      return { at: Number(payload.slice(0, mark)), id: idFromText(payload.slice(mark + 1)) };
    },
  };
}

export type Cursors = ReturnType<typeof createCursors>;
