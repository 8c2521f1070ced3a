import type { IdempotencySlot, KeyedResult } from '../model/idempotency.ts';

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
   *   waiting requests execute it themselves.
   */
  run(slot: IdempotencySlot, fingerprint: string, attempt: () => Promise<KeyedResult>): Promise<KeyedResult>;
}
