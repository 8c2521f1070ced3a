import { type KeysetPosition, type Page, type PageRequest, toPage } from '@svc/application';

/** Code point order, equal to UTF-8 byte order: that of PostgreSQL's C collation. */
export function compareText(one: string, other: string): number {
  const [a, b] = [Array.from(one), Array.from(other)];
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const difference = (a[i]?.codePointAt(0) ?? 0) - (b[i]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

const compare = (one: KeysetPosition, other: KeysetPosition): number =>
  one.at - other.at || compareText(one.id, other.id);

/** The rows of one page, in keyset order. */
export function pageAfter<R>(
  rows: readonly R[],
  positionOf: (row: R) => KeysetPosition,
  page: PageRequest,
  bytesOf: (row: R) => number,
): Page<R> {
  const isAfter = (row: R): boolean => page.after === null || compare(positionOf(row), page.after) > 0;
  const sorted = rows.filter(isAfter).sort((one, other) => compare(positionOf(one), positionOf(other)));
  return toPage(sorted, page, positionOf, bytesOf);
}
