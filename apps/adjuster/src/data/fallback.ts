type Change<T> = (before: T) => T;
const unchanged = <T>(value: T): T => value;

/**
 * A stored value that goes on in memory while the disk is full or fails: nothing that was done is lost to the page. What could
 * not be stored is stored with the next change that can be.
 */
export function withFallback<T, Beside = never>(
  stored: { read(): Promise<T>; update(change: Change<T>, beside: Change<Beside>): Promise<unknown> },
  empty: T,
) {
  /** As last read. */
  let known = empty;
  let unstored: readonly Change<T>[] = [];
  let unstoredBeside: Change<Beside> = unchanged;
  let turn: Promise<unknown> = Promise.resolve();
  const current = (): T => unstored.reduce((value, change) => change(value), known);
  /** One after the other: a change must not be stored twice. */
  function inTurn<R>(task: () => Promise<R>): Promise<R> {
    const run = turn.then(task);
    turn = run.catch(() => {});
    return run;
  }
  return {
    isStored: (): boolean => unstored.length === 0,
    read: (): Promise<T> =>
      inTurn(async () => {
        known = await stored.read().catch(() => known);
        return current();
      }),
    forget(): void {
      known = empty;
      unstored = [];
      unstoredBeside = unchanged;
    },
    /** Returns the value before. A change may be applied again. `beside`: of another value, in the same transaction. */
    update: (change: Change<T>, beside: Change<Beside> = unchanged): Promise<T> =>
      inTurn(async () => {
        let [before, after] = [known, known];
        const earlier = unstoredBeside;
        const allBeside: Change<Beside> = (value) => beside(earlier(value));
        try {
          await stored.update((value) => {
            known = value;
            before = current();
            after = change(before);
            return after;
          }, allBeside);
          [known, unstored, unstoredBeside] = [after, [], unchanged];
        } catch {
          before = current();
          unstored = [...unstored, change];
          unstoredBeside = allBeside;
        }
        return before;
      }),
  };
}
