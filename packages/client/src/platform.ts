/** Time, timers and randomness, which tests replace. */
export interface Platform {
  /** Unix time in milliseconds. */
  now(): number;
  /** Runs `action` after a delay; the returned function cancels it. */
  after(delayMs: number, action: () => void): () => void;
  /** From 0 (inclusive) to 1 (exclusive). */
  random(): number;
  /** A unique value. */
  newKey(): string;
}

export const platform: Platform = {
  // Monotonic: setting the system clock back must not make a pause longer.
  now: () => performance.timeOrigin + performance.now(),
  after(delayMs, action) {
    const timer = setTimeout(action, delayMs);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
  newKey: () => crypto.randomUUID(),
};

/** Not every platform has it. */
declare const process: { readonly env?: Readonly<Record<string, string | undefined>> } | undefined;

export const environmentVariable = (name: string): string | undefined =>
  typeof process === 'undefined' ? undefined : process.env?.[name];

/** Timers with a longer delay fire immediately. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Waits; rejects with the signal's reason if it is aborted. */
export async function pause(
  durationMs: number,
  signal: AbortSignal | undefined,
  { after }: Pick<Platform, 'after'>,
): Promise<void> {
  let remainingMs = durationMs;
  do {
    const partMs = Math.min(remainingMs, MAX_TIMER_MS);
    await pauseOnce(partMs, signal, after);
    remainingMs -= partMs;
  } while (remainingMs > 0);
}

function pauseOnce(
  durationMs: number,
  signal: AbortSignal | undefined,
  after: Platform['after'],
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = after(durationMs, () => {
      signal?.removeEventListener('abort', abort);
      resolve();
    });
    signal?.addEventListener('abort', abort, { once: true });
  });
}
