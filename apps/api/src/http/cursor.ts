import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Position } from '@svc/application';

/** Whose list a cursor walks, and which: it is of no use for any other. */
export interface CursorScope {
  readonly list: string;
  /** The firm and environment, or the adjuster. */
  readonly reader: string;
  /** The filters of the first page, as compared (times in milliseconds). */
  readonly filters: Readonly<Record<string, string | number | undefined>>;
}

const MAC_LENGTH = 16;

/** Opaque, signed page positions. The stamp travels as text; the signature covers reader and filters. */
export function createCursors(secret: Uint8Array) {
  const mac = (payload: string, scope: CursorScope): Buffer =>
    createHmac('sha256', secret)
      .update(JSON.stringify([scope.list, scope.reader, scope.filters, payload]))
      .digest()
      .subarray(0, MAC_LENGTH);

  return {
    write(position: Position, scope: CursorScope): string {
      const payload = Buffer.from(
        JSON.stringify([new Date(position.at).toISOString(), position.id]),
      ).toString('base64url');
      return `${payload}.${mac(payload, scope).toString('base64url')}`;
    },
    /** Null for anything this service did not write for this very list. */
    read(cursor: string, scope: CursorScope): Position | null {
      const [payload, signature, ...rest] = cursor.split('.');
      if (payload === undefined || signature === undefined || rest.length > 0) return null;
      // Compared as text: of the last character, decoding would ignore the bits that stand for nothing.
      const given = Buffer.from(signature);
      const expected = Buffer.from(mac(payload, scope).toString('base64url'));
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
      const [at, id] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as [string, string];
      return { at: Date.parse(at), id };
    },
  };
}

export type Cursors = ReturnType<typeof createCursors>;
