/** One attack: what must hold, and what was seen. */
export interface Finding {
  readonly attack: string;
  readonly bound: string;
  readonly observed: string;
  readonly holds: boolean;
}

/** Runs `work` for all items, at most `width` at a time. */
export async function inParallel<T, R>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++)
      results[index] = await work(items[index] as T);
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane));
  return results;
}

/** The service holds 128 MB of unread responses and 96 MB of bodies; the rest is the memory of a busy process. */
export const MAX_GROWTH_BYTES = 350 * 2 ** 20;
