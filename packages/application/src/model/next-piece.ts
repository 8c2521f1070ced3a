/**
 * Awaited before each piece of long work: resolves when the piece may run, so that requests of others run in between, and
 * rejects once nobody waits for the result.
 */
export type NextPiece = () => Promise<void>;

/** For work that delays nobody, such as a command of the operator. */
export const AT_ONCE: NextPiece = async () => {};
