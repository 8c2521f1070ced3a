import type { Environment } from './environment.ts';
import { colorsFor, createTable, jsonDocument, jsonLine } from './output.ts';

/** The largest page of the API. */
const PAGE_SIZE = 200;

export interface ListOptions {
  readonly limit?: number;
  readonly all?: boolean;
  readonly json?: boolean;
}

/** Without --limit or --all; a firm may have a million claims. */
export const DEFAULT_LIMIT = 100;

/** One more than is printed, which tells whether there are more. */
export const pageSize = ({ limit = DEFAULT_LIMIT, all }: ListOptions): number =>
  all ? PAGE_SIZE : Math.min(limit + 1, PAGE_SIZE);

/** Prints the first items in one document, or with --all every item as its page arrives. */
export async function printList<Item>(
  name: 'claims' | 'adjusters',
  items: AsyncIterable<Item>,
  row: (item: Item) => Readonly<Record<string, unknown>>,
  { limit, all = false, json = false }: ListOptions,
  { stdout, stderr, env }: Environment,
): Promise<void> {
  const toLines = createTable(colorsFor(stdout, env));
  const writeRows = (rows: readonly Item[]): void => {
    stdout.write(
      json
        ? rows.map(jsonLine).join('')
        : toLines(rows.map(row))
            .map((line) => `${line}\n`)
            .join(''),
    );
  };
  const max = all ? Number.POSITIVE_INFINITY : (limit ?? DEFAULT_LIMIT);
  let pending: Item[] = [];
  let count = 0;
  let hasMore = false;
  try {
    for await (const item of items) {
      hasMore = count === max;
      if (hasMore) break;
      count += 1;
      pending.push(item);
      if (!all || pending.length < PAGE_SIZE) continue;
      writeRows(pending);
      pending = [];
    }
  } finally {
    // What arrived before an error or Ctrl-C is printed too.
    if (all && pending.length > 0) writeRows(pending);
  }
  if (json && !all) stdout.write(jsonDocument({ [name]: pending, has_more: hasMore }));
  if (!json && count === 0) stdout.write(`No ${name}.\n`);
  else if (!json && !all) writeRows(pending);
  if (hasMore && limit === undefined) {
    stderr.write(`claims: these are the first ${max} ${name}; for more use --limit, for all use --all\n`);
  }
}
