import type { IdempotencySlot } from '../model/idempotency.ts';

/**
 * Which idempotency keys have probably been used, so that a replay needs no transaction. Only a hint: it may forget, and
 * after a restore of the database it has keys whose records are lost. The record decides.
 */
export interface UsedKeys {
  has(slot: IdempotencySlot): Promise<boolean>;
  /** For as long as a record is valid. Does not wait. */
  add(slot: IdempotencySlot): void;
}

/** Without a shared store: every replay finds the record in its transaction. */
export const NO_USED_KEYS: UsedKeys = { has: async () => false, add() {} };
