/** For what never comes about, not for what is slow: a busy machine must not fail a test. */
const PATIENCE_MS = 100_000;

/** Reads again until the value is as wanted (by default: truthy), and returns it. */
export async function eventually<Value>(
  read: () => Value | Promise<Value>,
  wanted: (value: Value) => boolean = Boolean,
  everyMs = 20,
): Promise<Exclude<Value, undefined | false>> {
  for (let waitedMs = 0; ; waitedMs += everyMs) {
    const value = await read();
    if (wanted(value)) return value as Exclude<Value, undefined | false>;
    if (waitedMs > PATIENCE_MS) throw new Error(`Still ${JSON.stringify(value)} from ${read}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
