/**
 * Rows are rendered in chunks; a chunk far from the screen is an empty box of its height. A frame that renders three rows
 * takes nearly as long as one that renders eight, so smaller chunks make more of the frames late.
 */
export const CHUNK_ROWS = 8;

export function chunksOf<Row>(rows: readonly Row[], size: number = CHUNK_ROWS): Row[][] {
  const chunks: Row[][] = [];
  for (let at = 0; at < rows.length; at += size) chunks.push(rows.slice(at, at + size));
  return chunks;
}

/** The height to keep for a chunk: as measured before, or by the average of the rows measured so far. */
export function chunkHeight(
  key: string,
  rows: number,
  measured: ReadonlyMap<string, { readonly height: number; readonly rows: number }>,
  estimatedRowHeight: number,
): number {
  const own = measured.get(key);
  if (own !== undefined && own.rows === rows) return own.height;
  let [height, count] = [0, 0];
  for (const chunk of measured.values()) {
    height += chunk.height;
    count += chunk.rows;
  }
  return rows * (count === 0 ? estimatedRowHeight : height / count);
}

/** Which chunks to render in this frame: all that are on the screen, or else the nearest one within the distance. */
export function chunksToRender<Chunk>(
  waiting: ReadonlyMap<Chunk, number>,
  maxDistancePx = Number.POSITIVE_INFINITY,
): Chunk[] {
  const byDistance = [...waiting]
    .filter(([, distancePx]) => distancePx <= maxDistancePx)
    .sort(([, a], [, b]) => a - b);
  const onScreen = byDistance.filter(([, distancePx]) => distancePx <= 0);
  return (onScreen.length > 0 ? onScreen : byDistance.slice(0, 1)).map(([chunk]) => chunk);
}
