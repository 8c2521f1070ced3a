import type { FirmId, Membership, Svcid } from '@svc/domain';

export interface Memberships {
  /** Locks the record, or the key of a missing one, until the transaction ends. */
  lock(firmId: FirmId, svcId: Svcid): Promise<Membership | null>;
  /** The firms that the adjuster is an active member of. */
  activeFirmsOf(svcId: Svcid): Promise<FirmId[]>;
  /** Adds or replaces the one record of this firm and adjuster. */
  save(membership: Membership): Promise<void>;
}
