import { ClaimsConnectionError } from './errors.ts';
import type { CallOptions, Transport } from './transport.ts';
import type { Claim, ClaimFilters, Page } from './wire.ts';

/** A list that reads itself as it is walked: item by item, or page by page. Each walk begins anew. */
export interface List<Item> extends AsyncIterable<Item> {
  /** With each page's `next_cursor`, from which a later walk can go on. */
  pages(): AsyncIterable<Page<Item>>;
}

export type ListClaims = (filters?: ClaimFilters, options?: CallOptions) => List<Claim>;

export function createList<Item>(
  send: Transport,
  operation: 'listClaims' | 'listAdjusters',
  query: Readonly<Record<string, string | number | undefined>>,
  options: CallOptions | undefined,
): List<Item> {
  async function* pages(): AsyncGenerator<Page<Item>, void, undefined> {
    let cursor = query.cursor;
    for (;;) {
      const page = pageOf<Item>(await send({ operation, query: { ...query, cursor } }, options));
      yield page;
      if (page.next_cursor === null) return;
      if (page.next_cursor === cursor) {
        throw new ClaimsConnectionError('a page that leads to itself: the list would never end', 1);
      }
      cursor = page.next_cursor;
    }
  }
  return {
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const page of pages()) yield* page.data;
    },
  };
}

/** Whatever else a page may come to hold, it goes through. */
function pageOf<Item>(body: unknown): Page<Item> {
  const page = body as Partial<Page<Item>>;
  if (!Array.isArray(page.data)) throw new ClaimsConnectionError('an answer that is no page of a list', 1);
  const { next_cursor: next } = page;
  return { ...page, data: page.data, next_cursor: typeof next === 'string' && next !== '' ? next : null };
}
