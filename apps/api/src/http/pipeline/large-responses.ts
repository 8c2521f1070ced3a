import type { ServerResponse } from 'node:http';
import { Unavailable } from '@svc/application';
import type { AsciiJson } from '../serialization/ascii-json.ts';

/** Smaller responses are not limited; pages of claims are usually larger. */
const LARGE_BYTES = 64 * 2 ** 10;
/** Per firm, adjuster or address: about a hundred average pages of claims, or sixteen of the largest. */
const MAX_UNREAD_BYTES = 32 * 2 ** 20;

const tooMuchUnread = (): Unavailable => new Unavailable('The caller does not read its responses.', 'memory');

export interface LargeResponses {
  /**
   * Called before a list is read, because that takes several times the memory of its response.
   * @throws Unavailable when the reader has left half of the limit unread.
   */
  checkReader(reader: string): void;
  /**
   * Sends the whole response with `response.statusCode`.
   * @param headers names and values in turn, without `Content-Length`.
   * @param reader the firm, adjuster or address; null: a write, which is committed and always gets its response.
   * @throws Unavailable when the reader has left too much unread.
   */
  end(
    response: ServerResponse,
    headers: readonly string[],
    reader: string | null,
    body: AsciiJson | Buffer,
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

    end(response, headers, reader, body) {
      const bytes = body.length;
      const isLarge = bytes >= LARGE_BYTES;
      if (isLarge && reader !== null) {
        check(reader, bytes);
        // The connection may have closed while the request was processed.
        if (!response.closed) {
          add(reader, bytes);
          response.once('close', () => add(reader, -bytes));
        }
      }
      response.writeHead(response.statusCode, [...headers, 'Content-Length', String(bytes)]);
      // Large text becomes a Buffer: its bytes are outside of V8's heap, and their size makes V8 free the text sooner.
      const sent = isLarge && typeof body === 'string' ? Buffer.from(body, 'latin1') : body;
      const { socket } = response;
      if (isLarge || socket === null || socket.writableLength > 0) {
        response.end(sent, 'latin1');
        return;
      }
      // Text is one write with its head, which takes less processor time: `end` adds an empty one, and node writes a list.
      socket.cork();
      // ASCII as latin1 needs no encoding step: saves 28 µs of a page.
      response.write(sent, 'latin1');
      socket.uncork();
      response.end();
    },
  };
}
