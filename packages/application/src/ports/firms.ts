import type { FirmId, Instant } from '@svc/domain';
import type { Firm } from '../model/firm.ts';

export interface Firms {
  add(firm: Firm): Promise<void>;
  lock(id: FirmId): Promise<Firm | null>;
  /** Without a lock. */
  find(id: FirmId): Promise<Firm | null>;
  /** Null: not under legal hold. */
  legalHoldSince(id: FirmId): Promise<Instant | null>;
  setLegalHold(id: FirmId, since: Instant | null): Promise<void>;
  save(firm: Firm): Promise<void>;
  /** Deletes its keys and memberships. In force everywhere within a second, with `save`. */
  endAccess(id: FirmId): Promise<void>;
  /** The number of firms; prevents others from adding one until the transaction ends. */
  count(): Promise<number>;
}
