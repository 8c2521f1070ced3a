/** All rows of what is read in pages. */
export async function* inPages<Row, Position>(
  read: (after: Position | null) => Promise<readonly Row[]>,
  positionOf: (row: Row) => Position,
): AsyncGenerator<Row> {
  for (let after: Position | null = null; ; ) {
    const rows = await read(after);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    after = positionOf(last);
  }
}
