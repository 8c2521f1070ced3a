/** What the client takes from its surroundings, so that a test can say what time it is. */
export interface Platform {
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs `action` after so many milliseconds; the returned function takes that back. */
  after(milliseconds: number, action: () => void): () => void;
  /** From 0 up to, but not including, 1. */
  random(): number;
  /** A value that nobody has used before. */
  newKey(): string;
}

export const platform: Platform = {
  // Steady: a clock that is set back must not make a pause longer.
  now: () => performance.timeOrigin + performance.now(),
  after(milliseconds, action) {
    const timer = setTimeout(action, milliseconds);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
  newKey: () => crypto.randomUUID(),
};

/** Timers count in 32 bits and fire at once when asked for more. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Rejects with the signal's reason as soon as it is aborted. */
export async function pause(
  milliseconds: number,
  signal: AbortSignal | undefined,
  { after }: Pick<Platform, 'after'>,
): Promise<void> {
  let left = milliseconds;
  do {
    const part = Math.min(left, LONGEST_TIMER_MS);
    await pauseOnce(part, signal, after);
    left -= part;
  } while (left > 0);
}

function pauseOnce(
  milliseconds: number,
  signal: AbortSignal | undefined,
  after: Platform['after'],
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = after(milliseconds, () => {
      signal?.removeEventListener('abort', abort);
      resolve();
    });
    signal?.addEventListener('abort', abort, { once: true });
  });
}
