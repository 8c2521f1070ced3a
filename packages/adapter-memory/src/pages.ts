import type { KeysetPosition, Page, PageRequest } from '@svc/application';

/** Text in the order of its code points, which is the order of its UTF-8 bytes: what a database does without a locale. */
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

/** The rows of one page, in the order of their places. */
export function toPage<R>(rows: readonly R[], place: (row: R) => KeysetPosition, page: PageRequest): Page<R> {
  const { after, limit } = page;
  const sorted = rows
    .map((row) => ({ row, at: place(row) }))
    .filter(({ at }) => after === null || comparePositions(at, after) > 0)
    .sort((one, other) => comparePositions(one.at, other.at));
  const shown = sorted.slice(0, limit);
  const last = shown.at(-1);
  return {
    rows: shown.map(({ row }) => row),
    next: last !== undefined && sorted.length > limit ? last.at : null,
  };
}
