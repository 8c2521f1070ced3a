import { createHmac, timingSafeEqual } from 'node:crypto';
import type { KeysetPosition } from '@svc/application';

/** The list a cursor belongs to; it is invalid for any other. */
export interface CursorScope {
  readonly list: string;
  /** The firm and environment, or the adjuster. */
  readonly reader: string;
  /** The filters of the first page, as compared (times in milliseconds). */
  readonly filters: Readonly<Record<string, string | number | undefined>>;
}

const MAC_LENGTH = 16;

/** Ids that need no encoding in a URL: UUIDs and most SVCIDs. */
const PLAIN_ID = /^[\w-]+$/;
const CODE_POINT_BITS = 21n;
const CODE_POINT_MASK = (1n << CODE_POINT_BITS) - 1n;

/** Encodes other ids as 21-bit code points: in UTF-8, 128 characters of four bytes would exceed the cursor length. */
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

/** Creates opaque, signed cursors. The signature covers list, reader and filters. */
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
    /** Returns null for anything but a cursor that this service wrote for this list. */
    read(cursor: string, scope: CursorScope): KeysetPosition | null {
      const [payload, signature, ...rest] = cursor.split('.');
      if (payload === undefined || signature === undefined || rest.length > 0) return null;
      // Compared as text, since base64 has several spellings of the same bytes.
      const [given, expected] = [Buffer.from(signature), Buffer.from(mac(payload, scope))];
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
      const separator = payload.indexOf('~');
      return { at: Number(payload.slice(0, separator)), id: idFromText(payload.slice(separator + 1)) };
    },
  };
}

export type Cursors = ReturnType<typeof createCursors>;
