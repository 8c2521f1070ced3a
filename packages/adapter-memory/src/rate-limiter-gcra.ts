import type { CountedRequest, RateLimitUse } from '@svc/application';
import type { Instant, KeyLimits } from '@svc/domain';

/**
 * What a subject has consumed and not yet regained at an instant. GCRA stored as a level instead of an arrival time: a
 * request costs 60,000 and a rate of n per minute refills n per millisecond. All values are integers, so nothing
 * drifts, and a level stays valid when the rate changes.
 */
export interface Consumed {
  readonly at: Instant;
  readonly requests: number;
  readonly writes: number;
}

export const REQUEST_COST = 60_000;

const capacityOf = ({ burst }: KeyLimits): number => burst * REQUEST_COST;

/** @param before null for a subject whose buckets are full. */
function refilled(before: Consumed | null, limits: KeyLimits, now: Instant): Omit<Consumed, 'at'> {
  // A clock that was set back refills nothing. The new time is stored all the same: otherwise the refill would stop until
  // the clock has caught up.
  const elapsedMs = before ? Math.max(0, now - before.at) : 0;
  // Capped before the refill, so that after the burst is lowered a key waits one interval at most.
  const level = (consumed: number, perMinute: number): number =>
    Math.max(0, Math.min(consumed, capacityOf(limits)) - elapsedMs * perMinute);
  return {
    requests: level(before?.requests ?? 0, limits.requestsPerMinute),
    writes: level(before?.writes ?? 0, limits.writesPerMinute),
  };
}

export function useOf(before: Consumed | null, limits: KeyLimits, now: Instant): RateLimitUse {
  const { requests, writes } = refilled(before, limits, now);
  return { requests: Math.ceil(requests / REQUEST_COST), writes: Math.ceil(writes / REQUEST_COST) };
}

/**
 * A wait of 0: allowed, and consumed from both buckets. Otherwise nothing was consumed.
 * @param before null for a subject whose buckets are full.
 */
export function decide(
  before: Consumed | null,
  limits: KeyLimits,
  { write, isCounted = false }: CountedRequest,
  now: Instant,
) {
  const capacity = capacityOf(limits);
  const { requests, writes } = refilled(before, limits, now);
  const waitMs = (consumed: number, perMinute: number): number =>
    Math.ceil((consumed + REQUEST_COST - capacity) / perMinute);
  const retryAfterMs = Math.max(
    isCounted ? 0 : waitMs(requests, limits.requestsPerMinute),
    write ? waitMs(writes, limits.writesPerMinute) : 0,
  );
  if (retryAfterMs > 0) {
    // As in Redis, which writes nothing then: what was consumed counts in full once the limits are raised again.
    const isUnchanged = before !== null && before.at <= now;
    return { consumed: isUnchanged ? before : { at: now, requests, writes }, retryAfterMs };
  }
  return {
    consumed: {
      at: now,
      requests: isCounted ? requests : requests + REQUEST_COST,
      writes: write ? writes + REQUEST_COST : writes,
    },
    retryAfterMs: 0,
  };
}

/** From then on the buckets are full, as for a new subject. */
export const fullAgainAt = (consumed: Consumed, limits: KeyLimits): Instant =>
  consumed.at +
  Math.ceil(Math.max(consumed.requests / limits.requestsPerMinute, consumed.writes / limits.writesPerMinute));
