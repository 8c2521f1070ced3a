import type { ServerResponse } from 'node:http';
import { Unavailable } from '@svc/application';

/** Pages of usual claims; smaller responses are always sent. */
const LARGE_BYTES = 64 * 2 ** 10;
/** Of one firm, adjuster or address: some hundred pages of usual claims, or six of the largest. */
const MAX_UNREAD_BYTES = 32 * 2 ** 20;

const tooMuchUnread = (): Unavailable => new Unavailable('The caller does not read its responses.', 'memory');

export interface LargeResponses {
  /**
   * Before a list is read, which takes several times the memory of its response.
   * @throws Unavailable when the reader has left half of the limit unread.
   */
  checkReader(reader: string): void;
  /**
   * @param reader who reads it; null: a write, which is committed and always gets its response.
   * @throws Unavailable when the reader has left too much unread.
   */
  end(
    response: ServerResponse,
    reader: string | null,
    body: string | Buffer,
    contentEncoding: string | null,
  ): void;
}

/**
 * Sends responses, and limits how much of large ones a reader may leave unread: a client that requests many and reads none
 * would fill the memory faster than its connections are closed.
 */
export function createLargeResponses(maxUnreadBytes = MAX_UNREAD_BYTES): LargeResponses {
  const unreadBytes = new Map<string, number>();
  const unreadBy = (reader: string): number => unreadBytes.get(reader) ?? 0;
  const add = (reader: string, bytes: number): void => {
    const total = unreadBy(reader) + bytes;
    if (total === 0) unreadBytes.delete(reader);
    else unreadBytes.set(reader, total);
  };
  /** A single response may be larger than the limit. */
  const check = (reader: string, bytes: number): void => {
    const unread = unreadBy(reader);
    if (unread > 0 && unread + bytes > maxUnreadBytes) throw tooMuchUnread();
  };
  return {
    checkReader: (reader) => check(reader, maxUnreadBytes / 2),

    end(response, reader, body, contentEncoding) {
      // Characters are at most as many as bytes; counting those copies the text.
      if (reader !== null && body.length >= LARGE_BYTES) check(reader, body.length);
      const bytes = Buffer.byteLength(body);
      const isLarge = bytes >= LARGE_BYTES;
      if (isLarge && reader !== null) {
        check(reader, bytes);
        // The connection may have failed during the work.
        if (!response.closed) {
          add(reader, bytes);
          response.once('close', () => add(reader, -bytes));
        }
      }
      if (contentEncoding !== null) response.setHeader('Content-Encoding', contentEncoding);
      // ASCII is written as latin1, without an encoding step: saves 28 µs of a page.
      const encoding = bytes === body.length ? 'latin1' : 'utf8';
      // Large text as bytes, which are outside of V8's heap: the text can be collected, and their size makes V8 collect it.
      response.end(isLarge && typeof body === 'string' ? Buffer.from(body, encoding) : body, encoding);
    },
  };
}
