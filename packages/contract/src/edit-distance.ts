/** Damerau-Levenshtein distance (optimal string alignment): swapping two adjacent characters is one edit. */
export function editDistance(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? 0;
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    rows.push(current);
    for (let column = 1; column <= to.length; column++) {
      const substituted = at(row - 1, column - 1) + (from[row - 1] === to[column - 1] ? 0 : 1);
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current.push(
        Math.min(
          substituted,
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          row > 1 && column > 1 && isSwapped ? at(row - 2, column - 2) + 1 : substituted,
        ),
      );
    }
  }
  return at(from.length, to.length);
}
