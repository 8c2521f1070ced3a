type Change<T> = (before: T) => T;

/**
 * A stored value that goes on in memory while the disk is full or fails: nothing that was done is lost to the page. What could
 * not be stored is stored with the next change that can be.
 */
export function withFallback<T>(
  stored: { read(): Promise<T>; update(change: Change<T>): Promise<unknown> },
  empty: T,
) {
  /** As last read. */
  let known = empty;
  let unstored: readonly Change<T>[] = [];
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
    },
    /** Returns the value before. A change may be applied again. */
    update: (change: Change<T>): Promise<T> =>
      inTurn(async () => {
        let [before, after] = [known, known];
        try {
          await stored.update((value) => {
            known = value;
            before = current();
            after = change(before);
            return after;
          });
          [known, unstored] = [after, []];
        } catch {
          before = current();
          unstored = [...unstored, change];
        }
        return before;
      }),
  };
}
