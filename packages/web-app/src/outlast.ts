import { NetworkError } from './api-error.ts';

/** A longer wait, or more of them, is left to the person. */
const MAX_WAIT_MS = 60_000;
const MAX_ATTEMPTS = 20;
const MIN_WAIT_MS = 1000;

/**
 * Sends again what the service could not process, such as with 429 or 503, after the wait that it asked for.
 * @param isWanted whether it is still worth sending after a wait
 */
export async function outlast<T>(send: () => Promise<T>, isWanted: () => boolean): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      const waitMs = error instanceof NetworkError ? error.retryAfterMs : undefined;
      if (waitMs === undefined || waitMs > MAX_WAIT_MS || attempt === MAX_ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.max(waitMs, MIN_WAIT_MS)));
      if (!isWanted()) throw error;
    }
  }
}
