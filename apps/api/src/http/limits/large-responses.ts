import type { ServerResponse } from 'node:http';
import { Unavailable } from '@svc/application';
import { createUsage } from './usage.ts';

/** Smaller responses are not limited; pages of claims are usually larger. */
export const LARGE_BYTES = 64 * 2 ** 10;
/** Per firm, adjuster or address: about a hundred average pages of claims, or sixteen of the largest. */
const MAX_UNREAD_BYTES = 32 * 2 ** 20;

export interface LargeResponses {
  /**
   * Called before a list is read, because that takes several times the memory of its response.
   * @throws Unavailable when the reader has left half of the limit unread.
   */
  checkReader(reader: string): void;
  /**
   * Called before the response is sent; counts it until the connection has taken it.
   * @param reader null: a write, which is committed and always gets its response.
   * @throws Unavailable when the reader has left too much unread.
   */
  count(response: ServerResponse, reader: string | null, bytes: number): void;
}

/**
 * Limits how much of large responses a firm, adjuster or address may leave unread: a client that requests many and reads none
 * would fill the memory faster than its connections are closed.
 */
export function createLargeResponses(maxUnreadBytes = MAX_UNREAD_BYTES): LargeResponses {
  const unread = createUsage<string>();
  /** A single response may be larger than the limit. */
  const check = (reader: string, bytes: number): void => {
    if (unread.of(reader) > 0 && unread.of(reader) + bytes > maxUnreadBytes)
      throw new Unavailable('The caller does not read its responses.', 'memory');
  };
  return {
    checkReader: (reader) => check(reader, maxUnreadBytes / 2),

    count(response, reader, bytes) {
      if (bytes < LARGE_BYTES || reader === null) return;
      check(reader, bytes);
      // The connection may have closed while the request was processed.
      if (response.closed) return;
      unread.add(reader, bytes);
      response.once('close', () => unread.add(reader, -bytes));
    },
  };
}
