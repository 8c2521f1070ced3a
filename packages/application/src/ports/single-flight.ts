import { type ClaimId, DAY, type Environment, type FirmId, type Instant } from '@svc/domain';

/** Scope of an Idempotency-Key: the firm and environment, not one API key. */
export interface IdempotencySlot {
  readonly firmId: FirmId;
  readonly environment: Environment;
  readonly key: string;
}

/** A request that its client may repeat. */
export interface KeyedRequest {
  readonly slot: IdempotencySlot;
  /** SHA-256 over method, path and canonical body, hexadecimal. */
  readonly fingerprint: string;
  readonly at: Instant;
}

export interface Attempt {
  readonly claimId: ClaimId;
  /** True when an earlier request with the same fingerprint created the result. */
  readonly replayed: boolean;
}

/**
 * Concurrent identical requests of a process share one execution: one runs, the others wait for its result. A different
 * request with the same key fails with `idempotency_key_reused`.
 *
 * Only an optimization: the record written in the claim's transaction decides, also between processes.
 */
export interface SingleFlight {
  /**
   * @param fingerprint SHA-256 over the whole request.
   * @param attempt executes the request or finds an earlier result. When it fails, the key stays unbound and the
   *   waiting requests make their own attempts.
   */
  run(slot: IdempotencySlot, fingerprint: string, attempt: () => Promise<Attempt>): Promise<Attempt>;
}

/** Milliseconds for which a key is stored. */
export const IDEMPOTENCY_WINDOW_MS = DAY;
