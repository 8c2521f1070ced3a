import { countThatFits, type KeysetPosition, type Page, type PageRequest } from '@svc/application';

/** Code point order, equal to UTF-8 byte order: that of PostgreSQL's C collation. */
export function compareText(one: string, other: string): number {
  const [a, b] = [Array.from(one), Array.from(other)];
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const difference = (a[i]?.codePointAt(0) ?? 0) - (b[i]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

const comparePositions = (one: KeysetPosition, other: KeysetPosition): number =>
  one.at - other.at || compareText(one.id, other.id);

/** The rows of one page, in keyset order. */
export function toPage<R>(
  rows: readonly R[],
  positionOf: (row: R) => KeysetPosition,
  page: PageRequest,
  bytesOf: (row: R) => number,
): Page<R> {
  const { after } = page;
  const sorted = rows
    .map((row) => ({ row, position: positionOf(row) }))
    .filter(({ position }) => after === null || comparePositions(position, after) > 0)
    .sort((one, other) => comparePositions(one.position, other.position));
  const selected = sorted.slice(
    0,
    countThatFits(sorted, page, ({ row }) => bytesOf(row)),
  );
  const last = selected.at(-1);
  return {
    rows: selected.map(({ row }) => row),
    next: last !== undefined && sorted.length > selected.length ? last.position : null,
  };
}
