import type { KeyLimits } from '@svc/domain';

export type RateLimitDecision =
  | { readonly allowed: true }
  /** Whole milliseconds until the same request would be allowed, over all buckets it spends from. */
  | { readonly allowed: false; readonly retryAfterMs: number };

/**
 * Requests of one subject over time: two buckets, requests and writes, each refilled evenly and holding `burst`.
 * All or nothing: a refused request spends from neither. The store's own clock counts. A fault of the store never
 * refuses a request.
 */
export interface RateLimiter {
  /** @param subject whose buckets: an API key's id, or another stable name. */
  consume(
    subject: string,
    limits: KeyLimits,
    request: { readonly write: boolean },
  ): Promise<RateLimitDecision>;
}
