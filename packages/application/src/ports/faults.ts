import type { FaultKind, FirmId, KeyId } from '@svc/domain';

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
  /** Gives one back that could have no effect, unless another kind was set since. */
  giveBack(firmId: FirmId, keyId: KeyId, kind: FaultKind): Promise<void>;
}
