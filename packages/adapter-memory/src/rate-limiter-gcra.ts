import type { Instant, KeyLimits } from '@svc/domain';

/**
 * What a subject has spent and not yet regained at an instant. GCRA kept as a level instead of an arrival time: one
 * request weighs 60,000, and a rate of n per minute gives back exactly n each millisecond. Every value is an integer
 * at any rate, so nothing drifts, and a level stays meaningful when the rate changes, where a time would not.
 */
export interface Consumed {
  readonly at: Instant;
  readonly requests: number;
  readonly writes: number;
}

interface Decision {
  readonly spent: Consumed;
  /** 0: allowed, and spent from every bucket. Otherwise nothing was spent. */
  readonly retryAfterMs: number;
}

export const REQUEST_WEIGHT = 60_000;

/** @param before null for a subject whose buckets are full. */
export function decide(
  before: Consumed | null,
  limits: KeyLimits,
  request: { readonly write: boolean },
  now: Instant,
): Decision {
  const brim = limits.burst * REQUEST_WEIGHT;
  // A clock that was set back gives nothing back, and must not stop the refill until it has caught up either: the
  // state is always handed on at the new time.
  const elapsed = before ? Math.max(0, now - before.at) : 0;
  // Held to the brim before the refill, so that a lowered burst costs a key one interval at the most.
  const level = (spent: number, perMinute: number): number =>
    Math.max(0, Math.min(spent, brim) - elapsed * perMinute);
  const requests = level(before?.requests ?? 0, limits.requestsPerMinute);
  const writes = level(before?.writes ?? 0, limits.writesPerMinute);

  const wait = (spent: number, perMinute: number): number =>
    Math.max(0, Math.ceil((spent + REQUEST_WEIGHT - brim) / perMinute));
  const retryAfterMs = Math.max(
    wait(requests, limits.requestsPerMinute),
    request.write ? wait(writes, limits.writesPerMinute) : 0,
  );
  if (retryAfterMs > 0) return { spent: { at: now, requests, writes }, retryAfterMs };
  return {
    spent: {
      at: now,
      requests: requests + REQUEST_WEIGHT,
      writes: request.write ? writes + REQUEST_WEIGHT : writes,
    },
    retryAfterMs: 0,
  };
}

/** From then on the subject is like one that was never seen. */
export const fullAgainAt = (spent: Consumed, limits: KeyLimits): Instant =>
  spent.at +
  Math.ceil(Math.max(spent.requests / limits.requestsPerMinute, spent.writes / limits.writesPerMinute));
