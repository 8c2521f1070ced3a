export interface Backoff {
  /** Maximum of the first wait; it doubles with each attempt. */
  readonly baseMs: number;
  /** Maximum of every wait that the service did not request. */
  readonly maxMs: number;
}

/** The wait after a 429 from the edge proxy, whose response has no Retry-After. */
export const EDGE_WAIT_MS = 60_000;

/** Random extra wait after Retry-After, so that clients do not retry at the same moment. */
export const RETRY_AFTER_JITTER_MS = 250;

/** Exponential backoff with full jitter. */
export function backoffMs(attempt: number, { baseMs, maxMs }: Backoff, random: () => number): number {
  // The exponent is bounded because 0 * Infinity is NaN.
  return random() * Math.min(maxMs, baseMs * 2 ** Math.min(attempt - 1, 30));
}

/**
 * Parses seconds, as sent by the service, or an HTTP date, as a proxy may send. Of a header that was sent twice, which
 * arrives joined by a comma, the longest wait. Null for anything else.
 */
export function parseRetryAfter(value: string | null, now: number): number | null {
  // The comma within a date is followed by the day.
  const values = (value ?? '').split(/,(?! \d{2} [A-Z])/).map((text) => parseOneWait(text.trim(), now));
  return values.reduce((longest, wait) => (wait === null ? longest : Math.max(longest ?? 0, wait)), null);
}

function parseOneWait(text: string, now: number): number | null {
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

/** Whether the error is likely temporary: the request timed out (408), came too early (425) or too often, or any 5xx. */
export const isRetryable = (status: number): boolean => [408, 425, 429].includes(status) || status >= 500;

/** The wait that a response requests; null if it requests none. */
export function requestedWaitMs(
  status: number,
  isJson: boolean,
  retryAfter: string | null,
  now: number,
): number | null {
  if (!isRetryable(status)) return null;
  return parseRetryAfter(retryAfter, now) ?? (status === 429 && !isJson ? EDGE_WAIT_MS : null);
}
