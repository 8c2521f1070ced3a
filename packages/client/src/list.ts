import { ClaimsConnectionError } from './errors.ts';
import type { CallOptions, Transport } from './transport.ts';
import type { Claim, ClaimFilters, Page } from './wire.ts';

/** Fetches pages while it is iterated, by item or by page. Each iteration starts from the beginning. */
export interface List<Item> extends AsyncIterable<Item> {
  /** Each page has its `next_cursor`, with which a later iteration can continue. */
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
        throw new ClaimsConnectionError('next_cursor is the cursor of the same page', 1);
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

/** Keeps fields that the service adds later. */
function pageOf<Item>(body: unknown): Page<Item> {
  const page = body as Partial<Page<Item>>;
  if (!Array.isArray(page.data)) throw new ClaimsConnectionError('the response is not a page of a list', 1);
  const { next_cursor: next } = page;
  return { ...page, data: page.data, next_cursor: typeof next === 'string' && next !== '' ? next : null };
}
