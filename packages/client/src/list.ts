import { type ApiPromise, type ApiResponse, apiPromise } from './api-promise.ts';
import { ClaimsConnectionError } from './errors.ts';
import type { CallOptions, Transport } from './transport.ts';
import type { Claim, ClaimFilters, ListPage } from './wire.ts';

/**
 * Awaited, the first page; iterated, the items of all pages, which are fetched as the loop reaches them. Sends nothing
 * before. Each iteration starts from the beginning.
 */
export interface List<Item> extends ApiPromise<ListPage<Item>>, AsyncIterable<Item> {
  /** Each page has its `next_cursor`, with which a later iteration can continue. */
  pages(): AsyncIterable<ListPage<Item>>;
}

export type ListClaims = (filters?: ClaimFilters, options?: CallOptions) => List<Claim>;

export function createList<Item>(
  send: Transport,
  operation: 'listClaims' | 'listAdjusters',
  query: Readonly<Record<string, string | number | undefined>>,
  options: CallOptions | undefined,
): List<Item> {
  const fetchPage = (cursor: typeof query.cursor): ApiPromise<ListPage<Item>> => {
    const response = send<unknown>({ operation, query: { ...query, cursor } }, options).withResponse();
    return apiPromise(response.then((whole) => ({ ...whole, data: pageOf(whole, cursor) })));
  };

  /** Keeps fields that the service adds later. */
  function pageOf({ data: body }: ApiResponse<unknown>, cursor: typeof query.cursor): ListPage<Item> {
    const { data: items, next_cursor: next, ...more } = body as { data?: unknown; next_cursor?: unknown };
    if (!Array.isArray(items)) throw new ClaimsConnectionError('the response is not a page of a list', 1);
    const next_cursor = typeof next === 'string' && next !== '' ? next : null;
    return {
      ...more,
      items,
      next_cursor,
      hasNextPage: next_cursor !== null,
      getNextPage() {
        if (next_cursor === null) throw new TypeError('the last page has no next page: check hasNextPage');
        if (next_cursor === cursor) {
          throw new ClaimsConnectionError('next_cursor is the cursor of the same page', 1);
        }
        return fetchPage(next_cursor);
      },
    };
  }

  async function* pages(): AsyncGenerator<ListPage<Item>, void, undefined> {
    let page = await fetchPage(query.cursor);
    yield page;
    while (page.hasNextPage) {
      page = await page.getNextPage();
      yield page;
    }
  }

  let first: ApiPromise<ListPage<Item>> | undefined;
  const firstPage = () => {
    first ??= fetchPage(query.cursor);
    return first;
  };
  return {
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const page of pages()) yield* page.items;
    },
    // biome-ignore lint/suspicious/noThenProperty: a list is awaited for its first page, which iterating does not fetch
    then: (onPage, onError) => firstPage().then(onPage, onError),
    catch: (onError) => firstPage().catch(onError),
    finally: (onEnd) => firstPage().finally(onEnd),
    withResponse: () => firstPage().withResponse(),
    [Symbol.toStringTag]: 'List',
  };
}
