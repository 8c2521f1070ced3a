import { DomainError } from '../src/index.ts';

/** Expected outcomes of a table, by `status × action`. */
export function parseTransitions(table: string): ReadonlyMap<string, string> {
  const [header = [], ...lines] = table
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  return new Map(
    lines.flatMap(([status, ...cells]) =>
      cells.map((cell, i) => [`${status} × ${header[i]}`, cell] as const),
    ),
  );
}

/** Code of the DomainError thrown by `work`, which must also have a text; null when it throws none. */
export function codeThrownBy(work: () => unknown): string | null {
  try {
    work();
    return null;
  } catch (error) {
    if (error instanceof DomainError && /^\w.{10,}\.$/.test(error.message)) return error.code;
    throw error;
  }
}
