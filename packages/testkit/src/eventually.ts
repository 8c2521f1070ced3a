/** Without the reads, so that a slow machine does not fail a test. */
const TIMEOUT_MS = 60_000;
/** With them, so that the last value is said before the test ends. */
const MAX_MS = 100_000;

/** Polls until the value satisfies the condition (default: truthy) and returns it. */
export async function eventually<Value>(
  read: () => Value | Promise<Value>,
  isDone: (value: Value) => boolean = Boolean,
  intervalMs = 20,
): Promise<Exclude<Value, undefined | false>> {
  const startedAt = performance.now();
  for (let waitedMs = 0; ; waitedMs += intervalMs) {
    const value = await read();
    if (isDone(value)) return value as Exclude<Value, undefined | false>;
    if (waitedMs > TIMEOUT_MS || performance.now() - startedAt > MAX_MS)
      throw new Error(`Timed out with ${JSON.stringify(value)} from ${read}`);
    await new Promise((resolve) => setTimeout(resolve, intervalMs));
  }
}

/** A promise, and what resolves it. */
export function later() {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
