import { type ClaimId, DAY, type Environment, type FirmId } from '@svc/domain';

/** Where an Idempotency-Key is kept: it belongs to the firm and environment, not to one API key. */
export interface IdempotencySlot {
  readonly firmId: FirmId;
  readonly environment: Environment;
  readonly key: string;
}

export interface Attempt {
  readonly claimId: ClaimId;
  /** True when an earlier request of the same fingerprint did the work. */
  readonly replayed: boolean;
}

/**
 * Keeps identical requests that arrive together from working against each other: one attempts, the others wait and
 * get its outcome; another request with the same key meanwhile is refused with `idempotency_key_reused`.
 *
 * A fast path and no more. The truth is the record that the attempt writes in the claim's own transaction, so an
 * implementation may forget everything at any moment, or let every attempt through, without a wrong answer.
 */
export interface SingleFlight {
  /**
   * @param fingerprint SHA-256 over the whole request.
   * @param attempt does the work; may itself find that the work was done before. When it fails, nothing is bound:
   *   the waiting twins make attempts of their own.
   */
  run(slot: IdempotencySlot, fingerprint: string, attempt: () => Promise<Attempt>): Promise<Attempt>;
}

/** How long a key is remembered, in milliseconds. */
export const IDEMPOTENCY_WINDOW = DAY;
