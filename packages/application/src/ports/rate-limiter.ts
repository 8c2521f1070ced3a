import type { KeyLimits } from '@svc/domain';

export type RateLimitDecision =
  | { readonly allowed: true }
  /** Whole milliseconds until both buckets allow the same request. */
  | { readonly allowed: false; readonly retryAfterMs: number };

export interface CountedRequest {
  readonly write: boolean;
  /** The request itself is counted already: only its write is consumed. */
  readonly isCounted?: boolean;
}

/** What a subject has consumed of `burst` and not regained, in whole requests. */
export interface RateLimitUse {
  readonly requests: number;
  readonly writes: number;
}

/**
 * Two token buckets per subject, requests and writes, each with capacity `burst` and refilled evenly by the store's
 * clock. A rejected request consumes from neither. When the store fails, requests are allowed.
 */
export interface RateLimiter {
  /** @param subject owner of the buckets: an API key's id or another stable name. */
  consume(subject: string, limits: KeyLimits, request: CountedRequest): Promise<RateLimitDecision>;
  /** Consumes nothing and changes nothing. */
  peek(subject: string, limits: KeyLimits): Promise<RateLimitUse>;
}

/** Counts every request by the address of its client, before any other limit. */
export interface EdgeLimiter {
  /** Whether to accept a request from this address. A denied request does not count. */
  allow(address: string): boolean;
}
