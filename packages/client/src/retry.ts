/** How long to wait before another attempt, and when not to make one. */
export interface Backoff {
  /** The first wait is at most this long; each further one at most twice as long as the one before. */
  readonly baseMs: number;
  /** No wait of the client's own choosing is longer. */
  readonly maxMs: number;
}

/** What the edge asks for in words: its page comes without a Retry-After. */
export const EDGE_WAIT_MS = 60_000;

/** Callers that were told the same time to come back must not come back in the same instant. */
export const SPREAD_MS = 250;

/** Full jitter: anything up to the ceiling, so that clients which failed together do not return together. */
export function backoffMs(attempt: number, { baseMs, maxMs }: Backoff, random: () => number): number {
  // The exponent is bounded, since 0 * Infinity is no number.
  return random() * Math.min(maxMs, baseMs * 2 ** Math.min(attempt - 1, 30));
}

/** Seconds, as the service sends them, or a date, as a proxy in front of it may. Null for anything else. */
export function parseRetryAfter(value: string | null, now: number): number | null {
  const text = value?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

/** Network in front of the service and the service itself: both may be well again in a moment. */
export const isWorthRetrying = (status: number): boolean => status === 429 || status >= 500;

/** How long an answer asks to be left alone; null when it does not say. */
export function askedWaitMs(
  status: number,
  isJson: boolean,
  retryAfter: string | null,
  now: number,
): number | null {
  if (status !== 429 && status !== 503) return null;
  return parseRetryAfter(retryAfter, now) ?? (status === 429 && !isJson ? EDGE_WAIT_MS : null);
}
