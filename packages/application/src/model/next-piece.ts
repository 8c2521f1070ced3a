/**
 * Awaited before each piece of long work: resolves when the piece may run, so that requests of others run in between, and
 * rejects once nobody waits for the result.
 * @returns whether the time of the request is not over: else work returns what it has, and at least one piece of it.
 */
export type NextPiece = () => Promise<boolean>;

/** For work that delays nobody, such as a command of the operator. */
export const AT_ONCE: NextPiece = async () => true;

/** Whether a page that has read so many rows may read another piece: it is bounded by `most` and by the time of the request. */
export const mayReadOn = async (nextPiece: NextPiece, read: number, most: number): Promise<boolean> =>
  read < most && ((await nextPiece()) || read === 0);
