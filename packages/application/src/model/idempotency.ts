import {
  type ClaimId,
  type Environment,
  type FirmId,
  HOUR,
  IDEMPOTENCY_WINDOW_HOURS,
  type Instant,
} from '@svc/domain';

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

export interface KeyedResult {
  readonly claimId: ClaimId;
  /** True when an earlier request with the same fingerprint created the result. */
  readonly replayed: boolean;
}

/** Milliseconds for which a key is stored. */
export const IDEMPOTENCY_WINDOW_MS = IDEMPOTENCY_WINDOW_HOURS * HOUR;
