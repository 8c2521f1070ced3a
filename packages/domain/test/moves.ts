import { DomainError } from '../src/index.ts';

/** What a table of statuses and actions expects, by `status × action`. */
export function expectedMoves(table: string): ReadonlyMap<string, string> {
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

/** The code of the refusal that the work ends in; null when it is not refused. */
export function refusalOf(work: () => unknown): string | null {
  try {
    work();
    return null;
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
}
