import type { ListPage, PageOptions } from '@svc/client';
import type { Environment } from './environment.ts';
import { colorsFor, createTable, jsonDocument, jsonLine } from './output.ts';

/** The largest page of the API. */
const PAGE_SIZE = 200;

export interface ListOptions {
  readonly limit?: number;
  readonly all?: boolean;
  readonly cursor?: string;
  readonly json?: boolean;
}

/** Without --limit or --all; a firm may have a million claims. */
export const DEFAULT_LIMIT = 100;

/** Prints the first items in one document, or with --all every page as it arrives. */
export async function printList<Item>(
  name: 'claims' | 'adjusters',
  fetchPage: (page: PageOptions) => PromiseLike<ListPage<Item>>,
  row: (item: Item) => Readonly<Record<string, unknown>>,
  { limit, all = false, json = false, cursor }: ListOptions,
  { stdout, stderr, env }: Environment,
  isShown: (item: Item) => boolean = () => true,
): Promise<void> {
  const toLines = createTable(colorsFor(stdout, env), stdout.isTTY);
  const writeRows = (rows: readonly Item[]): void => {
    const lines = json ? rows.map(jsonLine) : toLines(rows.map(row)).map((line) => `${line}\n`);
    stdout.write(lines.join(''));
  };
  const max = all ? Number.POSITIVE_INFINITY : (limit ?? DEFAULT_LIMIT);
  const data: Item[] = [];
  let count = 0;
  let isHiding = false;
  let next_cursor: string | null = cursor ?? null;
  do {
    const missing = max - count;
    const fetchItems = (limit: number) => fetchPage({ limit, cursor: next_cursor ?? undefined });
    let page = await fetchItems(isHiding ? PAGE_SIZE : Math.min(missing, PAGE_SIZE));
    let items = page.items.filter(isShown);
    // Thousands in a row may be hidden, so pages of what is missing would take as many requests.
    isHiding ||= items.length < page.items.length;
    const last = items[missing - 1];
    if (last !== undefined && last !== page.items.at(-1)) {
      // So that the cursor is that of the last item that is shown.
      page = await fetchItems(page.items.indexOf(last) + 1);
      items = page.items.filter(isShown);
    }
    count += items.length;
    next_cursor = page.next_cursor;
    if (!all) data.push(...items);
    else if (items.length > 0) writeRows(items);
  } while (next_cursor !== null && count < max);
  if (json && !all) stdout.write(jsonDocument({ data, next_cursor }));
  if (!json && count === 0) stdout.write(`No ${name}.\n`);
  else if (!json && !all) writeRows(data);
  if (next_cursor !== null && limit === undefined) {
    stderr.write(`claims: these are the first ${max} ${name}; for more use --limit, for all use --all\n`);
  }
}
