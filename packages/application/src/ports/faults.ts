import type { FirmId, KeyId } from '@svc/domain';

/** A failure that a firm simulates with a test key. `slow` and `dropped` requests are processed, the others are not. */
export type FaultKind = 'rate_limited' | 'internal_error' | 'service_unavailable' | 'slow' | 'dropped';

export interface SimulatedFaults {
  readonly kind: FaultKind;
  /** How many of the next requests fail this way. */
  readonly count: number;
}

/** The simulated faults of each API key, shared by all processes. */
export interface FaultStore {
  /** Replaces the faults of the key; null removes them. */
  set(firmId: FirmId, keyId: KeyId, faults: SimulatedFaults | null): Promise<void>;
  /** The fault for this request, if any. Concurrent calls together take exactly `count`. */
  take(firmId: FirmId, keyId: KeyId): Promise<FaultKind | null>;
}
